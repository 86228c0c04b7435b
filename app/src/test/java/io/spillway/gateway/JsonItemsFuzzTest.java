package io.spillway.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.spillway.Fuzz;
import io.spillway.core.item.ItemLimits;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemDetails;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

/** Items in JSON and the headers of a trace, of any bytes. See {@link Fuzz}. */
class JsonItemsFuzzTest {
    private static final String[] VALUES = {
        "\"acme\"", "\"order-1\"", "null", "1795000000123", "\"2026-11-21T08:00:00Z\"", "[1,{\"a\":[]}]",
        "{\"a\":\"b\"}",
        "1e999", "-0.0", "9223372036854775807", "92233720368547758070", "\"+999999999-12-31T23:59:59.999999999Z\"",
        "\"-999999999-01-01T00:00:00+18:00\"", "\"\\ud800\"", "\"\\ud83d\\ude00\"", "\"caf\u00e9\"", "true", "9",
        "\"\"",
        "1".repeat(1_100), "[".repeat(1_200), "\"\\u0000\""
    };
    private static final List<String> KEYS = List.of(
            "tenant", "id", "enqueuedAt", "workload", "channel", "contentType", "attributes", "payload", "priority",
            "deliverAt", "orderKey", "dedupe", "other");
    private static final String[] TRACES = {
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "ff-", "-x", "a=b,c=d", ","
    };

    private final JsonItems items = new JsonItems("acme", "", () -> Instant.ofEpochMilli(1), () -> "id");
    private final RecordCodec<WorkItem> codec = new RecordCodec<>(new WorkItem());
    private final ItemReader reader = new ItemReader(ItemSchemas.load(), 1_000_000);
    private final ItemDecoder decoder = new ItemDecoder();

    @Test
    void a_line_is_refused_in_one_line_or_is_stored_as_the_item_that_it_says() {
        Fuzz.of("items in JSON", JsonItemsFuzzTest::line).withTexts(VALUES).check(this::isItem);
    }

    @Test
    void a_trace_is_continued_as_it_is_or_a_new_one_begins() {
        Fuzz.of("traces", random -> TRACES[random.nextInt(20) > 0 ? 0 : random.nextInt(5)]
                        .getBytes(StandardCharsets.ISO_8859_1))
                .withTexts(TRACES).check(this::isTrace);
    }

    private boolean isItem(byte[] bytes) {
        String line;
        try {
            line = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException notText) {
            line = new String(bytes, StandardCharsets.ISO_8859_1);
        }
        WrittenItem parsed;
        try {
            parsed = items.read(line);
        } catch (JsonProcessingException e) {
            Fuzz.require(JsonItems.problemOf(e).matches("not JSON[ -~]*"), "problem", JsonItems.problemOf(e));
            return false;
        } catch (IllegalArgumentException refused) {
            Fuzz.require(!refused.getMessage().isEmpty(), "message");
            return false;
        }
        WorkItem item = parsed.item();
        byte[] value = codec.encode(item);
        Headers headers = new RecordHeaders();
        parsed.addHeaders(headers);
        if (!(reader.read(null, value, headers, 7) instanceof ParsedRecord.Item read)) {
            throw new AssertionError("accepted, but the router refuses it: " + item);
        }
        Fuzz.require(read.tenant().equals(item.getTenant()) && read.workload().equals(item.getWorkload())
                && read.deliverAtMillis() == parsed.deliverAtMillis()
                && read.enqueuedAtMillis() == item.getEnqueuedAt().toEpochMilli(), "read", read, item);
        Fuzz.require(parsed.priority() >= 0 && parsed.priority() <= ItemLimits.MAX_PRIORITY, "priority", parsed);
        ItemDetails details = decoder.decode(read, value, headers, "");
        Fuzz.require(details.id().equals(item.getId()) && details.attributes().equals(item.getAttributes()), "decoded",
                details, item);
        Fuzz.require(isPartOf(line, details.payload()), "payload", line, details);
        return true;
    }

    /** Returns whether a payload is in the line as it is written; one with escapes is not compared. */
    private static boolean isPartOf(String line, byte[] payload) {
        return line.contains("\\") || StandardCharsets.UTF_8.encode(CharBuffer.wrap(line)).remaining() < payload.length
                || line.contains(new String(payload, StandardCharsets.UTF_8));
    }

    private static byte[] line(SplittableRandom random) {
        StringBuilder line = new StringBuilder("{\"payload\":").append(VALUES[random.nextInt(7)]);
        for (int i = random.nextInt(5); i > 0; i--) {
            int key = random.nextInt(KEYS.size());
            line.append(",\"").append(KEYS.get(key)).append("\":").append(switch (KEYS.get(key)) {
                case "attributes" -> "{\"colour\":\"blue\",\"n\":1}";
                case "priority" -> random.nextInt(10);
                case "dedupe" -> random.nextBoolean();
                case "enqueuedAt", "deliverAt" -> VALUES[random.nextInt(9) > 0 ? 3 : 4 + random.nextInt(9)];
                default -> VALUES[random.nextInt(random.nextInt(9) > 0 ? 2 : VALUES.length)];
            });
        }
        return line.append('}').toString().getBytes(StandardCharsets.UTF_8);
    }

    private boolean isTrace(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        TraceContext trace = TraceContext.of(List.of(text), List.of(text), () -> 0);
        Headers headers = new RecordHeaders();
        trace.addTo(headers);
        Fuzz.require(TraceContext.of(List.of(trace.traceparent()), List.of(), () -> 1).isCallers(), "own", trace);
        Fuzz.require(!trace.isCallers() || trace.traceparent().equals(text), "caller's", trace);
        headers.forEach(each -> Fuzz.require(
                new String(each.value(), StandardCharsets.ISO_8859_1).matches("[ -~]{1,600}"), "header", trace));
        return trace.isCallers();
    }
}
