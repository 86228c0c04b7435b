package io.spillway.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.policy.Jitter;
import io.spillway.core.retry.Backoff;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.SeededRandom;
import java.util.function.LongConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Table of M. Brooker, "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015): 100 clients each update one row
 * once under optimistic concurrency control. A client reads the version, writes with it, and after a conflict waits and
 * reads again. Every message takes |N(10, 2)| ms; base 5 ms, cap 2 s, means of 100 trials. {@code RetryLoadTest} has
 * the rates of the retry budget, from the same author.
 */
class BrookerTableTest {
    private static final long SEED = 20150304;
    private static final int CLIENTS = 100;
    private static final int TRIALS = 100;
    private static final double MICROS = 1_000;
    /** In microseconds, to keep rounding errors small. */
    private static final long BASE = 5_000;
    private static final long CAP = 2_000_000;

    private final Latency network = new Latency.Normal(10, 2);
    private final SeededRandom dice = new SeededRandom(SEED);
    private long version;
    private long calls;
    private long nowMicros;

    @ParameterizedTest(name = "{0}: {1} calls, {2} s")
    @CsvSource({
        "NEVER,        2422,  2.0",
        "NONE,         1848, 62.9",
        "EQUAL,         813,  6.6",
        "FULL,          797,  4.9",
        "DECORRELATED, 1002,  4.6"
    })
    void calls_and_seconds_are_within_three_percent(String backoff, double expectedCalls, double expectedSeconds) {
        double micros = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            micros += trial(backoff);
        }
        assertThat(calls / (double) TRIALS).as("calls, seed %d", SEED)
                .isCloseTo(expectedCalls, within(0.03 * expectedCalls));
        // The table gives seconds with one decimal.
        double rounding = 0.05;
        assertThat(micros / TRIALS / 1e6).as("seconds, seed %d", SEED)
                .isCloseTo(expectedSeconds, within(0.03 * expectedSeconds + rounding));
    }

    private double trial(String backoff) {
        TimedQueue<LongConsumer> events = new TimedQueue<>();
        version = 0;
        nowMicros = 0;
        for (int i = 0; i < CLIENTS; i++) {
            new Client(events, backoff).read(0, 0);
        }
        Simulation.runEvents(events, Long.MAX_VALUE);
        return nowMicros;
    }

    private final class Client {
        private final TimedQueue<LongConsumer> events;
        private final String backoff;
        private int attempts;
        private long waitedMicros;

        Client(TimedQueue<LongConsumer> events, String backoff) {
            this.events = events;
            this.backoff = backoff;
        }

        void read(long atMicros, long waitMicros) {
            travel(atMicros + waitMicros, asked -> {
                long seen = version;
                travel(asked, answered -> write(answered, seen));
            });
        }

        private void write(long atMicros, long seen) {
            travel(atMicros, arrived -> {
                calls++;
                boolean isFirst = seen == version;
                version += isFirst ? 1 : 0;
                travel(arrived, told -> {
                    if (!isFirst) {
                        read(told, waitMicros());
                    }
                });
            });
        }

        private long waitMicros() {
            attempts++;
            if (backoff.equals("NEVER")) {
                return 0;
            }
            // Brooker's exponent is 1 at the first failure, ours 0.
            waitedMicros = Backoff.waitMillis(Jitter.valueOf(backoff), BASE, CAP, attempts + 1, waitedMicros, dice);
            return waitedMicros;
        }

        private void travel(long fromMicros, LongConsumer then) {
            events.add(fromMicros + Math.round(network.millis(dice) * MICROS), now -> {
                nowMicros = now;
                then.accept(now);
            });
        }
    }
}
