package io.spillway.cli.deadletters;

import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.item.Printable;
import io.spillway.deadletter.DeadLetter;
import io.spillway.deadletter.DeadLetterCounts;
import io.spillway.kafka.codec.ItemDetails;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Header;

/** Printable form of dead letters, with control characters escaped. */
final class DeadLetterPrinter {
    private static final int MAX_SHOWN_BYTES = 4_096;
    private static final int MAX_HEADERS = 100;
    private static final int MAX_DETAIL = 60;
    private static final String UNKNOWN = "-";
    static final List<String> COLUMNS =
            List.of("dead at", "tenant", "id", "reason", "stage", "attempts", "origin", "position", "detail");

    private DeadLetterPrinter() {}

    static List<?> row(DeadLetter letter) {
        String detail = Printable.onOneLine(letter.detail());
        return List.of(
                time(letter.deadAtMillis()), letter.owner(), Printable.of(letter.id()),
                letter.reason().isEmpty() ? UNKNOWN : letter.reason(),
                letter.stage().isEmpty() ? UNKNOWN : Printable.of(letter.stage()),
                letter.attempts(), letter.originText(), letter.position(),
                detail.length() > MAX_DETAIL ? detail.substring(0, MAX_DETAIL - 3) + "..." : detail);
    }

    static Map<String, Object> fields(DeadLetter letter) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("deadAt", OptionValues.isoOf(letter.deadAtMillis()));
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

    static Map<String, Object> details(DeadLetter letter) {
        Map<String, Object> all = fields(letter);
        byte[] value = letter.record().value();
        byte[] key = letter.record().key();
        Header[] headers = letter.record().headers().toArray();
        all.put("headers", Stream.of(headers).limit(MAX_HEADERS).map(DeadLetterPrinter::fields).toList());
        all.put("headerCount", headers.length);
        all.put("key", key == null ? null : text(key, true));
        all.put("valueBytes", value == null ? null : value.length);
        all.put("timestamp", OptionValues.isoOf(OptionalLong.of(letter.record().timestamp())));
        letter.item().ifPresent(item -> {
            all.put("enqueuedAt", OptionValues.isoOf(OptionalLong.of(item.enqueuedAtMillis())));
            all.put("workload", orNull(item.workload()));
            all.put("channel", orNull(item.channel()));
            all.put("contentType", item.contentType());
            all.put("attributes", item.attributes());
        });
        byte[] payload = letter.item().map(ItemDetails::payload).orElse(value);
        all.put("payloadBytes", payload == null ? null : payload.length);
        all.put("payload", payload == null ? null : text(payload, false));
        return all;
    }

    private static Map<String, Object> fields(Header header) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", header.key());
        fields.put("value", header.value() == null ? null : text(header.value(), true));
        return fields;
    }

    private static String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    /** Returns a row with name and value for each detail, and for each header. */
    static List<List<String>> rows(Map<String, Object> details) {
        List<List<String>> rows = new ArrayList<>();
        details.forEach((name, value) -> {
            if (value instanceof List<?> headers) {
                headers.forEach(header -> rows.add(List.of("header", Printable.inFull(
                        ((Map<?, ?>) header).get("name") + ": " + ((Map<?, ?>) header).get("value")))));
            } else {
                rows.add(List.of(name, value == null ? UNKNOWN : Printable.inFull(value.toString())));
            }
        });
        return rows;
    }

    static void counts(Printer printer, DeadLetterCounts tally) {
        printer.table(List.of("tenant", "reason", "count"),
                tally.rows().stream().map(row -> List.of(row.group().tenant(), row.group().reason(), row.count())));
    }

    static List<?> fields(DeadLetterCounts tally) {
        return tally.rows().stream().map(row -> Map.of(
                "tenant", row.group().tenant(), "reason", row.group().reason(), "count", row.count(),
                "droppedBySweep", row.swept(), "droppedByTtl", row.expired())).toList();
    }

    private static String time(OptionalLong millis) {
        return millis.isPresent() ? OptionValues.isoOf(millis) : UNKNOWN;
    }

    /** Returns text, or hexadecimal digits if the bytes are not UTF-8 or have forbidden control characters; cut. */
    private static String text(byte[] bytes, boolean withControls) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            boolean isText = withControls
                    || text.chars().noneMatch(c -> c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f);
            if (isText) {
                return text.length() > MAX_SHOWN_BYTES ? text.substring(0, MAX_SHOWN_BYTES) + "..." : text;
            }
        } catch (CharacterCodingException binary) {
            // Shown as digits.
        }
        return "0x" + HexFormat.of().formatHex(Arrays.copyOf(bytes, Math.min(bytes.length, MAX_SHOWN_BYTES)))
                + (bytes.length > MAX_SHOWN_BYTES ? "..." : "");
    }
}
