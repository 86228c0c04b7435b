package io.spillway.campaign;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * TCP proxy on loopback in front of one listener, whose network can be faulty. Bytes are never changed and never lost
 * within a connection, as TCP promises: what is lost is held until the fault ends or a side gives up.
 *
 * <p>Owner of its socket, its connections and their threads. Thread-safe.
 */
final class FaultyProxy implements AutoCloseable {
    private static final int BUFFER_BYTES = 16 << 10;

    /** State of the network. */
    enum State {
        /** Bytes pass at once. */
        GOOD,
        /** Each piece waits before it passes. */
        SLOW,
        /** What clients send does not arrive: half-open connections, seen from the server. */
        NOTHING_IN,
        /** What the server answers does not arrive. */
        NOTHING_OUT,
        /** Neither direction passes, new connections are accepted and silent. */
        SILENT,
        /** Connections are closed and refused. */
        CLOSED,
        /** Readers take a few kilobytes a second. */
        TRICKLE
    }

    private final int targetPort;
    private final ServerSocket server;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile State state = State.GOOD;
    private volatile boolean closed;

    /** Starts a proxy on a free port in front of a port on loopback. */
    FaultyProxy(int targetPort) throws IOException {
        this.targetPort = targetPort;
        this.server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Changes the network from now on, also for what is on its way. */
    void set(State next) {
        lock.lock();
        try {
            state = next;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (next == State.CLOSED) {
            open.forEach(FaultyProxy::closeQuietly);
        }
    }

    private void accept() {
        while (!closed) {
            try {
                Socket client = server.accept();
                if (state == State.CLOSED) {
                    closeQuietly(client);
                } else {
                    Thread.ofVirtual().start(() -> connect(client));
                }
            } catch (IOException e) {
                if (!closed) {
                    throw new IllegalStateException("A proxy cannot accept connections", e);
                }
            }
        }
    }

    private void connect(Socket client) {
        open.add(client);
        Socket target = new Socket();
        try {
            target.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort));
            client.setTcpNoDelay(true);
            target.setTcpNoDelay(true);
            open.add(target);
            Thread.ofVirtual().start(() -> pump(target, client, false));
            pump(client, target, true);
        } catch (IOException e) {
            closeBoth(client, target);
        }
    }

    /** @param in whether these are the bytes that a client sends */
    private void pump(Socket from, Socket to, boolean in) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            InputStream source = from.getInputStream();
            OutputStream sink = to.getOutputStream();
            for (int read = source.read(buffer); read >= 0; read = source.read(buffer)) {
                awaitPass(in, read);
                sink.write(buffer, 0, read);
            }
        } catch (IOException e) {
            // One side has gone: so must the other.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            closeBoth(from, to);
        }
    }

    private void awaitPass(boolean in, int bytes) throws InterruptedException {
        State now = state;
        if (now == State.SLOW) {
            Thread.sleep(150);
        } else if (now == State.TRICKLE && !in) {
            Thread.sleep(Math.max(1, bytes / 20));
        }
        lock.lockInterruptibly();
        try {
            while (holds(in) && !closed) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean holds(boolean in) {
        return state == State.SILENT || state == (in ? State.NOTHING_IN : State.NOTHING_OUT);
    }

    private void closeBoth(Socket one, Socket other) {
        open.remove(one);
        open.remove(other);
        closeQuietly(one);
        closeQuietly(other);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Closed is all it must be.
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        set(State.CLOSED);
        server.close();
    }
}
