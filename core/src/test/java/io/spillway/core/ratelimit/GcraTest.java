package io.spillway.core.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Seed;
import io.spillway.core.policy.RateLimit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GcraTest {
    private static final long START_NANOS = 1_800_000_000_000_000_000L;
    private static final long MILLI = 1_000_000;

    /** An arrival is a time in milliseconds and + for admitted or - for rejected. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            a burst of one is the steady rate        |       10 | 1 | 0+ 0- 50- 99- 100+ 101- 199- 200+
            a burst comes at once, then the rate     |       10 | 3 | 0+ 0+ 0+ 0- 99- 100+ 100- 199- 200+ 200-
            rejected items do not delay the next     |        2 | 1 | 0+ 1- 100- 200- 300- 400- 499- 500+
            idle restores the burst and no more      |       10 | 3 | 0+ 0+ 0+ 0- 60000+ 60000+ 60000+ 60000-
            a short pause restores a part of it      |       10 | 3 | 0+ 0+ 0+ 0- 200+ 200+ 200- 299- 300+
            the steady rate itself is never rejected |        4 | 1 | 0+ 250+ 500+ 750+ 1000+ 1250+ 1500+
            three items in 1,000 seconds             |    0.003 | 1 | 0+ 333332- 333334+ 666666- 666668+
            the smallest rate of a policy            |    0.001 | 2 | 0+ 0+ 999999- 1000000+ 1000000-
            the largest rate of a policy             | 10000000 | 2 | 0+ 0+ 0- 1+ 1+ 1-
            a clock set back admits nothing more     |       10 | 2 | 1000+ 1000+ 0- 500- 1000- 1100+
            """)
    void after_the_burst_items_are_admitted_at_the_rate(String what, double rate, long burst, String timeline) {
        RateLimit limit = RateLimit.of(rate, burst);
        long state = 0;
        for (String arrival : timeline.split(" ")) {
            long atMillis = Long.parseLong(arrival.substring(0, arrival.length() - 1));
            long next = limit.next(state, START_NANOS + atMillis * MILLI);
            assertThat(next == RateLimit.REFUSED ? "-" : "+").as("%s: at %s ms", what, atMillis).isEqualTo(
                    arrival.substring(arrival.length() - 1));
            state = next == RateLimit.REFUSED ? state : next;
        }
    }

    @ParameterizedTest
    @CsvSource({
        // rate, burst
        "10000000, 1000000000",
        "10000000, 1",
        "0.001, 1000000000",
        "1e-300, 1",
        "1e-300, 9223372036854775807",
        "1e300, 9223372036854775807",
        "Infinity, 1",
        "4.9e-324, 9223372036854775807"
    })
    void no_rate_or_burst_causes_an_overflow(double rate, long burst) {
        RateLimit limit = RateLimit.of(rate, burst);
        for (long now : new long[] {1, START_NANOS, Long.MAX_VALUE - 2 * RateLimit.MAX_NANOS}) {
            long state = limit.next(0, now);
            assertThat(state).as("the first item at %s", now).isGreaterThan(now);
            // A used-up burst is the maximum that a state can be ahead.
            long full = now + limit.toleranceNanos();
            assertThat(limit.next(full, now)).as("an item after a used-up burst at %s", now)
                    .isEqualTo(RateLimit.REFUSED);
            assertThat(limit.next(full - limit.intervalNanos(), now)).as("the last that fits").isEqualTo(full);
        }
    }

    @Test
    void no_window_has_more_items_than_burst_and_rate_allow() {
        Seed seed = new Seed();
        for (int round = 0; round < seed.rounds(200); round++) {
            double rate = Math.pow(10, seed.random().nextDouble(-2, 5));
            long burst = seed.random().nextLong(1, 30);
            RateLimit limit = RateLimit.of(rate, burst);
            List<Long> admitted = admitted(seed, limit);
            for (int from = 0; from < admitted.size(); from++) {
                for (int to = from; to < admitted.size(); to++) {
                    long most = burst + (admitted.get(to) - admitted.get(from)) / limit.intervalNanos();
                    assertThat((long) to - from + 1)
                            .as("%s: rate %s, burst %s, items %s to %s", seed, rate, burst, from, to)
                            .isLessThanOrEqualTo(most);
                }
            }
        }
    }

    /** Returns the admitted arrival times of 120 items in random bursts, at about twice the rate. */
    private static List<Long> admitted(Seed seed, RateLimit limit) {
        List<Long> admitted = new ArrayList<>();
        long state = 0;
        long now = START_NANOS;
        for (int i = 0; i < 120; i++) {
            now += seed.random().nextInt(3) == 0 ? seed.random().nextLong(3 * limit.intervalNanos()) : 0;
            long next = limit.next(state, now);
            if (next != RateLimit.REFUSED) {
                state = next;
                admitted.add(now);
            }
        }
        assertThat(admitted).as(seed.toString()).isNotEmpty();
        return admitted;
    }
}
