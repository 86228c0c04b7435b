package io.spillway.worker.handlers;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * URL of the destination, with {@code {tenant}} and {@code {workload}} in its path or query. They are never in the
 * host: a producer must not choose where items go.
 */
final class UrlTemplate {
    private static final String TENANT = "{tenant}";
    private static final String WORKLOAD = "{workload}";

    private final String text;
    private final Optional<URI> constant;

    /** Creates a template; the text must be {@link #isValid}. */
    UrlTemplate(String text) {
        this.text = text;
        this.constant = text.contains("{") ? Optional.empty() : Optional.of(URI.create(text));
    }

    /** Returns whether the text is an HTTP URL with placeholders in its path or query only. */
    static boolean isValid(String text) {
        try {
            URI filled = new URI(fill(text, "x", "x"));
            int authorityEnd = text.indexOf('/', text.indexOf("://") + 3);
            int query = text.indexOf('?');
            int end = authorityEnd < 0 ? query : query < 0 ? authorityEnd : Math.min(authorityEnd, query);
            return filled.getHost() != null
                    && ("http".equals(filled.getScheme()) || "https".equals(filled.getScheme()))
                    && !(end < 0 ? text : text.substring(0, end)).contains("{");
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /** Returns the URL with empty names, to connect in advance and for its host. */
    URI base() {
        return constant.orElseGet(() -> URI.create(fill(text, "", "")));
    }

    /** Returns the URL of an item; empty when a name would be a path segment that servers resolve. */
    Optional<URI> of(String tenant, String workload) {
        if (constant.isPresent()) {
            return constant;
        }
        boolean resolves = text.contains(TENANT) && isDots(tenant) || text.contains(WORKLOAD) && isDots(workload);
        return resolves ? Optional.empty() : Optional.of(URI.create(fill(text, escape(tenant), escape(workload))));
    }

    private static String fill(String text, String tenant, String workload) {
        return text.replace(TENANT, tenant).replace(WORKLOAD, workload);
    }

    private static boolean isDots(String name) {
        return name.equals(".") || name.equals("..");
    }

    private static String escape(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
