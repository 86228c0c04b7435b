package io.spillway.guarantee;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rate of attempts at one destination, over the workers of a real Kafka. */
@Timeout(1_800) // Only against a hang.
@Tag("alone") // A worker without CPU for 3 s counts as gone.
@Tag("long")
class AttemptRateIT {
    private static final int RATE = 100;
    private static final long SECONDS = Long.getLong("spillway.test.seconds", 30);
    private static final long OUTAGE_SECONDS = Long.getLong("spillway.test.outage", 45);

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    private Path directory;

    private final List<Long> attempts = Collections.synchronizedList(new ArrayList<>());
    private final List<Long> others = Collections.synchronizedList(new ArrayList<>());
    private volatile boolean isDown;

    @ParameterizedTest(name = "{0} workers, {1} tenants")
    @CsvSource({"1, 1", "4, 1", "1, 5", "4, 5"})
    void a_backlog_is_worked_off_at_its_rate_slowly_at_first_after_an_outage_and_nobody_else_waits(
            int workers, int tenants) throws Exception {
        try (DeliveryScene scene =
                new DeliveryScene(kafka.bootstrapServers(), kafka.prefix(), directory, Map.of()).withRouter()) {
            // One has the rate itself. Several share that of their destination.
            scene.setPolicy(tenants == 1 ? "limited-0" : "/crm", PolicyField.ATTEMPT_RATE, Integer.toString(RATE));
            for (int i = 0; i < tenants && tenants > 1; i++) {
                scene.setPolicy("limited-" + i, PolicyField.DESTINATION, "crm");
            }
            for (int i = 0; i < workers; i++) {
                scene.startWorker("worker-" + i, this::handle);
            }
            scene.send("limited", (int) (2 * RATE * (SECONDS + OUTAGE_SECONDS)), i -> "limited-" + i % tenants,
                    i -> "x", Map.of());
            sleep(15);

            long from = System.nanoTime();
            scene.send("other", 500, i -> "other", i -> "x", Map.of());
            sleep(SECONDS);
            List<Integer> working = perSecond(from);
            double share = (double) sum(working) / (RATE * working.size());
            System.out.printf("%d workers, %d tenants: %.4f of the rate in %d s; by second %s%n",
                    workers, tenants, share, working.size(), working);
            assertThat(others).hasSize(500);

            isDown = true;
            long down = System.nanoTime();
            sleep(OUTAGE_SECONDS);
            System.out.println("outage, by second " + perSecond(down));
            isDown = false;
            long up = System.nanoTime();
            sleep(15);
            List<Integer> back = perSecond(up);
            System.out.println("afterwards, by second " + back);

            assertThat(share).as("a busy machine makes it smaller").isBetween(0.5, 1.02);
            assertThat(back.getFirst()).as("the first second after an outage").isLessThan(RATE / 2);
            assertThat(sum(back.subList(7, 14))).isBetween(RATE, 7 * RATE + RATE / 5);
            assertThat(kafka.readAll(scene.topics.lane(Lane.DEAD_LETTER))).isEmpty();
        }
    }

    private Outcome handle(Delivery delivery) {
        (delivery.tenant().startsWith("limited") ? attempts : others).add(System.nanoTime());
        return isDown && delivery.tenant().startsWith("limited")
                ? Outcome.unavailable("down as requested") : Outcome.done();
    }

    /** Returns the attempts of each whole second since then. */
    private List<Integer> perSecond(long fromNanos) {
        int[] counts = new int[(int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - fromNanos)];
        for (long at : List.copyOf(attempts)) {
            long second = Math.floorDiv(at - fromNanos, TimeUnit.SECONDS.toNanos(1));
            if (second >= 0 && second < counts.length) {
                counts[(int) second]++;
            }
        }
        return Arrays.stream(counts).boxed().toList();
    }

    private static int sum(List<Integer> counts) {
        return counts.stream().mapToInt(Integer::intValue).sum();
    }

    private static void sleep(long seconds) {
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(seconds));
    }
}
