package io.spillway.router;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** Random records of a producer: valid, damaged and nonsense. */
final class Generated {
    private static final String[] TENANTS = {"acme", "old", "quiet", "a b", "", "x".repeat(128), "x".repeat(129)};
    private static final String[] HEADERS = {
        "spillway-tenant", "spillway-id", "spillway-enqueued-at", "spillway-workload", "spillway-attempt",
        "spillway-origin", "traceparent", "spillway-dead-reason", "other"
    };
    private static final String[] TEXTS =
            {"acme", "1", "-1", "1763712000000", "99999999999999999999", "", "é\n", "w.w"};

    private Generated() {}

    static byte[] value(Random random) {
        long madeAt = RouterHarness.START_MILLIS - (long) (random.nextGaussian() * 3_600_000);
        byte[] item = RouterHarness.item(
                TENANTS[random.nextInt(TENANTS.length)], "i".repeat(random.nextInt(260)), madeAt,
                random.nextBoolean() ? "" : "w");
        return switch (random.nextInt(6)) {
            case 0 -> null;
            case 1 -> bytes(random, random.nextInt(300));
            case 2 -> Arrays.copyOf(item, random.nextInt(item.length + 4));
            case 3 -> damaged(item, random);
            default -> item;
        };
    }

    static Headers headers(Random random) {
        RecordHeaders headers = new RecordHeaders();
        for (int i = random.nextInt(4); i > 0; i--) {
            String name = HEADERS[random.nextInt(HEADERS.length)];
            byte[] value = random.nextInt(10) == 0
                    ? null
                    : TEXTS[random.nextInt(TEXTS.length)].getBytes(StandardCharsets.UTF_8);
            headers.add(name, value);
        }
        return headers;
    }

    private static byte[] damaged(byte[] item, Random random) {
        byte[] damaged = item.clone();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
        }
        return damaged;
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
