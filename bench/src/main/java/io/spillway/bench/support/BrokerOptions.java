package io.spillway.bench.support;

import io.spillway.core.settings.Durations;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Options of commands that start a broker. */
public final class BrokerOptions {
    @Option(
            names = "--round-trip", defaultValue = "0ms",
            description = "network time from each client to the broker and back, for example 5ms (default:"
                    + " ${DEFAULT-VALUE})")
    private String roundTrip;

    /** Starts a broker at this distance. */
    public BrokerProcess startBroker() {
        return BrokerProcess.start(Duration.ofMillis(Durations.parseMillis(roundTrip)));
    }

    /** Starts a broker at this distance, with what each run needs. */
    public Bench start() {
        return Bench.of(startBroker());
    }
}
