package io.spillway.worker.handlers;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.UrlTemplate;
import io.spillway.handler.Delivery;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Factory of the requests for items: URL, configured headers and headers from the item. Thread-safe. */
final class HttpRequests {
    /** Servers commonly accept 8 KiB of headers. */
    static final int MAX_ATTRIBUTE_BYTES = 4_096;

    /** Attribute of an event in a record's header: the binding of CloudEvents to Kafka. */
    private static final Pattern CLOUD_EVENT = Pattern.compile("ce_([a-z0-9]+)");

    private final UrlTemplate url;
    private final Duration timeout;
    private final boolean attributes;
    private final Set<String> recordHeaders;
    private final Map<String, String> fixed = new LinkedHashMap<>();

    /** Reads the secrets; throws {@link InvalidSettingException} without their values. */
    HttpRequests(HttpSettings settings) {
        this.url = new UrlTemplate(settings.url());
        this.timeout = settings.requestTimeout();
        this.attributes = settings.attributes();
        this.recordHeaders = settings.sentRecordHeaders();
        fixed.putAll(new TreeMap<>(settings.headers()));
        new TreeMap<>(settings.secretHeaders()).forEach((name, file) -> {
            String key = "handler.http.secretHeaders." + name;
            String value = SecretFile.text(key, file);
            if (value.isEmpty() || !HttpSettings.isValue(value)) {
                throw new InvalidSettingException(key, file, "must be a file with one line of printable ASCII");
            }
            fixed.put(name, value);
        });
    }

    /** Returns the request for items of one tenant and workload as a JSON array; throws as {@link #of(Delivery)}. */
    HttpRequest of(List<Delivery> deliveries) throws UnsendableException {
        ArrayNode items = JsonNodeFactory.instance.arrayNode();
        deliveries.forEach(delivery -> items.add(DeliveryJson.of(delivery)));
        HttpRequest.Builder request = start(deliveries.getFirst(), "application/json")
                .header("Spillway-Items", Integer.toString(deliveries.size()))
                .POST(HttpRequest.BodyPublishers.ofString(items.toString()));
        fixed.forEach(request::header);
        return request.build();
    }

    private HttpRequest.Builder start(Delivery delivery, String contentType) throws UnsendableException {
        URI target = url.of(delivery.tenant(), delivery.workload()).orElseThrow(() -> new UnsendableException(
                "The tenant or workload cannot be part of a URL: " + delivery.tenant() + ", " + delivery.workload()));
        return HttpRequest.newBuilder(target)
                .timeout(timeout)
                .header("Content-Type", contentType)
                .header("Spillway-Tenant", delivery.tenant())
                .header("Spillway-Workload", delivery.workload());
    }

    /** Returns the request; throws {@link UnsendableException} when no request can carry the item. */
    HttpRequest of(Delivery delivery) throws UnsendableException {
        if (!HttpSettings.isValue(delivery.contentType())) {
            throw new UnsendableException(
                    "The content type cannot be an HTTP header: " + delivery.contentType());
        }
        HttpRequest.Builder request = start(delivery, delivery.contentType())
                .header("Spillway-Id", delivery.id())
                .header("Spillway-Attempt", Integer.toString(delivery.attempt()))
                .header("Spillway-Enqueued-At", Long.toString(delivery.enqueuedAt().toEpochMilli()))
                .header("Idempotency-Key", delivery.id())
                .POST(HttpRequest.BodyPublishers.ofByteArray(delivery.payload()));
        if (!delivery.parentWorkload().isEmpty()) {
            request.header("Spillway-Parent-Workload", delivery.parentWorkload());
        }
        delivery.orderKey().filter(HttpSettings::isValue)
                .ifPresent(key -> request.header("Spillway-Order-Key", key));
        // An invalid trace header is omitted; it is no reason to reject the item.
        delivery.traceparent().filter(HttpSettings::isValue).ifPresent(value -> request.header("traceparent", value));
        delivery.tracestate().filter(HttpSettings::isValue).ifPresent(value -> request.header("tracestate", value));
        fixed.forEach(request::header);
        int bytes = 0;
        for (String[] header : ofItem(delivery)) {
            bytes += header[0].length() + header[1].length();
            if (bytes > MAX_ATTRIBUTE_BYTES) {
                throw new UnsendableException("The attributes and headers of the item take more than "
                        + MAX_ATTRIBUTE_BYTES + " bytes as HTTP headers");
            }
            request.header(header[0], header[1]);
        }
        return request.build();
    }

    /** Returns names and values of the attributes and of the record's headers that are sent. */
    private List<String[]> ofItem(Delivery delivery) {
        List<String[]> sent = new ArrayList<>();
        if (attributes) {
            new TreeMap<>(delivery.attributes()).forEach((name, value) -> sent.add(new String[] {
                HttpSettings.ATTRIBUTE_PREFIX + escape(name.getBytes(StandardCharsets.UTF_8), true),
                escape(value.getBytes(StandardCharsets.UTF_8), false)
            }));
        }
        for (Delivery.Header header : delivery.headers()) {
            Matcher event = CLOUD_EVENT.matcher(header.name());
            if (header.value() == null) {
                continue;
            } else if (event.matches()) {
                // The binding to HTTP has spaces and quotation marks percent-encoded too.
                sent.add(new String[] {
                    "ce-" + event.group(1), escape(header.value(), false).replace(" ", "%20").replace("\"", "%22")
                });
            } else if (recordHeaders.contains(header.name().toLowerCase(Locale.ROOT))) {
                sent.add(new String[] {header.name(), escape(header.value(), false)});
            }
        }
        return sent;
    }

    /** Percent-encodes bytes; in a value only those that a header would not carry unchanged. */
    private static String escape(byte[] bytes, boolean isName) {
        StringBuilder out = new StringBuilder();
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
