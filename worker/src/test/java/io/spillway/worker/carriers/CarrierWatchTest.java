package io.spillway.worker.carriers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120) // Only against a hang.
class CarrierWatchTest {
    private static final CountDownLatch INITIALIZED = new CountDownLatch(1);
    private static volatile boolean computing = true;

    /** Holds the carrier of the first thread that uses it, and those of all that wait for it. */
    private static final class Slow {
        static {
            try {
                INITIALIZED.await();
            } catch (InterruptedException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private static void use() {}
    }

    @Test
    void virtual_threads_go_on_while_others_hold_all_carriers_in_a_class_initializer() throws Exception {
        assertOthersRun(Slow::use, INITIALIZED::countDown);
    }

    @Test
    void virtual_threads_go_on_while_others_compute() throws Exception {
        assertOthersRun(() -> {
            while (computing) {
                Thread.onSpinWait();
            }
        }, () -> computing = false);
    }

    private static void assertOthersRun(Runnable hold, Runnable release) throws Exception {
        int held = 2 * Runtime.getRuntime().availableProcessors();
        try (CarrierWatch watch = new CarrierWatch()) {
            watch.start();
            IntStream.range(0, held).forEach(i -> Thread.ofVirtual().start(hold));
            CountDownLatch other = new CountDownLatch(1);
            Thread.ofVirtual().start(other::countDown);

            assertThat(other.await(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            release.run();
        }
    }

    @Test
    void carriers_double_while_none_is_free_and_halve_when_few_are_used() {
        CarrierRule rule = new CarrierRule(2, 12);
        int now = 2;
        for (int i = 1; i < CarrierRule.HELD_LOOKS; i++) {
            now = rule.next(now, false, now);
            assertThat(now).as("a queue may be long").isEqualTo(2);
        }
        now = rule.next(now, false, 2);
        assertThat(now).isEqualTo(4);
        now = rule.next(now, false, 4);
        assertThat(now).isEqualTo(8);
        now = rule.next(now, false, 8);
        assertThat(now).as("the most").isEqualTo(12);
        assertThat(rule.next(now, false, 12)).isEqualTo(12);

        for (int i = 0; i < 3 * CarrierRule.CALM_LOOKS; i++) {
            assertThat(rule.next(12, true, 6)).as("half of them are still held").isEqualTo(12);
        }
        int looks = 0;
        for (; now > 2; looks++) {
            now = rule.next(now, true, 0);
        }
        assertThat(looks).as("to 6, 3 and 2").isEqualTo(3 * CarrierRule.CALM_LOOKS);
        assertThat(rule.next(now, true, 0)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void looks_that_find_a_free_carrier_in_between_add_none(int every) {
        CarrierRule rule = new CarrierRule(2, 256);
        for (int i = 0; i < 1_000; i++) {
            assertThat(rule.next(2, i % (every + 1) == 0, 2)).isEqualTo(2);
        }
    }
}
