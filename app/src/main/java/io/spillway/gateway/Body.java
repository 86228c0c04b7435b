package io.spillway.gateway;

import io.helidon.http.RequestException;
import io.helidon.http.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongSupplier;

/** Result of reading a request body. */
sealed interface Body {
    /** The complete body. */
    record Whole(byte[] bytes) implements Body {}

    /** A body over the size limit, whose excess is discarded; {@code isRead} if it was read to its end. */
    record TooLarge(boolean isRead) implements Body {}

    /** A body that did not arrive completely within the time limit. */
    record TooSlow() implements Body {}

    /** A broken connection or a body that violates HTTP. */
    record Broken() implements Body {}

    /** Reader of bodies with a limit in size, and in time for a whole body. Thread-safe. */
    record Reader(SlowReads slowReads, LongSupplier nanoTime, long limitNanos) {
        private static final int BUFFER_BYTES = 16 * 1024;

        /**
         * Reads a body to its end, because a client may only read the response after it has sent the whole body.
         *
         * @param keepBytes     maximum number of bytes kept
         * @param expectedBytes likely size, used for the first buffer
         */
        Body read(InputStream in, int keepBytes, long expectedBytes) {
            long startNanos = nanoTime.getAsLong();
            ByteArrayOutputStream kept =
                    new ByteArrayOutputStream((int) Math.min(keepBytes, Math.max(32, expectedBytes)));
            byte[] buffer = new byte[Math.clamp(expectedBytes + 1, 64, BUFFER_BYTES)];
            boolean tooLarge = false;
            slowReads.begin();
            try {
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    tooLarge = tooLarge || kept.size() + n > keepBytes;
                    if (!tooLarge) {
                        kept.write(buffer, 0, n);
                    }
                    if (nanoTime.getAsLong() - startNanos > limitNanos) {
                        return new TooSlow();
                    }
                }
            } catch (RequestException e) {
                return e.status().code() == Status.REQUEST_ENTITY_TOO_LARGE_413.code()
                        ? new TooLarge(false)
                        : new Broken();
            } catch (IOException | RuntimeException e) {
                // The server throws unrelated exceptions for the different ways in which a client can disconnect.
                return new Broken();
            } finally {
                slowReads.end();
            }
            return tooLarge ? new TooLarge(true) : new Whole(kept.toByteArray());
        }
    }
}
