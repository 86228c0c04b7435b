package io.spillway.worker.handlers;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.Delivery;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Factory of the requests for items: URL, configured headers and headers from the item. Thread-safe. */
final class HttpRequests {
    /** Servers commonly accept 8 KiB of headers. */
    static final int MAX_ATTRIBUTE_BYTES = 4_096;

    private final UrlTemplate url;
    private final Duration timeout;
    private final boolean attributes;
    private final Map<String, String> fixed = new LinkedHashMap<>();

    /** Reads the secrets; throws {@link InvalidSettingException} without their values. */
    HttpRequests(HandlerSettings settings) {
        this.url = new UrlTemplate(settings.httpUrl());
        this.timeout = settings.httpRequestTimeout();
        this.attributes = settings.http().attributes();
        fixed.putAll(new TreeMap<>(settings.http().headers()));
        new TreeMap<>(settings.http().secretHeaders()).forEach((name, file) -> {
            String key = "handler.http.secretHeaders." + name;
            String value = SecretFile.text(key, file);
            if (value.isEmpty() || !HttpSettings.isValue(value)) {
                throw new InvalidSettingException(key, file, "must be a file with one line of printable ASCII");
            }
            fixed.put(name, value);
        });
    }

    /** Returns the request; throws {@link UnsendableException} when no request can carry the item. */
    HttpRequest of(Delivery delivery) throws UnsendableException {
        if (!HttpSettings.isValue(delivery.contentType())) {
            throw new UnsendableException(
                    "The content type cannot be an HTTP header: " + delivery.contentType());
        }
        URI target = url.of(delivery.tenant(), delivery.workload()).orElseThrow(() -> new UnsendableException(
                "The tenant or workload cannot be part of a URL: " + delivery.tenant() + ", " + delivery.workload()));
        HttpRequest.Builder request = HttpRequest.newBuilder(target)
                .timeout(timeout)
                .header("Content-Type", delivery.contentType())
                .header("Spillway-Tenant", delivery.tenant())
                .header("Spillway-Id", delivery.id())
                .header("Spillway-Workload", delivery.workload())
                .header("Spillway-Attempt", Integer.toString(delivery.attempt()))
                .header("Spillway-Enqueued-At", Long.toString(delivery.enqueuedAt().toEpochMilli()))
                .header("Idempotency-Key", delivery.id())
                .POST(HttpRequest.BodyPublishers.ofByteArray(delivery.payload()));
        // An invalid trace header is omitted; it is no reason to reject the item.
        delivery.traceparent().filter(HttpSettings::isValue).ifPresent(value -> request.header("traceparent", value));
        delivery.tracestate().filter(HttpSettings::isValue).ifPresent(value -> request.header("tracestate", value));
        fixed.forEach(request::header);
        if (attributes) {
            addAttributes(delivery.attributes(), request);
        }
        return request.build();
    }

    private static void addAttributes(Map<String, String> attributes, HttpRequest.Builder request)
            throws UnsendableException {
        int bytes = 0;
        for (Map.Entry<String, String> each : new TreeMap<>(attributes).entrySet()) {
            String name = HttpSettings.ATTRIBUTE_PREFIX + escape(each.getKey(), true);
            String value = escape(each.getValue(), false);
            bytes += name.length() + value.length();
            if (bytes > MAX_ATTRIBUTE_BYTES) {
                throw new UnsendableException(
                        "The attributes take more than " + MAX_ATTRIBUTE_BYTES + " bytes as HTTP headers");
            }
            request.header(name, value);
        }
    }

    /** Percent-encodes UTF-8 bytes; in a value only those that a header would not carry unchanged. */
    private static String escape(String text, boolean isName) {
        StringBuilder out = new StringBuilder();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            char c = (char) (bytes[i] & 0xff);
            boolean isWord = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
                    || c == '-' || c == '_' || c == '.';
            boolean isEdge = i == 0 || i == bytes.length - 1;
            boolean isPlain = c > ' ' && c <= '~' && c != '%' || c == ' ' && !isEdge;
            if (isWord || !isName && isPlain) {
                out.append(c);
            } else {
                out.append(String.format(Locale.ROOT, "%%%02X", (int) c));
            }
        }
        return out.toString();
    }

    /** No request can carry this item, now or later. The message is for the dead letter. */
    static final class UnsendableException extends Exception {
        private static final long serialVersionUID = 1;

        UnsendableException(String message) {
            super(message);
        }
    }
}
