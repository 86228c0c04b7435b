package io.spillway.gateway;

import io.helidon.http.RequestException;
import io.helidon.http.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** What reading the body of a request came to. */
sealed interface Body {
    /** All of it. */
    record Whole(byte[] bytes) implements Body {}

    /** More than is taken; what comes after that was not kept, or not even read. */
    record TooLarge(boolean isRead) implements Body {}

    /** Not all of it within the time. */
    record TooSlow() implements Body {}

    /** The connection broke, or what came is no body by the rules of HTTP. */
    record Broken() implements Body {}

    /** Reads bodies. Thread-safe. */
    final class Reader {
        private static final int PIECE_BYTES = 16 * 1024;

        private final SlowReads slowReads;
        private final LongSupplier nanoTime;
        private final long limitNanos;

        /**
         * Makes a reader.
         *
         * @param limitMillis for a whole body
         */
        Reader(SlowReads slowReads, LongSupplier nanoTime, long limitMillis) {
            this.slowReads = slowReads;
            this.nanoTime = nanoTime;
            this.limitNanos = TimeUnit.MILLISECONDS.toNanos(limitMillis);
        }

        /**
         * Reads a body to its end, so that the caller has sent all of it and listens for the answer.
         *
         * @param keepBytes at most so many are kept
         * @param expected  bytes that are likely, for the first buffer
         */
        Body read(InputStream in, int keepBytes, long expected) {
            long startNanos = nanoTime.getAsLong();
            ByteArrayOutputStream kept = new ByteArrayOutputStream((int) Math.min(keepBytes, Math.max(32, expected)));
            byte[] piece = new byte[Math.clamp(expected + 1, 64, PIECE_BYTES)];
            boolean tooLarge = false;
            slowReads.begin();
            try {
                for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                    tooLarge = tooLarge || kept.size() + n > keepBytes;
                    if (!tooLarge) {
                        kept.write(piece, 0, n);
                    }
                    if (nanoTime.getAsLong() - startNanos > limitNanos) {
                        return new TooSlow();
                    }
                }
            } catch (RequestException e) {
                return e.status().code() == Status.REQUEST_ENTITY_TOO_LARGE_413.code() ? new TooLarge(false) : new Broken();
            } catch (IOException | RuntimeException e) {
                // The server has an exception for each way in which a caller can break off, and none in common.
                return new Broken();
            } finally {
                slowReads.end();
            }
            return tooLarge ? new TooLarge(true) : new Whole(kept.toByteArray());
        }
    }
}
