package io.spillway.gateway;

import java.time.InstantSource;
import java.util.UUID;
import java.util.function.LongSupplier;

/** Generator of item ids: UUIDs of version 7 (RFC 9562), which sort by time. Thread-safe. */
final class ItemIds {
    private static final long VERSION = 0x7000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    private final InstantSource clock;
    private final LongSupplier random;

    /** @param random returns 64 random bits; thread-safe */
    ItemIds(InstantSource clock, LongSupplier random) {
        this.clock = clock;
        this.random = random;
    }

    String next() {
        long high = clock.millis() << 16 | VERSION | random.getAsLong() & 0xFFF;
        long low = VARIANT | random.getAsLong() >>> 2;
        return new UUID(high, low).toString();
    }
}
