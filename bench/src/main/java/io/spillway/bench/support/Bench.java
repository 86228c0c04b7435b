package io.spillway.bench.support;

import java.time.Duration;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.kafka.clients.admin.Admin;

/** Resources of every run of a command: a broker in a JVM of its own, its admin client and the state of the machine. */
public record Bench(BrokerProcess broker, Admin admin, Machine machine) implements AutoCloseable {
    /** Referenced here because the JDK discards the settings of loggers without a reference. */
    private static final Logger HTTP_SERVER = Logger.getLogger("io.helidon");

    public static Bench start() {
        return of(BrokerProcess.start(Duration.ZERO));
    }

    static Bench of(BrokerProcess broker) {
        return new Bench(
                broker, Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers())),
                new Machine(broker.pid()));
    }

    /** Sets the log levels of this process and of the broker's; call it before anything logs. */
    public static void quietLog() {
        HTTP_SERVER.setLevel(Level.WARNING);
        System.setProperty("logback.configurationFile", "logback-bench.xml");
    }

    @Override
    public void close() {
        admin.close();
        broker.close();
    }
}
