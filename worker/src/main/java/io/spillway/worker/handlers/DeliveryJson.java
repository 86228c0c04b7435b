package io.spillway.worker.handlers;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.handler.Delivery;
import io.spillway.kafka.codec.ItemHeaders;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** JSON of items for external workers: a payload that its content type calls text is text, any other is base64. */
public final class DeliveryJson {
    private static final Pattern TEXT_TYPE =
            Pattern.compile("text/.+|application/(.+\\+)?json|application/(.+\\+)?xml");

    private DeliveryJson() {}

    /** Returns an item with its payload, attributes and headers, except the internal ones. */
    public static ObjectNode of(Delivery delivery) {
        ObjectNode json = JsonNodeFactory.instance.objectNode()
                .put("tenant", delivery.tenant())
                .put("id", delivery.id())
                .put("workload", delivery.workload())
                .put("attempt", delivery.attempt())
                .put("lane", delivery.lane())
                .put("enqueuedAt", time(delivery.enqueuedAt()))
                .put("contentType", delivery.contentType());
        delivery.orderKey().ifPresent(key -> json.put("orderKey", key));
        ObjectNode attributes = json.putObject("attributes");
        delivery.attributes().forEach(attributes::put);
        ArrayNode headers = json.putArray("headers");
        delivery.headers().stream().filter(DeliveryJson::isShown).forEach(header -> {
            ObjectNode headerJson = headers.addObject().put("name", header.name());
            if (header.value() == null) {
                headerJson.putNull("value");
            } else {
                put(headerJson, "value", text(header.value()), header.value());
            }
        });
        put(json, "payload", isText(delivery.contentType()) ? text(delivery.payload()) : Optional.empty(),
                delivery.payload());
        return json;
    }

    /** Returns a time in ISO 8601 with milliseconds. */
    public static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private static boolean isShown(Delivery.Header header) {
        return !ItemHeaders.isInternal(header.name()) || header.name().equals(ItemHeaders.PARENT_WORKLOAD);
    }

    private static void put(ObjectNode json, String name, Optional<String> text, byte[] bytes) {
        text.ifPresentOrElse(value -> json.put(name, value),
                () -> json.put(name + "Base64", Base64.getEncoder().encodeToString(bytes)));
    }

    private static boolean isText(String contentType) {
        String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return TEXT_TYPE.matcher(type).matches();
    }

    /** Returns the text of valid UTF-8; empty for other bytes. */
    private static Optional<String> text(byte[] bytes) {
        try {
            return Optional.of(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
