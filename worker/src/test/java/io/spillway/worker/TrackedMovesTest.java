package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.view.TenantPolicies;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a worker's transactions tell on the trail of the items of a tracked tenant. */
class TrackedMovesTest {
    private final CoreScene scene = new CoreScene(1 << 20, "1h");
    private final OwnedPartition hot = scene.take(0, ProgressState.fresh(0), 0);

    @BeforeEach
    void acme_is_tracked() {
        scene.commit();
        scene.policies.put("acme", TenantPolicies.encode(
                "acme", PolicySettings.NONE_SET.with(PolicyField.TRACKED, "true")));
    }

    @Test
    void a_retry_a_dead_letter_and_an_end_are_told_with_the_attempts() {
        Map<Long, Outcome> outcomes = Map.of(
                0L, Outcome.retry("down"), 1L, Outcome.dead("bad"), 2L, Outcome.done(), 3L, Outcome.retry("down"));
        scene.poll(hot, List.of(
                        CoreScene.item(hot, 0, "acme", 0), CoreScene.item(hot, 1, "acme", 0),
                        CoreScene.item(hot, 2, "acme", 0), CoreScene.item(hot, 3, "bolt", 0)))
                .forEach(attempt -> scene.core.ended(attempt, outcomes.get(attempt.item.record().offset())));

        assertThat(trail(scene.core.batch())).containsExactlyInAnyOrder(
                "item-0 delay retry 1", "item-1 dead-letter final-failure 1", "item-2 done 1");
    }

    @Test
    void a_finished_item_tells_how_long_its_attempt_took_and_when_the_first_one_began() {
        long beganMillis = scene.nowMillis;
        Attempt attempt = scene.poll(hot, List.of(CoreScene.item(hot, 0, "bolt", 0))).getFirst();
        scene.runner(delivery -> {
            scene.sleep(1_234);
            return Outcome.done();
        }).handle(attempt);

        assertThat(scene.core.batch().parts().get(hot).moves()).singleElement().satisfies(record -> {
            assertThat(ItemHeaders.number(record.headers(), ItemHeaders.TOOK)).hasValue(1_234);
            assertThat(ItemHeaders.number(record.headers(), ItemHeaders.FIRST_ATTEMPT_AT)).hasValue(beganMillis);
        });
    }

    @Test
    void an_attempt_that_is_claimed_is_told() {
        Attempt attempt = scene.poll(hot, List.of(CoreScene.item(hot, 0, "acme", 0))).getFirst();
        attempt.renew(Duration.ofMinutes(1));
        scene.advance(5_000);

        CommitBatch batch = scene.core.batch();
        assertThat(trail(batch)).containsExactly("item-0 delay claimed 0");
        scene.core.committed(batch);
        assertThat(attempt.isClaimHeld()).isTrue();
    }

    private List<String> trail(CommitBatch batch) {
        return batch.parts().get(hot).moves().stream()
                .filter(record -> record.topic().equals(scene.topics.trail()))
                .map(record -> ItemHeaders.text(record.headers(), ItemHeaders.ID).orElseThrow() + " "
                        + new String(record.value(), StandardCharsets.US_ASCII) + " "
                        + ItemHeaders.number(record.headers(), ItemHeaders.ATTEMPT).orElseThrow())
                .toList();
    }
}
