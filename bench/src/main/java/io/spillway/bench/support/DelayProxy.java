package io.spillway.bench.support;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Distance between the clients and the broker: holds each byte back for half of a round trip on its way to the broker,
 * and on its way from it. It does not limit the throughput, unless more is on the way than {@link #MOST_CHUNKS} reads.
 *
 * <p>Owner of its sockets and threads. Thread-safe.
 */
public final class DelayProxy implements AutoCloseable {
    private static final int CHUNK_BYTES = 64 * 1024;
    /** Of one direction of a connection. */
    private static final int MOST_CHUNKS = 4_096;
    private static final Chunk END = new Chunk(new byte[0], 0);

    private final ServerSocket listener;
    private final long oneWayNanos;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile int brokerPort;

    private record Chunk(byte[] bytes, long dueNanos) {}

    /** Listens on loopback; {@link #forward} must follow. */
    public DelayProxy(Duration roundTrip) {
        try {
            listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        oneWayNanos = roundTrip.toNanos() / 2;
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Forwards connections to a port of this machine from now on. */
    public void forward(int port) {
        brokerPort = port;
        Thread.ofVirtual().start(this::accept);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket broker = new Socket();
                sockets.add(client);
                sockets.add(broker);
                broker.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), brokerPort));
                client.setTcpNoDelay(true);
                broker.setTcpNoDelay(true);
                pump(client, broker);
                pump(broker, client);
            } catch (IOException e) {
                // The client connects again.
            }
        }
    }

    private void pump(Socket from, Socket to) {
        BlockingQueue<Chunk> onTheWay = new ArrayBlockingQueue<>(MOST_CHUNKS);
        Thread.ofVirtual().start(() -> read(from, onTheWay));
        Thread.ofVirtual().start(() -> write(onTheWay, to, from));
    }

    private void read(Socket from, BlockingQueue<Chunk> onTheWay) {
        try {
            InputStream in = from.getInputStream();
            byte[] buffer = new byte[CHUNK_BYTES];
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                onTheWay.put(new Chunk(Arrays.copyOf(buffer, length), System.nanoTime() + oneWayNanos));
            }
        } catch (IOException e) {
            // The other side is closed too, after what is on the way.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        onTheWay.add(END);
    }

    private void write(BlockingQueue<Chunk> onTheWay, Socket to, Socket from) {
        try {
            OutputStream out = to.getOutputStream();
            for (Chunk chunk = onTheWay.take(); chunk != END; chunk = onTheWay.take()) {
                for (long left = chunk.dueNanos() - System.nanoTime(); left > 0;
                        left = chunk.dueNanos() - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                out.write(chunk.bytes());
            }
        } catch (IOException e) {
            // As above.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close(to);
            close(from);
        }
    }

    private void close(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            // It is of no use any more.
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        sockets.forEach(this::close);
    }
}
