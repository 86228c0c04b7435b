package io.spillway.operator;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.deadletter.DeadLetter;
import io.spillway.deadletter.DeadLetterCounts;
import io.spillway.deadletter.DeadLetterPage;
import io.spillway.kafka.codec.ItemDetails;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Header;

/** Dead letters as fields for JSON. The texts are untrusted: escape them before printing. */
public final class DeadLetterFields {
    private static final int MAX_SHOWN_BYTES = 4_096;
    private static final int MAX_PAYLOAD_BYTES = 64 * 1024;
    private static final int MAX_HEADERS = 100;
    private static final JsonMapper JSON = new JsonMapper();

    private DeadLetterFields() {}

    /** Returns the counts by tenant and reason. */
    public static List<Map<String, Object>> of(DeadLetterCounts tally) {
        return tally.rows().stream().map(row -> Map.<String, Object>of(
                "tenant", row.group().tenant(), "reason", row.group().reason(), "count", row.count(),
                "droppedBySweep", row.swept())).toList();
    }

    /** Returns what a list shows of a dead letter. */
    public static Map<String, Object> of(DeadLetter letter) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("deadAt", Inputs.isoOrNull(letter.deadAtMillis()));
        fields.put("tenant", letter.owner());
        fields.put("id", letter.id());
        fields.put("reason", orNull(letter.reason()));
        fields.put("detail", orNull(letter.detail()));
        fields.put("stage", orNull(letter.stage()));
        fields.put("attempts", letter.attempts());
        fields.put("origin", letter.originText());
        fields.put("position", letter.position());
        return fields;
    }

    static Map<String, Object> of(DeadLetterPage.Row row) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("position", row.partition() + "-" + row.offset());
        fields.put("tenant", row.tenant());
        fields.put("workload", orNull(row.workload()));
        fields.put("id", row.id());
        fields.put("reason", orNull(row.reason()));
        fields.put("attempts", row.attempts());
        fields.put("at", Inputs.isoOrNull(row.deadAtMillis()));
        fields.put("bytes", row.bytes());
        fields.put("contentType", orNull(row.contentType()));
        return fields;
    }

    /** Returns all of a dead letter, with its headers and its payload as text or hexadecimal digits; cut. */
    public static Map<String, Object> details(DeadLetter letter) {
        Map<String, Object> all = of(letter);
        byte[] value = letter.record().value();
        byte[] key = letter.record().key();
        Header[] headers = letter.record().headers().toArray();
        all.put("headers", Stream.of(headers).limit(MAX_HEADERS).map(DeadLetterFields::of).toList());
        all.put("headerCount", headers.length);
        all.put("key", key == null ? null : text(key, true));
        all.put("valueBytes", value == null ? null : value.length);
        all.put("timestamp", Inputs.isoOrNull(OptionalLong.of(letter.record().timestamp())));
        letter.item().ifPresent(item -> {
            all.put("enqueuedAt", Inputs.isoOrNull(OptionalLong.of(item.enqueuedAtMillis())));
            all.put("workload", orNull(item.workload()));
            all.put("channel", orNull(item.channel()));
            all.put("contentType", item.contentType());
            all.put("attributes", item.attributes());
        });
        byte[] payload = payload(letter);
        all.put("payloadBytes", payload == null ? null : payload.length);
        all.put("payload", payload == null ? null : text(payload, false));
        return all;
    }

    /**
     * Returns all of a dead letter as {@link #details} does, with a longer payload and its kind.
     *
     * @param withPayload without it, the values of headers, the attributes and the payload are left out, which hold
     *                    what producers have sent
     */
    static Map<String, Object> shown(DeadLetter letter, boolean withPayload) {
        Map<String, Object> all = details(letter);
        if (!withPayload) {
            List.of("headers", "key", "attributes", "detail", "payload").forEach(all::remove);
            return all;
        }
        byte[] payload = payload(letter);
        if (payload != null) {
            byte[] shown = Arrays.copyOf(payload, Math.min(payload.length, MAX_PAYLOAD_BYTES));
            boolean isCut = shown.length < payload.length;
            Optional<String> text = textOf(shown, isCut);
            all.put("kind", text.isEmpty() ? "hex" : !isCut && isJson(payload) ? "json" : "text");
            all.put("payload", text.orElseGet(() -> HexFormat.of().formatHex(shown)));
            all.put("truncated", isCut);
        }
        return all;
    }

    /** Returns the payload, or the value of a record that is not a readable item; may be null, as the value. */
    private static byte[] payload(DeadLetter letter) {
        return letter.item().map(ItemDetails::payload).orElse(letter.record().value());
    }

    private static boolean isJson(byte[] payload) {
        try (JsonParser parser = JSON.createParser(payload)) {
            while (parser.nextToken() != null) {
                // Only read, so that a deep or long document takes no memory.
            }
            return payload.length > 0;
        } catch (JacksonException malformed) {
            return false;
        } catch (IOException e) {
            throw new IllegalStateException("An array cannot be read", e);
        }
    }

    /** Returns UTF-8 without forbidden control characters; of cut bytes, without an incomplete last character. */
    private static Optional<String> textOf(byte[] bytes, boolean isCut) {
        CharBuffer text = CharBuffer.allocate(bytes.length);
        // Only at the end of the input an incomplete character is an error.
        CoderResult result = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes), text, !isCut);
        return result.isError() ? Optional.empty()
                : Optional.of(text.flip().toString()).filter(DeadLetterFields::hasNoControls);
    }

    private static boolean hasNoControls(String text) {
        return text.chars().noneMatch(c -> c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f);
    }

    private static Map<String, Object> of(Header header) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", header.key());
        fields.put("value", header.value() == null ? null : text(header.value(), true));
        return fields;
    }

    private static String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    /** Returns text, or hexadecimal digits if the bytes are not UTF-8 or have forbidden control characters; cut. */
    private static String text(byte[] bytes, boolean withControls) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            if (withControls || hasNoControls(text)) {
                return text.length() > MAX_SHOWN_BYTES ? text.substring(0, MAX_SHOWN_BYTES) + "..." : text;
            }
        } catch (CharacterCodingException binary) {
            // Shown as digits.
        }
        return "0x" + HexFormat.of().formatHex(Arrays.copyOf(bytes, Math.min(bytes.length, MAX_SHOWN_BYTES)))
                + (bytes.length > MAX_SHOWN_BYTES ? "..." : "");
    }
}
