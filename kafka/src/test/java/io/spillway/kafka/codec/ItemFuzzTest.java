package io.spillway.kafka.codec;

import io.spillway.Fuzz;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.ItemState;
import io.spillway.core.routing.Route;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

/** Items with headers of any bytes, through all that the router and a worker do with them. See {@link Fuzz}. */
class ItemFuzzTest {
    private static final List<String> NAMES = List.of(
            ItemHeaders.TENANT, ItemHeaders.ID, ItemHeaders.ENQUEUED_AT, ItemHeaders.WORKLOAD, ItemHeaders.PRIORITY,
            ItemHeaders.DELIVER_AT, ItemHeaders.ATTEMPT, ItemHeaders.ORIGIN, ItemHeaders.ORIGIN_TOPIC,
            ItemHeaders.ORIGIN_PARTITION, ItemHeaders.ORIGIN_OFFSET, ItemHeaders.LAST_FAILURE, "content-type",
            "traceparent", "spillway-other", "");
    private static final String[] TEXTS = {
        "acme", "order-1", "1795000000123", "9", "9223372036854775807", "-9223372036854775808", "spillway.ingress-3-12",
        "text/plain", "done", "dropped ttl"
    };

    private static final ItemReader READER = new ItemReader(ItemSchemas.load(), 100_000);
    private static final ItemDecoder DECODER = new ItemDecoder();

    private final TrailCodec trails = new TrailCodec();
    private final LedgerOwner owners = new LedgerOwner();

    @Test
    void a_value_is_refused_or_is_an_item_that_a_worker_decodes() {
        Fuzz.of("items", ItemFuzzTest::item).afterPrefix(SingleObject.PREFIX_BYTES)
                .check(value -> isItem(value, new RecordHeaders()));
    }

    @Test
    void a_value_with_headers_is_refused_or_is_an_item_that_a_worker_decodes() {
        Fuzz.of("items with headers", ItemFuzzTest::itemWithHeaders).withTexts(TEXTS).check(this::isItemWithHeaders);
    }

    private boolean isItem(byte[] value, Headers headers) {
        String origin = "spillway.ingress-0-1";
        ParsedRecord read = READER.read(null, value, headers, Items.TIMESTAMP);
        String owner = owners.of(null, value, headers);
        Origin.of(headers).ifPresent(each -> Fuzz.require(
                Origin.of(new RecordHeaders(new Header[] {
                    new RecordHeader(ItemHeaders.ORIGIN, each.bytes())})).equals(Optional.of(each)), "origin", each));
        int priority = ItemHeaders.priority(headers);
        Fuzz.require(priority >= 0 && priority <= ItemLimits.MAX_PRIORITY, "priority", priority);
        TrailCodec.End.of(value).ifPresent(end -> Fuzz.require(
                end.state() == ItemState.DONE || end.state() == ItemState.DROPPED, "end", end));
        Headers trail = trails.headers(read, value, headers, origin, 3);
        ParsedRecord trailed = READER.read(null, new byte[0], trail, Items.TIMESTAMP);
        switch (read) {
            case ParsedRecord.Item item -> {
                Fuzz.require(ItemLimits.isName(item.tenant())
                        && item.deliverAtMillis() >= ParsedRecord.Item.NO_TIME, "item", item);
                Fuzz.require(owner.equals(item.tenant()), "owner", owner, item);
                ItemDetails details = DECODER.decode(item, value, headers, origin);
                Fuzz.require(details.tenant().equals(item.tenant()) && details.workload().equals(item.workload())
                        && details.enqueuedAtMillis() == item.enqueuedAtMillis(), "details", details, item);
                String id = DECODER.id(item, value, headers, origin);
                Fuzz.require(id.equals(details.id()), "ids", id, details.id());
                byte[] idBytes = id.getBytes(StandardCharsets.UTF_8);
                Fuzz.require(ItemLimits.isId(idBytes, 0, idBytes.length), "id", id);
                Fuzz.require(trailed instanceof ParsedRecord.Item t && t.tenant().equals(item.tenant())
                        && t.workload().equals(item.workload()) && t.enqueuedAtMillis() == item.enqueuedAtMillis(),
                        "trail", item, trailed);
                return true;
            }
            case ParsedRecord.Unreadable bad -> {
                Route.DeadLetter route = new Route.DeadLetter(bad.reason(), bad.detail());
                Fuzz.require(route.detail().matches("[ -~]{1,200}"), "detail", route.detail());
                Headers dead = new RecordHeaders(headers.toArray());
                ItemHeaders.addDeadLetter(dead, route, "router", 1, "topic", 0, 1);
                ItemHeaders.addDeadLetter(dead, new Route.DeadLetter(DeadReason.RETRY_TIME_OVER, "x"), "router", 1,
                        "topic", 0, 1);
                DECODER.id(bad, value, headers).ifPresent(id -> {
                    byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
                    Fuzz.require(ItemLimits.isId(bytes, 0, bytes.length), "id of a refused item", id);
                });
                return false;
            }
        }
    }

    /** Reads headers, each with a number for its name and a length, until a zero; the rest is the value. */
    private boolean isItemWithHeaders(byte[] input) {
        Headers headers = new RecordHeaders();
        int at = 0;
        while (at < input.length && input[at] != 0) {
            String name = NAMES.get((input[at] & 0x7f) % NAMES.size());
            int length = at + 1 < input.length ? input[at + 1] & 0xff : 0;
            int end = Math.min(input.length, at + 2 + length);
            headers.add(name, length == 255 ? null : Arrays.copyOfRange(input, Math.min(at + 2, end), end));
            at = length == 255 ? Math.min(input.length, at + 2) : end;
        }
        byte[] value = at < input.length ? Arrays.copyOfRange(input, at + 1, input.length) : null;
        return isItem(value, headers);
    }

    private static byte[] item(SplittableRandom random) {
        WorkItem item = Items.random(random);
        byte[] bytes = Items.encode(item);
        if (!(READER.read(null, bytes, new RecordHeaders(), 1) instanceof ParsedRecord.Item read)) {
            throw new AssertionError("refused: " + item);
        }
        ItemDetails details = DECODER.decode(read, bytes, new RecordHeaders(), "");
        Map<String, String> attributes = new HashMap<>(item.getAttributes());
        Fuzz.require(details.tenant().equals(item.getTenant()) && details.id().equals(item.getId())
                && details.enqueuedAtMillis() == item.getEnqueuedAt().toEpochMilli()
                && details.workload().equals(item.getWorkload())
                && details.channel().equals(item.getChannel() == null ? "" : item.getChannel())
                && details.contentType().equals(item.getContentType()) && details.attributes().equals(attributes)
                && ByteBuffer.wrap(details.payload()).equals(item.getPayload()), "decoded to another item", item);
        return bytes;
    }

    private static byte[] itemWithHeaders(SplittableRandom random) {
        List<byte[]> parts = new ArrayList<>();
        for (int count = random.nextInt(5); count > 0; count--) {
            int name = random.nextInt(NAMES.size());
            byte[] value = TEXTS[random.nextInt(TEXTS.length)].getBytes(StandardCharsets.UTF_8);
            parts.add(new byte[] {(byte) (name == 0 ? NAMES.size() : name), (byte) value.length});
            parts.add(value);
        }
        parts.add(new byte[] {0});
        parts.add(random.nextBoolean() ? Items.encode(Items.random(random)) : new byte[random.nextInt(9)]);
        ByteBuffer all = ByteBuffer.allocate(parts.stream().mapToInt(part -> part.length).sum());
        parts.forEach(all::put);
        return all.array();
    }
}
