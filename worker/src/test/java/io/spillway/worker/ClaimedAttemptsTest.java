package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ClaimResult;
import io.spillway.kafka.codec.ItemHeaders;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** Claims of attempts with a lease of 30 s, which may be extended to a minute. */
class ClaimedAttemptsTest {
    private final CoreScene scene = new CoreScene(1 << 26);
    private final OwnedPartition hot = scene.take(0, ProgressState.fresh(0), 0);

    @Test
    void the_item_of_an_attempt_of_five_seconds_goes_to_delay_until_five_seconds_after_its_lease() {
        Attempt attempt = start();
        scene.advance(5_000);
        CommitBatch batch = scene.core.batch();
        ProducerRecord<byte[], byte[]> claim = only(batch.parts().get(hot).moves());
        assertThat(claim.topic()).isEqualTo(scene.topics.lane(Lane.DELAY));
        assertThat(claim.partition()).isEqualTo(hot.partition.partition());
        assertThat(claim.value()).isEqualTo(attempt.value());
        assertThat(text(claim, ItemHeaders.LANE_REASON)).isEqualTo("claimed");
        assertThat(text(claim, ItemHeaders.DUE)).isEqualTo(Long.toString(CoreScene.NOW_MILLIS + 35_000));
        assertThat(text(claim, ItemHeaders.CLAIM)).isEqualTo("worker-1-1");
        assertThat(text(claim, ItemHeaders.ORIGIN)).isEqualTo(attempt.item.origin());
        assertThat(batch.parts().get(hot).state().unfinished().size()).isZero();
        assertThat(attempt.isClaimHeld()).isFalse();
        scene.core.committed(batch);
        assertThat(attempt.isClaimHeld()).isTrue();
    }

    @Test
    void a_claim_that_is_not_committed_is_part_of_the_next_batch_and_does_not_hold() {
        Attempt attempt = start();
        scene.advance(5_000);
        CommitBatch first = scene.core.batch();
        scene.core.notCommitted(first);
        assertThat(attempt.isClaimHeld()).isFalse();
        CommitBatch second = scene.core.batch();
        assertThat(second.parts().get(hot).moves()).isEqualTo(first.parts().get(hot).moves());
        scene.core.committed(second);
        assertThat(attempt.isClaimHeld()).isTrue();
    }

    @Test
    void a_renewal_is_told_to_the_delay_lane_once() {
        Attempt attempt = claimed();
        attempt.renew(Duration.ofSeconds(50));
        scene.advance(100);
        CommitBatch batch = scene.core.batch();
        ProducerRecord<byte[], byte[]> renewal = only(batch.notices()).record();
        assertThat(ClaimResult.of(renewal.headers())).hasValue(ClaimResult.RENEWED);
        assertThat(text(renewal, ItemHeaders.DUE)).isEqualTo(Long.toString(CoreScene.NOW_MILLIS + 60_000));
        assertThat(renewal.value()).isNull();
        scene.core.committed(batch);
        scene.advance(100);
        assertThat(scene.core.batch().isEmpty()).isTrue();
    }

    @Test
    void an_attempt_whose_renewal_is_not_recorded_is_interrupted_two_and_a_half_seconds_after_its_old_lease() {
        Attempt attempt = claimed();
        attempt.renew(Duration.ofSeconds(50));
        scene.advance(27_499);
        assertThat(attempt.interruptIfOverdue(scene.nowNanos)).isFalse();
        scene.advance(1);
        assertThat(attempt.interruptIfOverdue(scene.nowNanos)).isTrue();
    }

    @Test
    void a_renewal_that_is_recorded_late_but_in_time_counts() {
        Attempt attempt = claimed();
        attempt.renew(Duration.ofSeconds(50));
        scene.advance(27_000);
        scene.commit();
        scene.advance(1_000);
        assertThat(attempt.interruptIfOverdue(scene.nowNanos)).isFalse();
        scene.advance(22_000);
        assertThat(attempt.interruptIfOverdue(scene.nowNanos)).isTrue();
    }

    @Test
    void a_call_that_ignores_the_end_of_its_lease_keeps_its_claim_until_it_is_given_up() {
        Attempt attempt = claimed();
        scene.advance(25_000);
        assertThat(attempt.interruptIfOverdue(scene.nowNanos)).isTrue();
        scene.advance(999);
        assertThat(scene.core.batch().isEmpty()).isTrue();
        scene.advance(51);
        ProducerRecord<byte[], byte[]> renewal = only(scene.core.batch().notices()).record();
        assertThat(text(renewal, ItemHeaders.DUE)).as("lease, two minutes, half a minute and the margin")
                .isEqualTo(Long.toString(CoreScene.NOW_MILLIS + 30_000 + 120_000 + 30_000 + 5_000));
    }

    @Test
    void a_call_that_is_given_up_is_a_line_in_the_log() {
        Attempt attempt = claimed();
        scene.advance(25_000);
        assertThat(attempt.interruptIfOverdue(scene.nowNanos)).isTrue();
        scene.advance(130_000);
        assertThat(scene.core.takeNotes()).hasSize(1).first().asString()
                .contains("An item is a dead letter", "keeps its slot");
    }

    @Test
    void the_end_of_a_claimed_attempt_is_told_until_it_is_committed() {
        scene.core.ended(claimed(), Outcome.done());
        CommitBatch first = scene.core.batch();
        assertThat(first.parts()).isEmpty();
        assertThat(ClaimResult.of(only(first.notices()).record().headers())).hasValue(ClaimResult.DONE);
        assertThat(scene.core.hasNotices()).isTrue();
        scene.core.notCommitted(first);
        CommitBatch second = scene.core.batch();
        assertThat(second.notices()).isEqualTo(first.notices());
        scene.core.committed(second);
        assertThat(scene.core.hasNotices()).isFalse();
    }

    @Test
    void a_failure_has_the_headers_of_a_retry_and_a_refusal_those_of_a_dead_letter() {
        scene.core.ended(claimed(), Outcome.retry("no"));
        ProducerRecord<byte[], byte[]> retry = only(scene.core.batch().notices()).record();
        assertThat(ClaimResult.of(retry.headers())).hasValue(ClaimResult.DELAYED);
        assertThat(text(retry, ItemHeaders.ATTEMPT)).isEqualTo("1");
        assertThat(text(retry, ItemHeaders.LANE_REASON)).isEqualTo("retry");

        ClaimedAttemptsTest refusing = new ClaimedAttemptsTest();
        refusing.scene.core.ended(refusing.claimed(), Outcome.dead("never"));
        ProducerRecord<byte[], byte[]> dead = only(refusing.scene.core.batch().notices()).record();
        assertThat(ClaimResult.of(dead.headers())).hasValue(ClaimResult.DEAD);
        assertThat(text(dead, ItemHeaders.DEAD_DETAIL)).isEqualTo("never");
    }

    @Test
    void an_attempt_of_a_partition_that_leaves_is_claimed_and_goes_on_when_that_is_committed() throws Exception {
        Attempt attempt = start();
        scene.core.leave(List.of(hot.partition), 0);
        assertThat(attempt.isInterrupted()).isFalse();
        CommitBatch batch = scene.core.batch();
        assertThat(batch.parts().get(hot).moves()).hasSize(1);
        assertThat(batch.parts().get(hot).state().clean()).isTrue();
        scene.core.committed(batch);
        scene.core.forget(List.of(hot.partition));
        assertThat(attempt.isInterrupted()).isFalse();
        scene.core.ended(attempt, Outcome.done());
        assertThat(scene.core.batch().notices()).hasSize(1);
    }

    @Test
    void an_attempt_whose_claim_is_not_committed_ends_with_its_partition() throws Exception {
        Attempt attempt = start();
        scene.core.leave(List.of(hot.partition), 0);
        scene.core.forget(List.of(hot.partition));
        assertThat(attempt.isInterrupted()).isTrue();
    }

    @Test
    void a_stop_interrupts_the_attempts_that_are_left_and_their_items_start_again_at_once() throws Exception {
        Attempt attempt = claimed();
        scene.core.forget(List.of(hot.partition));
        scene.core.drain(0);
        assertThat(attempt.isInterrupted()).isTrue();
        scene.core.ended(attempt, new Outcome.Interrupted());
        assertThat(ClaimResult.of(only(scene.core.batch().notices()).record().headers()))
                .hasValue(ClaimResult.RELEASED);
    }

    @Test
    void a_worker_that_has_not_polled_for_half_of_its_session_starts_nothing_until_it_knows_that_it_is_in_its_group() {
        start();
        scene.sleep(5_001);
        assertThat(scene.poll(hot, List.of(CoreScene.item(hot, 1, "acme", 0)))).isEmpty();
        CommitBatch first = scene.core.batch();
        assertThat(first.parts()).containsKey(hot);
        scene.core.notCommitted(first);
        assertThat(scene.core.receive(List.of())).isEmpty();
        assertThat(scene.core.committed(scene.core.batch())).hasSize(1);
    }

    @Test
    void a_commit_that_began_before_the_doubt_does_not_end_it() {
        start();
        scene.poll(hot, List.of(CoreScene.item(hot, 1, "acme", 0)));
        CommitBatch before = scene.core.batch();
        scene.sleep(5_001);
        scene.poll(hot, List.of(CoreScene.item(hot, 2, "acme", 0)));
        assertThat(scene.core.committed(before)).isEmpty();
        assertThat(scene.core.committed(scene.core.batch())).hasSize(1);
    }

    private Attempt start() {
        scene.commit();
        return only(scene.poll(hot, List.of(CoreScene.item(hot, 0, "acme", 0))));
    }

    /** Returns an attempt that has run for 5 s and is claimed. */
    private Attempt claimed() {
        Attempt attempt = start();
        scene.advance(5_000);
        scene.commit();
        assertThat(attempt.isClaimHeld()).isTrue();
        return attempt;
    }

    private static <T> T only(List<T> list) {
        assertThat(list).hasSize(1);
        return list.getFirst();
    }

    private static String text(ProducerRecord<byte[], byte[]> record, String header) {
        return ItemHeaders.text(record.headers(), header).orElse("");
    }
}
