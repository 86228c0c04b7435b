package io.spillway.bench.gateway;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Callers of an HTTP server in a process of their own, as cheap as can be: one request written as bytes over and over
 * on
 * each of some connections that stay open. With a rate, latency counts from when a request was due, so that a server
 * that
 * stalls is not spared the requests that would have come meanwhile.
 */
public final class HttpLoad {
    private static final int LENGTH_AT = "content-length:".length();

    private HttpLoad() {}

    /**
     * What the callers saw.
     *
     * @param accepted  answers 202
     * @param refused   all other answers
     * @param seconds   of measuring
     * @param p50Micros of the latency of all answers
     * @param p99Micros likewise
     */
    record Result(long accepted, long refused, double seconds, long p50Micros, long p99Micros) {
        double perSecond() {
            return accepted / seconds;
        }
    }

    /** A running load: a child process, to be waited for. */
    record Running(Process process) {
        /** Waits for its end and reads what it saw. */
        Result await() {
            try {
                String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
                if (process.waitFor() != 0) {
                    throw new IllegalStateException("the load ended with " + process.exitValue());
                }
                String[] f = said.split(" ");
                return new Result(Long.parseLong(f[0]), Long.parseLong(f[1]), Double.parseDouble(f[2]),
                        Long.parseLong(f[3]), Long.parseLong(f[4]));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * Starts callers in a JVM of their own.
     *
     * @param perSecond over all connections; 0 for as fast as answers come
     * @param warmup    seconds before those that count
     */
    static Running start(int port, String key, int connections, int perSecond, int warmup, int seconds, int bytes) {
        try {
            return new Running(new ProcessBuilder(
                    ProcessHandle.current().info().command().orElse("java"), "-Xmx256m", "-cp",
                    System.getProperty("java.class.path"), HttpLoad.class.getName(), Integer.toString(port), key,
                    Integer.toString(connections), Integer.toString(perSecond), Integer.toString(warmup),
                    Integer.toString(seconds), Integer.toString(bytes))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The child. */
    public static void main(String[] args) throws Exception {
        int connections = Integer.parseInt(args[2]);
        int perSecond = Integer.parseInt(args[3]);
        long startNanos = System.nanoTime();
        long countFromNanos = startNanos + TimeUnit.SECONDS.toNanos(Integer.parseInt(args[4]));
        long endNanos = countFromNanos + TimeUnit.SECONDS.toNanos(Integer.parseInt(args[5]));
        byte[] request = ("POST /v1/items HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + args[1]
                + "\r\nContent-Type: text/plain\r\nContent-Length: " + args[6] + "\r\n\r\n"
                + "x".repeat(Integer.parseInt(args[6]))).getBytes(StandardCharsets.US_ASCII);
        long everyNanos = perSecond == 0 ? 0 : TimeUnit.SECONDS.toNanos(connections) / perSecond;
        List<Future<Caller>> callers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < connections; i++) {
                long firstNanos = startNanos + everyNanos * i / connections;
                callers.add(threads.submit(() -> new Caller(request, countFromNanos, endNanos)
                        .run(Integer.parseInt(args[0]), firstNanos, everyNanos)));
            }
        }
        print(callers, (endNanos - countFromNanos) / 1e9);
    }

    private static void print(List<Future<Caller>> callers, double seconds)
            throws InterruptedException, ExecutionException {
        long accepted = 0;
        long refused = 0;
        int count = 0;
        for (Future<Caller> caller : callers) {
            accepted += caller.get().accepted;
            refused += caller.get().refused;
            count += caller.get().count;
        }
        long[] all = new long[count];
        int at = 0;
        for (Future<Caller> caller : callers) {
            System.arraycopy(caller.get().nanos, 0, all, at, caller.get().count);
            at += caller.get().count;
        }
        Arrays.sort(all);
        System.out.println(
                accepted + " " + refused + " " + seconds + " " + percentile(all, 0.5) + " " + percentile(all, 0.99));
    }

    private static long percentile(long[] sorted, double share) {
        return sorted.length == 0
                ? 0
                : sorted[(int) Math.min(sorted.length - 1L, (long) (sorted.length * share))] / 1_000;
    }

    /** One connection. Owned by its thread. */
    private static final class Caller {
        private final byte[] request;
        private final long countFromNanos;
        private final long endNanos;
        private long[] nanos = new long[1_024];
        private int count;
        private long accepted;
        private long refused;

        Caller(byte[] request, long countFromNanos, long endNanos) {
            this.request = request;
            this.countFromNanos = countFromNanos;
            this.endNanos = endNanos;
        }

        Caller run(int port, long firstNanos, long everyNanos) throws IOException {
            try (Socket socket = new Socket("127.0.0.1", port)) {
                socket.setTcpNoDelay(true);
                OutputStream out = socket.getOutputStream();
                InputStream in = new BufferedInputStream(socket.getInputStream(), 8_192);
                long dueNanos = firstNanos;
                for (long now = System.nanoTime(); now < endNanos; now = System.nanoTime()) {
                    for (long wait = dueNanos - now; everyNanos > 0 && wait > 0; wait = dueNanos - System.nanoTime()) {
                        LockSupport.parkNanos(wait);
                    }
                    long fromNanos = everyNanos > 0 ? dueNanos : now;
                    out.write(request);
                    int status = answer(in);
                    note(fromNanos, System.nanoTime(), status);
                    dueNanos += everyNanos;
                }
            }
            return this;
        }

        private void note(long fromNanos, long toNanos, int status) {
            if (toNanos < countFromNanos || toNanos > endNanos) {
                return;
            }
            if (status == 202) {
                accepted++;
            } else {
                refused++;
            }
            nanos = count == nanos.length ? Arrays.copyOf(nanos, 2 * count) : nanos;
            nanos[count++] = toNanos - fromNanos;
        }

        private static int answer(InputStream in) throws IOException {
            int status = Integer.parseInt(line(in).substring(9, 12));
            int length = 0;
            for (String field = line(in); !field.isEmpty(); field = line(in)) {
                if (field.regionMatches(true, 0, "content-length:", 0, LENGTH_AT)) {
                    length = Integer.parseInt(field.substring(LENGTH_AT).strip());
                }
            }
            in.skipNBytes(length);
            return status;
        }

        private static String line(InputStream in) throws IOException {
            StringBuilder line = new StringBuilder(64);
            for (int c = in.read(); c != '\n'; c = in.read()) {
                if (c < 0) {
                    throw new IOException("the server has closed the connection");
                }
                if (c != '\r') {
                    line.append((char) c);
                }
            }
            return line.toString();
        }
    }
}
