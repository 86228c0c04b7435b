package io.spillway.bench.support;

import io.spillway.embedded.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The embedded broker in a JVM of its own. Prints its address, and ends when its standard input does or on a signal;
 * either way it takes its directory with it.
 */
public final class BrokerMain {
    static final String READY = "broker ";

    private BrokerMain() {}

    /** Starts it on the directory in the first argument. */
    public static void main(String[] args) throws IOException {
        Bench.quietLog();
        Path directory = Path.of(args[0]);
        EmbeddedKafka kafka = EmbeddedKafka.start(directory, 0);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            kafka.close();
            TemporaryDirectory.delete(directory);
        }));
        System.out.println(READY + kafka.bootstrapServers());
        // The bench holds the other end; when it dies, however that happens, this ends too.
        while (System.in.read() >= 0) {
            // nothing is ever said on it
        }
        System.exit(0);
    }
}
