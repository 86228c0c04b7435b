package io.spillway.kafka.codec;

import io.spillway.core.item.DeadReason;
import io.spillway.schema.WorkItem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** Test items, encoded by Avro's own encoder. */
public final class Items {
    static final long ENQUEUED_AT = 1_795_000_000_123L;
    static final long TIMESTAMP = 1_796_000_000_456L;
    static final int MAX_BYTES = 4_096;

    private static final String NAME_CHARACTERS = "ABCXYZabcxyz0189._-";

    private Items() {}

    static WorkItem item() {
        return item("acme", "order-1", ENQUEUED_AT, "mail");
    }

    static WorkItem item(String tenant, String id, long enqueuedAt, String workload) {
        return WorkItem.newBuilder()
                .setTenant(tenant)
                .setId(id)
                .setEnqueuedAt(Instant.ofEpochMilli(enqueuedAt))
                .setWorkload(workload)
                .setChannel("web")
                .setContentType("text/plain")
                .setAttributes(new LinkedHashMap<>(Map.of("colour", "blue", "größe", "")))
                .setPayload(ByteBuffer.wrap("the work".getBytes(StandardCharsets.UTF_8)))
                .build();
    }

    static byte[] encode(WorkItem item) {
        try {
            ByteBuffer buffer = WorkItem.getEncoder().encode(item);
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a valid item with random lengths up to the limits and random attributes. */
    static WorkItem random(SplittableRandom random) {
        Map<String, String> attributes = new LinkedHashMap<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            attributes.put(text(random), text(random));
        }
        byte[] payload = new byte[random.nextInt(300)];
        random.nextBytes(payload);
        return WorkItem.newBuilder()
                .setTenant(name(random, 1))
                .setId(id(random))
                .setEnqueuedAt(Instant.ofEpochMilli(random.nextLong() >> random.nextInt(64)))
                .setWorkload(name(random, 0))
                .setChannel(random.nextBoolean() ? null : text(random))
                .setContentType(text(random))
                .setAttributes(attributes)
                .setPayload(ByteBuffer.wrap(payload))
                .build();
    }

    private static String name(SplittableRandom random, int shortest) {
        StringBuilder name = new StringBuilder();
        for (int length = random.nextInt(shortest, 129); length > 0; length--) {
            name.append(NAME_CHARACTERS.charAt(random.nextInt(NAME_CHARACTERS.length())));
        }
        return name.toString();
    }

    private static String id(SplittableRandom random) {
        StringBuilder id = new StringBuilder();
        for (int length = random.nextInt(1, 257); length > 0; length--) {
            id.append((char) random.nextInt(' ', '~' + 1));
        }
        return id.toString();
    }

    private static String text(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(12); length > 0; length--) {
            text.appendCodePoint(random.nextBoolean() ? random.nextInt(' ', '~') : random.nextInt(0xa0, 0xd800));
        }
        return text.toString();
    }

    static ItemReader reader() {
        return new ItemReader(ItemSchemas.load(), MAX_BYTES);
    }

    static ParsedRecord read(byte[] value, String... headers) {
        return reader().read(null, value, headers(headers), TIMESTAMP);
    }

    static DeadReason reasonOf(byte[] value, String... headers) {
        return switch (read(value, headers)) {
            case ParsedRecord.Unreadable unreadable -> unreadable.reason();
            case ParsedRecord.Item item -> throw new AssertionError("is an item: " + item);
        };
    }

    /** Creates headers from alternating names and values; a value may be null. */
    static Headers headers(String... namesAndValues) {
        Headers headers = new RecordHeaders();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            String value = namesAndValues[i + 1];
            headers.add(namesAndValues[i], value == null ? null : value.getBytes(StandardCharsets.UTF_8));
        }
        return headers;
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
