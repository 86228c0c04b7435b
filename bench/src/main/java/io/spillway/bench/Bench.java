package io.spillway.bench;

import java.util.Map;
import org.apache.kafka.clients.admin.Admin;

/** What every run of a command uses: a broker in a JVM of its own, and an eye on the machine. */
record Bench(BrokerProcess broker, Admin admin, Machine machine) implements AutoCloseable {
    static Bench start() {
        BrokerProcess broker = BrokerProcess.start();
        return new Bench(
                broker, Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers())),
                new Machine(broker.pid()));
    }

    @Override
    public void close() {
        admin.close();
        broker.close();
    }
}
