package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.view.TenantPolicies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the worker counts of tenants that have an objective of 10 s. */
class ObjectivesTest {
    private final CoreScene scene = new CoreScene(1 << 20);
    private final OwnedPartition hot = scene.take(0, ProgressState.fresh(0), 0);

    @BeforeEach
    void acme_has_an_objective() {
        scene.commit();
        scene.policies.put("acme", TenantPolicies.encode(
                "acme", PolicySettings.NONE_SET.with(PolicyField.DONE_WITHIN, "10s")));
    }

    @Test
    void an_item_meets_it_if_it_is_done_in_time_and_a_retry_is_no_end() {
        List<Attempt> running = start("acme", 3);
        scene.core.ended(running.get(0), Outcome.retry("down"));
        assertThat(counted()).isEmpty();
        scene.core.ended(running.get(1), Outcome.done());
        scene.sleep(10_000);
        scene.core.ended(running.get(2), Outcome.done());
        assertThat(counted()).isEqualTo(Map.of("acme met", 2));
    }

    @Test
    void one_that_is_done_later_is_late_and_a_dead_letter_has_failed() {
        List<Attempt> running = start("acme", 2);
        scene.sleep(10_001);
        scene.core.ended(running.get(0), Outcome.done());
        scene.core.ended(running.get(1), Outcome.dead("broken"));
        assertThat(counted()).isEqualTo(Map.of("acme late", 1, "acme failed", 1));
    }

    @Test
    void the_end_of_a_claimed_attempt_counts_once() {
        Attempt attempt = start("acme", 1).getFirst();
        attempt.renew(Duration.ofMinutes(1));
        scene.advance(5_000);
        scene.commit();
        scene.core.ended(attempt, Outcome.done());
        scene.commit();
        assertThat(counted()).isEqualTo(Map.of("acme met", 1));
    }

    @Test
    void the_retry_of_an_item_that_waited_for_its_turn_counts_from_its_turn() {
        scene.advance(60_000);
        for (int offset = 0; offset < 2; offset++) {
            ConsumerRecord<byte[], byte[]> retry = CoreScene.item(hot, offset, "acme", 0);
            long turnMillis = scene.nowMillis - 10_000 - offset;
            Map.of(ItemHeaders.ORDER_KEY, "user-1", ItemHeaders.TURN_AT, "" + turnMillis,
                    ItemHeaders.FIRST_ATTEMPT_AT, "" + (turnMillis + 1), ItemHeaders.ATTEMPT, "1")
                    .forEach((name, value) -> ItemHeaders.set(retry.headers(), name, value));
            scene.core.ended(scene.poll(hot, List.of(retry)).getFirst(), Outcome.done());
        }
        assertThat(counted()).isEqualTo(Map.of("acme met", 1, "acme late", 1));
    }

    @Test
    void without_an_objective_nothing_is_counted() {
        scene.core.ended(start("bolt", 1).getFirst(), Outcome.done());
        assertThat(counted()).isEmpty();
    }

    private List<Attempt> start(String tenant, int items) {
        return scene.poll(hot, IntStream.range(0, items)
                .mapToObj(offset -> CoreScene.item(hot, offset, tenant, 0)).toList());
    }

    private Map<String, Integer> counted() {
        Map<String, Integer> counts = new TreeMap<>();
        for (Counter counter : scene.registry.find("spillway.objective.items").counters()) {
            if (counter.count() > 0) {
                counts.put(counter.getId().getTag("tenant") + " " + counter.getId().getTag("result"),
                        (int) counter.count());
            }
        }
        return counts;
    }
}
