package io.spillway.embedded;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import org.apache.kafka.server.ServerSocketFactory;

/**
 * The listening sockets of a broker and its controller, bound before anything of Kafka starts: a port that is taken is
 * found while there is nothing to undo, and both ports are known before the settings are written. Clients that connect
 * early wait in the backlog. Owns both channels until Kafka asks for them; closing twice is harmless.
 */
final class LoopbackSockets implements ServerSocketFactory, AutoCloseable {
    static final String HOST = "127.0.0.1";
    static final String BROKER = "PLAINTEXT";
    static final String CONTROLLER = "CONTROLLER";
    private static final int BACKLOG_CONNECTIONS = 128;

    private final ServerSocketChannel broker;
    private final ServerSocketChannel controller;
    private final int brokerPort;
    private final int controllerPort;

    private LoopbackSockets(ServerSocketChannel broker, ServerSocketChannel controller) {
        this.broker = broker;
        this.controller = controller;
        this.brokerPort = broker.socket().getLocalPort();
        this.controllerPort = controller.socket().getLocalPort();
    }

    /** Binds {@code port} (0 for a free one) for the broker and a free port for the controller. */
    static LoopbackSockets bind(int port) {
        ServerSocketChannel broker = listen(port);
        try {
            return new LoopbackSockets(broker, listen(0));
        } catch (EmbeddedKafkaException e) {
            closeQuietly(broker);
            throw e;
        }
    }

    int brokerPort() {
        return brokerPort;
    }

    int controllerPort() {
        return controllerPort;
    }

    @Override
    public ServerSocketChannel openServerSocket(
            String listenerName, InetSocketAddress address, int backlogConnections, int receiveBufferBytes) {
        return switch (listenerName) {
            case BROKER -> broker;
            case CONTROLLER -> controller;
            default -> throw new IllegalArgumentException("No socket was bound for listener " + listenerName);
        };
    }

    @Override
    public void close() {
        closeQuietly(broker);
        closeQuietly(controller);
    }

    private static ServerSocketChannel listen(int port) {
        ServerSocketChannel channel = null;
        try {
            channel = ServerSocketChannel.open();
            channel.configureBlocking(false);
            channel.bind(new InetSocketAddress(HOST, port), BACKLOG_CONNECTIONS);
            return channel;
        } catch (IOException e) {
            closeQuietly(channel);
            throw new EmbeddedKafkaException(
                    "Kafka cannot listen on " + HOST + ":" + port + " (" + e.getMessage()
                            + "): stop what uses the port, or choose another one (0 for any free one)",
                    e);
        }
    }

    private static void closeQuietly(ServerSocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // Nothing was written to a listening socket, so nothing can be lost by its close failing.
        }
    }
}
