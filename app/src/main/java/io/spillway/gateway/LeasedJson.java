package io.spillway.gateway;

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

/** JSON of leased items: a payload that its content type calls text is text, any other is base64. */
final class LeasedJson {
    private static final Pattern TEXT_TYPE =
            Pattern.compile("text/.+|application/(.+\\+)?json|application/(.+\\+)?xml");

    private LeasedJson() {}

    static ObjectNode of(PullHandler.Leased leased) {
        Delivery delivery = leased.delivery();
        ObjectNode json = GatewayResponse.JSON.createObjectNode()
                .put("tenant", delivery.tenant())
                .put("id", delivery.id())
                .put("workload", delivery.workload())
                .put("attempt", delivery.attempt())
                .put("lane", delivery.lane())
                .put("enqueuedAt", time(delivery.enqueuedAt()))
                .put("contentType", delivery.contentType());
        ObjectNode attributes = json.putObject("attributes");
        delivery.attributes().forEach(attributes::put);
        var headers = json.putArray("headers");
        delivery.headers().stream().filter(header -> !ItemHeaders.isInternal(header.name())).forEach(header ->
                put(headers.addObject().put("name", header.name()), "value",
                        header.value() == null ? Optional.of("") : text(header.value()), header.value()));
        put(json, "payload", isText(delivery.contentType()) ? text(delivery.payload()) : Optional.empty(),
                delivery.payload());
        return json.put("receipt", leased.receipt()).put("leaseUntil", time(delivery.lease().endsAt()));
    }

    /** Returns a time in ISO 8601 with milliseconds. */
    static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private static void put(ObjectNode json, String name, Optional<String> text, byte[] bytes) {
        text.ifPresentOrElse(each -> json.put(name, each),
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
