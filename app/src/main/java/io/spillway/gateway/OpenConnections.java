package io.spillway.gateway;

import io.helidon.common.buffers.DataReader;
import io.helidon.common.socket.PeerInfo;
import io.helidon.common.socket.SocketOptions;
import io.helidon.http.HeaderValues;
import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.http.Status;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.Filter;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Open connections of a listener, bounded in total and by address. A connection waits from its start, and again from
 * the start of each response, until the head of its next request is complete. At a bound, the one that has waited
 * longest is closed, so that a peer that connects and sends its request is served, however many others are silent.
 *
 * <p>The server itself sets no limit before the first byte, in a TLS handshake, or to a response that is not read.
 *
 * <p>Owner: this object. Its lock is held for look-ups in memory. Bound: the connections that the server accepts, and
 * those that have ended since the last {@link #closeOverdue}.
 */
public final class OpenConnections {
    private static final Logger LOG = LoggerFactory.getLogger(OpenConnections.class);
    private static final long LOG_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

    /**
     * Bounds of a listener.
     *
     * @param total        maximum number of connections; further ones wait to be accepted while all are busy
     * @param ofAddress    maximum number from one address; further ones are refused while all are busy
     * @param firstRequest maximum time until the head of a connection's first request is complete
     * @param idle         maximum time from the end of a response to the end of the next request's head
     * @param settings     where these are set, for the log
     */
    public record Limits(int total, int ofAddress, Duration firstRequest, Duration idle, String settings) {}

    /** Maximum time for a peer to read a response. */
    private static final Duration RESPONSE = Duration.ofMinutes(1);

    private final Limits limits;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    /** Changed under the lock only. */
    private final Map<SocketAddress, Connection> connections = new ConcurrentHashMap<>();
    private final Map<InetAddress, Integer> ofAddress = new HashMap<>();
    private int turnedAway;
    private long lastLogNanos;

    /** @param nanoTime monotonic time, nanoseconds */
    public OpenConnections(Limits limits, LongSupplier nanoTime) {
        this.limits = limits;
        this.nanoTime = nanoTime;
        this.lastLogNanos = nanoTime.getAsLong() - LOG_EVERY_NANOS;
    }

    /**
     * Makes the connections of a server follow these limits. Call {@link #closeOverdue} about twice per second.
     *
     * @param http     without listeners: the server of this version calls none if there are several
     * @param received is told of the received heads too
     */
    void watch(WebServerConfig.Builder server, Http1Config.Builder http, Http1ConnectionListener received) {
        SocketOptions options = SocketOptions.builder().tcpNoDelay(true).build();
        server.maxTcpConnections(limits.total()).connectionOptions(new Accepting(options, this))
                .protocolsDiscoverServices(false)
                .addConnectionSelector(HttpInput.of(http
                .addReceiveListener(new Http1ConnectionListener() {
                    @Override
                    public void prologue(ConnectionContext context, HttpPrologue prologue) {
                        received.prologue(context, prologue);
                    }

                    @Override
                    public void headers(ConnectionContext context, Headers headers) {
                        received.headers(context, headers);
                        of(context.remotePeer()).ifPresent(connection -> connection.begin(context.dataReader()));
                    }
                })
                .addSendListener(new Http1ConnectionListener() {
                    @Override
                    public void status(ConnectionContext context, Status status) {
                        of(context.remotePeer())
                                .ifPresent(connection -> connection.await(nanoTime.getAsLong(), RESPONSE));
                    }
                })
                .build()));
    }

    /**
     * Returns a filter for the routing of the server. It notes the end of each response, and ends the connection after
     * one that says so, which the server leaves to the client: what follows would be read as a request.
     */
    public Filter filter() {
        return (chain, request, response) -> {
            chain.proceed();
            of(request.remotePeer()).ifPresent(connection -> connection.await(nanoTime.getAsLong(), limits.idle()));
            if (response.headers().containsToken(HeaderValues.CONNECTION_CLOSE)) {
                throw new CloseConnectionException("The response was the last one of its connection");
            }
        };
    }

    /** As above, for a server without other settings of HTTP. */
    public void watch(WebServerConfig.Builder server) {
        watch(server, Http1Config.builder(), new Http1ConnectionListener() { });
    }

    /** Returns whether a peer has ended its connection. Called by the thread that has read the peer's whole request. */
    boolean isEnded(PeerInfo peer) {
        return of(peer).map(Connection::isEnded).orElse(true);
    }

    /** Returns whether the last response to a connected peer has ended. */
    boolean isIdle(SocketAddress peer) {
        return connections.get(peer).limit == limits.idle();
    }

    private Optional<Connection> of(PeerInfo peer) {
        return Optional.ofNullable(peer.address()).map(connections::get);
    }

    /** Adds an accepted connection, for which another may be closed; throws if its address has too many busy ones. */
    private void accept(SocketChannel channel) {
        Optional<Connection> displaced;
        lock.lock();
        try {
            InetSocketAddress peer = (InetSocketAddress) channel.getRemoteAddress();
            displaced = placeFor(peer.getAddress());
            Connection added = new Connection(channel, peer, nanoTime.getAsLong(), limits.firstRequest());
            // A peer may use the port of its former connection again.
            if (connections.put(peer, added) == null) {
                ofAddress.merge(peer.getAddress(), 1, Integer::sum);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
        displaced.ifPresent(Connection::close);
    }

    /** Returns the connection to close for a new one of an address, if there is one, and forgets it. */
    private Optional<Connection> placeFor(InetAddress address) {
        boolean isFull = ofAddress.getOrDefault(address, 0) >= limits.ofAddress();
        // The server accepts none beyond the total, so one place must become free for the next connection.
        if (!isFull && connections.size() + 1 < limits.total()) {
            return Optional.empty();
        }
        Optional<Connection> displaced = endedOrLongestWaiting(
                connection -> !isFull || connection.peer.getAddress().equals(address));
        displaced.ifPresent(this::forget);
        if (displaced.map(connection -> connection.channel.isOpen()).orElse(isFull)) {
            turnedAway++;
        }
        if (displaced.isEmpty() && isFull) {
            throw new IllegalStateException("Too many connections from one address");
        }
        return displaced;
    }

    /** Takes one pass, because a flood of connections calls it for each of them. */
    private Optional<Connection> endedOrLongestWaiting(Predicate<Connection> which) {
        Connection found = null;
        for (Connection connection : connections.values()) {
            if (which.test(connection)) {
                if (!connection.channel.isOpen()) {
                    return Optional.of(connection);
                }
                if (!connection.isBusy && (found == null || connection.sinceNanos - found.sinceNanos < 0)) {
                    found = connection;
                }
            }
        }
        return Optional.ofNullable(found);
    }

    /** Closes connections that have waited too long, and keeps one place free for a new connection if one waits. */
    public void closeOverdue() {
        long now = nanoTime.getAsLong();
        int reported = 0;
        Optional<Connection> displaced = Optional.empty();
        lock.lock();
        try {
            connections.values().stream().filter(connection -> !connection.channel.isOpen()).forEach(this::forget);
            if (connections.size() >= limits.total()) {
                displaced = endedOrLongestWaiting(connection -> true);
                displaced.ifPresent(this::forget);
                turnedAway += displaced.isPresent() ? 1 : 0;
            }
            if (turnedAway > 0 && now - lastLogNanos >= LOG_EVERY_NANOS) {
                reported = turnedAway;
                turnedAway = 0;
                lastLogNanos = now;
            }
        } finally {
            lock.unlock();
        }
        displaced.ifPresent(Connection::close);
        connections.values().stream().filter(connection -> connection.isOverdue(now))
                .forEach(Connection::close);
        if (reported > 0) {
            LOG.warn("{} connections were closed or refused, because as many are open as {} allow. Look for peers that"
                    + " connect and send nothing; raise the limits if these are too low.", reported, limits.settings());
        }
    }

    private void forget(Connection connection) {
        if (connections.remove(connection.peer, connection)) {
            ofAddress.computeIfPresent(connection.peer.getAddress(), (address, n) -> n > 1 ? n - 1 : null);
        }
    }

    private static final class Connection {
        private final SocketChannel channel;
        private final InetSocketAddress peer;
        private volatile long sinceNanos;
        private volatile boolean isBusy;
        private volatile Duration limit;
        /** Of the present request. */
        private volatile DataReader reader;

        Connection(SocketChannel channel, InetSocketAddress peer, long nowNanos, Duration limit) {
            this.channel = channel;
            this.peer = peer;
            this.sinceNanos = nowNanos;
            this.limit = limit;
        }

        void begin(DataReader next) {
            reader = next;
            isBusy = true;
        }

        /** Begins to wait, at most for a limit. */
        void await(long nowNanos, Duration limit) {
            this.limit = limit;
            this.sinceNanos = nowNanos;
            this.isBusy = false;
        }

        boolean isOverdue(long nowNanos) {
            return !isBusy && nowNanos - sinceNanos > limit.toNanos();
        }

        /** Waits for a millisecond, the least that a read can wait. What it reads stays for the next request. */
        boolean isEnded() {
            try {
                int timeoutMillis = channel.socket().getSoTimeout();
                channel.socket().setSoTimeout(1);
                try {
                    reader.ensureAvailable();
                } finally {
                    channel.socket().setSoTimeout(timeoutMillis);
                }
                return false;
            } catch (DataReader.InsufficientDataAvailableException | IOException e) {
                return true;
            } catch (RuntimeException e) {
                return Stream.<Throwable>iterate(e, Objects::nonNull, Throwable::getCause)
                        .noneMatch(SocketTimeoutException.class::isInstance);
            }
        }

        /** Ends the reads and writes of the server's thread, which then ends the connection. */
        void close() {
            try {
                channel.close();
            } catch (IOException e) {
                LOG.debug("Closing a connection failed", e);
            }
        }
    }

    /** Options that the server applies to each accepted connection, before it starts a thread for it. */
    private record Accepting(SocketOptions options, OpenConnections connections) implements SocketOptions {
        @Override
        public void configureSocket(SocketChannel channel) {
            options.configureSocket(channel);
            connections.accept(channel);
        }

        @Override
        public Map<SocketOption<?>, Object> socketOptions() {
            return options.socketOptions();
        }

        @Override
        public Duration connectTimeout() {
            return options.connectTimeout();
        }

        @Override
        public Duration readTimeout() {
            return options.readTimeout();
        }

        @Override
        public Optional<Integer> socketReceiveBufferSize() {
            return options.socketReceiveBufferSize();
        }

        @Override
        public Optional<Integer> socketSendBufferSize() {
            return options.socketSendBufferSize();
        }

        @Override
        public boolean socketReuseAddress() {
            return options.socketReuseAddress();
        }

        @Override
        public boolean socketKeepAlive() {
            return options.socketKeepAlive();
        }

        @Override
        public boolean tcpNoDelay() {
            return options.tcpNoDelay();
        }
    }
}
