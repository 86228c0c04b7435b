package io.spillway.campaign;

import io.spillway.embedded.BrokerProcess;

/**
 * Embedded Kafka in a child JVM, without the defects of {@link MendedKafka}: killed and started again, it could end a
 * transaction without all of its markers, after which a router moves items twice.
 */
public final class MendedBroker {
    private MendedBroker() {}

    /** Runs the child, with the arguments of {@link BrokerProcess#main}. */
    public static void main(String[] args) throws Exception {
        MendedKafka.mend();
        BrokerProcess.main(args);
    }
}
