package io.spillway.gateway;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.ProxyProtocolData;
import io.helidon.webserver.Router;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;

/**
 * Input of HTTP/1 connections. The server knows HTTP/1.1 alone, while health checks and proxies also send HTTP/1.0, the
 * default of nginx and HAProxy. Such a request is handed to the server as one of HTTP/1.1 that closes its connection.
 * Thread-safe.
 */
record HttpInput(ServerConnectionSelector server, int maxHeadBytes) implements ServerConnectionSelector {
    private static final String END_OF_HEAD = "\r\n\r\n";
    private static final String HTTP_1_0 = " HTTP/1.0";
    /** Fields that apply to HTTP/1.1 alone, or that are replaced. */
    private static final Set<String> LEFT_OUT = Set.of("connection", "keep-alive", "expect");
    /** Request of this thread whose body is being read. */
    private static final ThreadLocal<InFlight.Request> READING = new ThreadLocal<>();

    static HttpInput of(Http1Config http) {
        return new HttpInput(
                Http1ConnectionSelector.builder().config(http).build(),
                http.maxPrologueLength() + http.maxHeadersSize());
    }

    /**
     * Runs a step, and counts the bytes that arrive meanwhile on the connection of this thread. What came together with
     * the head of the request is not counted; it is less than one read.
     */
    static void counting(InFlight.Request request, Runnable step) {
        READING.set(request);
        try {
            step.run();
        } finally {
            READING.remove();
        }
    }

    /** Counts bytes towards the request of this thread, if it has one; throws if there is no memory for them. */
    static void count(int bytes) {
        InFlight.Request reading = READING.get();
        try {
            if (reading != null && !reading.hold(bytes)) {
                throw new IllegalStateException("Too many bytes are in flight");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted in a wait for memory", e);
        }
    }

    @Override
    public int bytesToIdentifyConnection() {
        return 0;
    }

    @Override
    public Support supports(BufferData data) {
        return Support.SUPPORTED;
    }

    @Override
    public Set<String> supportedApplicationProtocols() {
        return server.supportedApplicationProtocols();
    }

    @Override
    public ServerConnection connection(ConnectionContext context) {
        return server.connection(new Context(
                context, DataReader.create(new Bytes(context.dataReader(), maxHeadBytes))));
    }

    /** Returns the first bytes of a connection with its head of HTTP/1.0, if it has one, as one of HTTP/1.1. */
    static byte[] asHttp11(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int end = text.indexOf(END_OF_HEAD);
        if (end < 0) {
            return bytes;
        }
        String[] lines = text.substring(0, end).split("\r\n");
        StringBuilder head = new StringBuilder(bytes.length + 64)
                .append(lines[0], 0, lines[0].length() - HTTP_1_0.length()).append(" HTTP/1.1\r\n");
        boolean hasHost = false;
        for (int i = 1; i < lines.length; i++) {
            String name = lines[i].split(":", 2)[0].toLowerCase(Locale.ROOT);
            if (name.equals("transfer-encoding") || lines[i].startsWith(" ") || lines[i].startsWith("\t")) {
                // HTTP/1.0 has no chunks, and a continued line may belong to a field that is left out: refused as is.
                return bytes;
            }
            hasHost |= name.equals("host");
            if (!LEFT_OUT.contains(name)) {
                head.append(lines[i]).append("\r\n");
            }
        }
        head.append(hasHost ? "" : "Host: localhost\r\n").append("Connection: close").append(text, end, text.length());
        return head.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Source of the bytes of a connection, used by its thread alone. */
    private static final class Bytes implements Supplier<byte[]> {
        private final DataReader from;
        private final int maxHeadBytes;
        private boolean isFirst = true;

        Bytes(DataReader from, int maxHeadBytes) {
            this.from = from;
            this.maxHeadBytes = maxHeadBytes;
        }

        /** Returns the next bytes; null at the end of the input. */
        @Override
        public byte[] get() {
            return isFirst ? first() : next();
        }

        private byte[] next() {
            try {
                from.ensureAvailable();
                byte[] bytes = from.readBytes(from.available());
                count(bytes.length);
                return bytes;
            } catch (DataReader.InsufficientDataAvailableException e) {
                return null;
            }
        }

        /** Returns what has arrived once the version is known, and of HTTP/1.0 the whole head. */
        private byte[] first() {
            isFirst = false;
            ByteArrayOutputStream arrived = new ByteArrayOutputStream();
            byte[] more = next();
            while (more != null) {
                arrived.writeBytes(more);
                String text = arrived.toString(StandardCharsets.ISO_8859_1);
                int endOfLine = text.indexOf('\n');
                boolean isHttp10 = endOfLine > 0 && text.substring(0, endOfLine).endsWith(HTTP_1_0 + "\r");
                if (isHttp10 ? text.contains(END_OF_HEAD) : endOfLine >= 0) {
                    return isHttp10 ? asHttp11(arrived.toByteArray()) : arrived.toByteArray();
                }
                if (arrived.size() > maxHeadBytes) {
                    return arrived.toByteArray();
                }
                more = next();
            }
            return arrived.size() == 0 ? null : arrived.toByteArray();
        }
    }

    /** Context of a connection with another reader. */
    private record Context(ConnectionContext of, DataReader dataReader) implements ConnectionContext {
        @Override
        public ListenerContext listenerContext() {
            return of.listenerContext();
        }

        @Override
        public ExecutorService executor() {
            return of.executor();
        }

        @Override
        public DataWriter dataWriter() {
            return of.dataWriter();
        }

        @Override
        public Router router() {
            return of.router();
        }

        @Override
        public Optional<ProxyProtocolData> proxyProtocolData() {
            return of.proxyProtocolData();
        }

        @Override
        public HelidonSocket serverSocket() {
            return of.serverSocket();
        }

        @Override
        public PeerInfo remotePeer() {
            return of.remotePeer();
        }

        @Override
        public PeerInfo localPeer() {
            return of.localPeer();
        }

        @Override
        public boolean isSecure() {
            return of.isSecure();
        }

        @Override
        public String socketId() {
            return of.socketId();
        }

        @Override
        public String childSocketId() {
            return of.childSocketId();
        }
    }
}
