package io.spillway.gateway;

import java.util.UUID;

/** Generator of item ids: UUIDs of version 7 (RFC 9562), which sort by time. Thread-safe. */
record ItemIds(Gateway.Sources sources) {
    private static final long VERSION = 0x7000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    String next() {
        long high = sources.clock().millis() << 16 | VERSION | sources.randomBits().getAsLong() & 0xFFF;
        long low = VARIANT | sources.randomBits().getAsLong() >>> 2;
        return new UUID(high, low).toString();
    }
}
