package io.spillway.embedded;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import org.apache.kafka.server.ServerSocketFactory;

/**
 * Listening sockets of a broker and its controller, bound before Kafka starts: a port in use is detected early, and
 * both ports are known for the settings. Owner of both channels until Kafka opens them; closing twice has no effect.
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
            throw new EmbeddedKafkaException("Kafka cannot listen on " + HOST + ":" + port + " (" + e.getMessage()
                    + "). Stop the process that uses the port, or choose another one (0 for any free port).", e);
        }
    }

    private static void closeQuietly(ServerSocketChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            // A listening socket has no unwritten data.
        }
    }
}
