package io.spillway.gateway;

import io.helidon.http.RequestException;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** Result of reading a request body. */
sealed interface Body {
    /** The complete body, decompressed. */
    record Whole(byte[] bytes) implements Body {}

    /** A body that cannot be used, with the answer. */
    record Refused(GatewayResponse answer) implements Body {}

    /** Reader of bodies with a limit in size, and in time for a whole body. Thread-safe. */
    record Reader(SlowReads slowReads, LongSupplier nanoTime, long limitNanos) {
        private static final int BUFFER_BYTES = 16 * 1024;

        /**
         * Reads a body to its end, because a client may only read the response after it has sent the whole body.
         *
         * @param keepBytes maximum size, also of a decompressed body
         */
        Body read(ServerRequest request, int keepBytes) {
            if (!request.content().hasEntity()) {
                return new Whole(new byte[0]);
            }
            long expectedBytes = Requests.length(request).orElse(0);
            // Not the announced size, which may never arrive.
            ByteArrayOutputStream kept = new ByteArrayOutputStream(Math.clamp(expectedBytes, 32, BUFFER_BYTES));
            InputStream raw = request.content().inputStream();
            long startNanos = nanoTime.getAsLong();
            slowReads.begin(limitNanos);
            try {
                Optional<Problem> refused = Requests.unknownEncoding(request);
                boolean isGzip = Requests.isGzip(request);
                InputStream in = isGzip ? new GZIPInputStream(new WholeInput(raw)) : raw;
                byte[] buffer = new byte[Math.clamp(expectedBytes + 1, 64, BUFFER_BYTES)];
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    if (refused.isEmpty() && kept.size() + n > keepBytes) {
                        refused = Optional.of(tooLarge(keepBytes));
                        // A small body can be decompressed to gigabytes.
                        in = raw;
                    } else if (refused.isEmpty()) {
                        HttpInput.count(isGzip ? n : 0);
                        kept.write(buffer, 0, n);
                    }
                    if (nanoTime.getAsLong() - startNanos > limitNanos) {
                        return refused(Problem.Kind.TOO_SLOW,
                                "The body did not arrive within " + limitNanos / 1_000_000 + " ms.");
                    }
                }
                return refused.<Body>map(problem -> new Refused(GatewayResponse.of(problem)))
                        .orElseGet(() -> new Whole(kept.toByteArray()));
            } catch (RequestException e) {
                return e.status().code() == Status.REQUEST_ENTITY_TOO_LARGE_413.code()
                        ? new Refused(GatewayResponse.of(tooLarge(keepBytes)).closing())
                        : incomplete();
            } catch (ZipException e) {
                return refused(Problem.Kind.BAD_REQUEST, "The body is not valid gzip, its Content-Encoding.");
            } catch (IOException | RuntimeException e) {
                // The server throws unrelated exceptions for the different ways in which a client can disconnect.
                return incomplete();
            } finally {
                slowReads.end();
            }
        }

        /**
         * Reads the rest of a body and discards it.
         *
         * @param maxNanos maximum time, after which the connection ends
         * @return whether it was read to its end
         */
        boolean discard(ServerRequest request, long maxBytes, long maxNanos) {
            slowReads.begin(maxNanos);
            try {
                InputStream in = request.content().inputStream();
                byte[] buffer = new byte[BUFFER_BYTES];
                long total = 0;
                int n = 0;
                while (n >= 0 && total <= maxBytes) {
                    total += n;
                    n = in.read(buffer);
                }
                return n < 0;
            } catch (IOException | RuntimeException e) {
                return false;
            } finally {
                slowReads.end();
            }
        }

        static Problem tooLarge(int maxBytes) {
            return Problem.of(Problem.Kind.TOO_LARGE, "The body must be at most " + maxBytes + " bytes.");
        }

        private static Refused incomplete() {
            return refused(Problem.Kind.BAD_REQUEST, "The body ended before it was complete.");
        }

        private static Refused refused(Problem.Kind kind, String detail) {
            return new Refused(GatewayResponse.of(kind, detail).closing());
        }
    }

    /** Input that is read to its end: a gzip stream otherwise ends where the next of its members may follow. */
    final class WholeInput extends FilterInputStream {
        WholeInput(InputStream in) {
            super(in);
        }

        @Override
        public int available() {
            return 1;
        }
    }
}
