package io.spillway.core.text;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;

/**
 * URL of a destination, with {@code {tenant}} and {@code {workload}} in its path or query. They are never in the host:
 * a producer must not choose where items go. Immutable.
 */
public final class UrlTemplate {
    private static final String TENANT = "{tenant}";
    private static final String WORKLOAD = "{workload}";

    private final String text;
    private final Optional<URI> constant;

    /**
     * Creates a template.
     *
     * @param text without a {@link #problem}
     */
    public UrlTemplate(String text) {
        this.text = text;
        this.constant = text.contains("{") ? Optional.empty() : Optional.of(URI.create(text));
    }

    /** Returns what a text must be or must not contain to be an HTTP URL of which each part is sent; empty for one. */
    public static Optional<String> problem(String text) {
        String wrong = "must be http://HOST... or https://HOST..."
                + (text.contains("{") ? ", with {tenant} and {workload} in the path or query only" : "");
        URI filled;
        try {
            filled = new URI(fill(text, "x", "x"));
        } catch (URISyntaxException e) {
            return Optional.of(wrong);
        }
        String authority = Objects.requireNonNullElse(filled.getRawAuthority(), "");
        if (authority.contains("@")) {
            return Optional.of("must not contain a login, which is not sent");
        }
        if (authority.contains("_")) {
            return Optional.of("must not have an underscore in the name of the host. Give the host a name without"
                    + " one, such as a network alias");
        }
        if (filled.getRawFragment() != null) {
            return Optional.of("must not contain a fragment, which is not sent. Write %23 for #");
        }
        boolean isHttp = "http".equals(filled.getScheme()) || "https".equals(filled.getScheme());
        return isHttp && filled.getHost() != null && text.startsWith("://" + authority, text.indexOf(':'))
                ? Optional.empty() : Optional.of(wrong);
    }

    /** Returns the URL with empty names, to connect in advance and for its host. */
    public URI base() {
        return constant.orElseGet(() -> URI.create(fill(text, "", "")));
    }

    /** Returns the URL of an item; empty when a name would be a path segment that servers resolve. */
    public Optional<URI> of(String tenant, String workload) {
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
