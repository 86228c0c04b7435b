package io.spillway.campaign;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * TCP proxy on loopback in front of one listener of Kafka, whose network can be faulty. Bytes are never changed and
 * never lost within a connection, as TCP promises: what is lost is held until the fault ends or a side gives up. Only
 * errors are answers of the proxy itself.
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
        TRICKLE,
        /** One of ten requests is answered with an error, and half of these are carried out all the same. */
        ERRORS
    }

    /** Answers of one connection, in the order of the requests, of which there are as many as the client lets wait. */
    private static final class Answers {
        private final Queue<Pending> pending = new ArrayDeque<>();
        private final BlockingQueue<ByteBuffer> ready = new LinkedBlockingQueue<>();

        /** @param error replaces the answer of the server, which has the request only if {@code isSent} */
        private record Pending(Optional<ByteBuffer> error, boolean isSent) {}

        synchronized void expect(Optional<ByteBuffer> error, boolean isSent) {
            pending.add(new Pending(error, isSent));
            addUnsent();
        }

        synchronized void answered(ByteBuffer answer) {
            ready.add(pending.remove().error().orElse(answer));
            addUnsent();
        }

        private void addUnsent() {
            while (!pending.isEmpty() && !pending.peek().isSent()) {
                ready.add(pending.remove().error().orElseThrow());
            }
        }

        ByteBuffer next() throws InterruptedException {
            return ready.take();
        }
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
            Answers answers = new Answers();
            Thread answering = Thread.ofVirtual().start(() -> pass(client, target, () -> answer(answers, client)));
            Thread.ofVirtual().start(() -> {
                pass(client, target, () -> receive(target, answers));
                answering.interrupt();
            });
            pass(client, target, () -> send(client, target, answers));
        } catch (IOException e) {
            closeBoth(client, target);
        }
    }

    /** Moves bytes until a side has gone. */
    private interface Pump {
        void run() throws IOException, InterruptedException;
    }

    private void pass(Socket client, Socket target, Pump pump) {
        try {
            pump.run();
        } catch (IOException e) {
            // One side has gone: so must the other.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            closeBoth(client, target);
        }
    }

    private void send(Socket client, Socket target, Answers answers) throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(targetPort);
        DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream(), BUFFER_BYTES));
        DataOutputStream out = new DataOutputStream(target.getOutputStream());
        while (!closed) {
            ByteBuffer request = read(in);
            Optional<ByteBuffer> error = state == State.ERRORS && random.nextInt(10) == 0
                    ? BrokerErrors.answer(request, random) : Optional.empty();
            boolean isSent = error.isEmpty() || random.nextBoolean();
            answers.expect(error, isSent);
            if (isSent) {
                write(request, out, true);
            }
        }
    }

    private void receive(Socket target, Answers answers) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(target.getInputStream(), BUFFER_BYTES));
        while (!closed) {
            answers.answered(read(in));
        }
    }

    private void answer(Answers answers, Socket client) throws IOException, InterruptedException {
        DataOutputStream out = new DataOutputStream(client.getOutputStream());
        while (!closed) {
            write(answers.next(), out, false);
        }
    }

    private static ByteBuffer read(DataInputStream in) throws IOException {
        byte[] message = new byte[in.readInt()];
        in.readFully(message);
        return ByteBuffer.wrap(message);
    }

    /** @param in whether this is a message that a client sends */
    private void write(ByteBuffer message, DataOutputStream out, boolean in) throws IOException, InterruptedException {
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + message.remaining())
                .putInt(message.remaining()).put(message).flip();
        while (bytes.hasRemaining()) {
            int size = Math.min(BUFFER_BYTES, bytes.remaining());
            awaitPass(in, size);
            out.write(bytes.array(), bytes.position(), size);
            bytes.position(bytes.position() + size);
        }
        out.flush();
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
