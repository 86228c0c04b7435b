package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Timer;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.progress.OffsetList;
import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.view.TenantPolicies;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bounds of the worker's memory and of its transactions, and the release of partitions. */
class WorkerCoreTest {
    private static final int READ_AHEAD_BYTES = 1 << 20;
    private static final int HEADER_BYTES = 100_000;
    private static final int MOST = READ_AHEAD_BYTES / HEADER_BYTES + 1;

    private final CoreScene scene = new CoreScene(READ_AHEAD_BYTES);

    @Test
    void headers_of_items_that_wait_for_a_slot_count_in_the_read_ahead() {
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
        scene.commit();
        assertThat(readUntilPaused(owned)).isLessThanOrEqualTo(MOST);
    }

    @Test
    void items_that_wait_for_a_commit_count_in_the_read_ahead() {
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
        assertThat(readUntilPaused(owned)).as("nothing may start yet").isLessThanOrEqualTo(MOST);
    }

    /** Otherwise items that ended a worker of little memory end the next ones too. */
    @Test
    void suspects_count_in_the_read_ahead() {
        OwnedPartition owned = scene.take(
                0, new ProgressState(0, 0, 100, OffsetList.EMPTY, Optional.empty(), 0, false, true), 1_000);
        assertThat(readUntilPaused(owned)).isLessThanOrEqualTo(MOST);
        assertThat(scene.core.<Integer>read(WorkerEngine::suspects)).isGreaterThan(0);
    }

    @Test
    void a_released_partition_leaves_no_bytes_in_the_read_ahead() {
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
        OwnedPartition other = scene.take(1, ProgressState.fresh(0), 0);
        scene.commit();
        readUntilPaused(owned);
        readUntilPaused(other);
        scene.core.forget(List.of(owned.partition));
        assertThat(scene.isPaused(other)).isFalse();
    }

    /** Due times and replays are no delay of the worker's. */
    @Test
    void an_item_waits_since_it_was_made_or_read_after_its_due_time_until_its_first_attempt_has_ended() {
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
        scene.nowMillis += 120_000;
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (String tenant : List.of("fresh", "due", "retried", "replayed", "scheduled", "in-turn")) {
            records.add(CoreScene.item(owned, records.size(), tenant, 0));
        }
        records.get(1).headers().add(ItemHeaders.LANE_REASON, ModelLedger.bytes("due"));
        records.get(2).headers().add(ItemHeaders.ATTEMPT, ModelLedger.bytes("1"));
        records.get(3).headers().add(
                ItemHeaders.REPLAYED_AT, ModelLedger.bytes(Long.toString(CoreScene.NOW_MILLIS + 60_000)));
        records.get(4).headers().add(
                ItemHeaders.DELIVER_AT, ModelLedger.bytes(Long.toString(CoreScene.NOW_MILLIS + 90_000)));
        records.get(5).headers().add(
                ItemHeaders.DUE, ModelLedger.bytes(Long.toString(CoreScene.NOW_MILLIS + 110_000)));
        scene.poll(owned, records);
        scene.nowMillis += 600_000;

        Map<Lane, Map<String, Long>> since = scene.core.read(WorkerEngine::waitingSinceMillis);
        assertThat(since).isEqualTo(Map.of(Lane.HOT, Map.of(
                "fresh", CoreScene.NOW_MILLIS, "due", CoreScene.NOW_MILLIS + 120_000,
                "replayed", CoreScene.NOW_MILLIS + 60_000, "scheduled", CoreScene.NOW_MILLIS + 90_000,
                "in-turn", CoreScene.NOW_MILLIS + 110_000)));
    }

    @Test
    void the_age_of_items_that_are_taken_without_an_attempt_is_recorded() {
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
        scene.nowMillis += Duration.ofMinutes(6).toMillis();
        ConsumerRecord<byte[], byte[]> retry = CoreScene.item(owned, 1, "acme", 0);
        retry.headers().add(ItemHeaders.ATTEMPT, ModelLedger.bytes("1"));
        retry.headers().add(ItemHeaders.FIRST_ATTEMPT_AT, ModelLedger.bytes("1700000000000"));
        scene.poll(owned, List.of(CoreScene.item(owned, 0, "acme", 0), retry));

        for (String attempt : List.of("first", "retry")) {
            Timer age = scene.registry.get("spillway.age_of_set_aside").tag("lane", "hot").tag("attempt", attempt)
                    .timer();
            assertThat(age.count()).as("%s, moved to aged", attempt).isEqualTo(1);
            assertThat(age.totalTime(TimeUnit.MINUTES)).isEqualTo(6);
        }
    }

    @Test
    void an_attempt_of_a_handler_on_demand_begins_when_its_item_is_asked_for() {
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
        scene.commit();
        scene.limit = 0;
        assertThat(scene.poll(owned, List.of(
                CoreScene.item(owned, 0, "acme", 0), CoreScene.item(owned, 1, "acme", 0)))).isEmpty();
        scene.nowMillis += 90_000;
        scene.limit = 1;

        List<Attempt> started = scene.core.receive(List.of());
        assertThat(started).hasSize(1);
        assertThat(scene.core.receive(List.of())).as("one at one time").isEmpty();
        assertThat(started.getFirst().endsAt()).as("its lease begins now")
                .isAfter(Instant.ofEpochMilli(scene.nowMillis));
        assertThat(scene.runner(delivery -> Outcome.done()).handle(started.getFirst()))
                .as("its end makes room for the next").hasSize(1);
        Timer age = scene.registry.get("spillway.age_of_first_attempt").tags("tenant", "acme", "lane", "hot")
                .timer();
        assertThat(age.count()).isEqualTo(1);
        assertThat(age.totalTime(TimeUnit.SECONDS)).as("it waited in its lane").isEqualTo(90);
    }

    @Test
    void items_that_never_got_a_slot_are_dead_letters_of_the_next_transaction() {
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
        scene.commit();
        List<Attempt> started = scene.poll(owned, LongStream.range(0, 60)
                .mapToObj(offset -> CoreScene.item(owned, offset, "acme", 0)).toList());
        assertThat(started).hasSizeLessThan(60);
        scene.nowMillis += Duration.ofDays(14).toMillis() - 1;
        scene.core.receive(List.of());
        assertThat(scene.core.<Integer>read(engine -> engine.waiting(Lane.HOT))).isEqualTo(60 - started.size());

        scene.nowMillis += Duration.ofSeconds(10).toMillis();
        scene.core.receive(List.of());

        assertThat(scene.core.<Integer>read(engine -> engine.waiting(Lane.HOT))).isZero();
        List<ProducerRecord<byte[], byte[]>> dead = scene.core.batch().parts().get(owned).moves();
        assertThat(dead).hasSize(60 - started.size()).allSatisfy(record -> {
            assertThat(record.topic()).isEqualTo(scene.topics.lane(Lane.DEAD_LETTER));
            assertThat(ItemHeaders.text(record.headers(), ItemHeaders.DEAD_REASON)).contains("expired");
            assertThat(ItemHeaders.text(record.headers(), ItemHeaders.DEAD_STAGE)).contains("worker");
            assertThat(ItemHeaders.text(record.headers(), ItemHeaders.DEAD_AT))
                    .contains(Long.toString(scene.nowMillis));
        });
        assertThat(scene.core.count(attempt -> true)).as("attempts go on").isEqualTo(started.size());
    }

    @Test
    void headers_of_moves_count_in_the_transaction() {
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
        int records = 0;
        for (; !scene.isPaused(owned) && records < 1_000; records++) {
            scene.poll(owned, List.of(CoreScene.bad(owned, records, HEADER_BYTES)));
        }
        assertThat(records).isLessThanOrEqualTo((16 << 20) / HEADER_BYTES + 1);
        scene.commit();
        assertThat(scene.isPaused(owned)).isFalse();
    }

    /** A cut list would forget the moves above the cut, which are in the same transaction. */
    @Test
    void the_progress_after_a_whole_poll_fits_its_metadata() {
        int most = readApart();
        CoreScene last = new CoreScene(1 << 30);
        OwnedPartition owned = last.take(0, ProgressState.fresh(0), 0);
        List<ConsumerRecord<byte[], byte[]>> records = IntStream.range(0, most + PollThread.MAX_RECORDS)
                .mapToObj(i -> i == most + PollThread.MAX_RECORDS - 2
                        ? CoreScene.bad(owned, apart(i), 0) : CoreScene.item(owned, apart(i), "acme", 0))
                .toList();
        last.poll(owned, records.subList(0, most - 1));
        assertThat(last.isPaused(owned)).isFalse();
        last.poll(owned, records.subList(most - 1, most - 1 + PollThread.MAX_RECORDS));
        CommitBatch.Part part = last.core.batch().parts().get(owned);
        assertThat(part.moves()).hasSize(1);
        assertThat(ProgressCodec.decode(part.state().frontier(), ProgressCodec.encode(part.state())))
                .isEqualTo(part.state());
    }

    @Test
    void a_poll_beyond_what_was_taken_over_is_read_again_when_there_is_no_room() {
        CoreScene scene = new CoreScene(1 << 30);
        long[] unfinished = LongStream.range(0, 900).map(i -> 200 * i).toArray();
        long readTo = 200 * 899 + 1;
        OwnedPartition owned = scene.take(0, new ProgressState(
                0, readTo, readTo, OffsetList.of(unfinished), Optional.empty(), 0, false, false), 1_000_000);
        assertThat(scene.isPaused(owned)).isFalse();
        scene.poll(owned, IntStream.range(0, 850)
                .mapToObj(i -> CoreScene.item(owned, 200L * i, "acme", 0)).toList());
        scene.poll(owned, IntStream.range(850, 1_350)
                .mapToObj(i -> CoreScene.item(owned, 200L * i, "acme", 0)).toList());
        assertThat(owned.position()).isEqualTo(200L * 900);
        assertThat(owned.unfinished()).isEqualTo(900);
        assertThat(scene.isPaused(owned)).isTrue();
        ProgressState state = scene.core.batch().parts().get(owned).state();
        assertThat(ProgressCodec.decode(state.frontier(), ProgressCodec.encode(state))).isEqualTo(state);
    }

    /** Otherwise the next owner takes the partition over without the last outcomes, and finds suspects. */
    @Test
    void a_partition_whose_last_batch_is_in_flight_has_to_commit() throws Exception {
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
        scene.commit();
        scene.core.leave(List.of(owned.partition), 0);
        assertThat(scene.core.hasToCommit(List.of(owned.partition))).isTrue();
        CommitBatch last = scene.core.batch();
        assertThat(last.parts().get(owned).state().clean()).isTrue();
        assertThat(scene.core.hasToCommit(List.of(owned.partition))).as("in flight").isTrue();
        scene.core.notCommitted(last);
        assertThat(scene.core.hasToCommit(List.of(owned.partition))).as("failed").isTrue();
        scene.commit();
        assertThat(scene.core.hasToCommit(List.of(owned.partition))).as("committed").isFalse();
    }

    @Test
    @Timeout(60) // The grace is an hour.
    void attempts_whose_results_cannot_be_committed_have_no_grace() throws Exception {
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
        scene.commit();
        Attempt running = scene.poll(owned, List.of(CoreScene.item(owned, 0, "acme", 0))).getFirst();

        scene.core.stopCommits();
        scene.core.leave(List.of(owned.partition), TimeUnit.HOURS.toMillis(1));

        assertThat(running.isInterrupted()).isTrue();
    }

    @ParameterizedTest(name = "at most {0} attempts, {1} ms since the last poll")
    @CsvSource({"0, 600", "1, 600", "50, 5001"})
    void a_start_that_a_rate_allows_is_not_waited_for_while_nothing_else_lets_an_item_start(int limit, long millis)
            throws Exception {
        pace();
        scene.limit = limit;
        scene.sleep(millis);
        int[] looks = {0};
        Thread pacing = Thread.ofPlatform().daemon().start(() -> {
            try {
                while (looks[0] < 100) {
                    scene.core.awaitStart();
                    looks[0]++;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        while (pacing.getState() != Thread.State.TIMED_WAITING && pacing.isAlive()) {
            Thread.onSpinWait();
        }
        pacing.interrupt();
        pacing.join();
        assertThat(looks[0]).isLessThan(3);
    }

    @Test
    @Timeout(60)
    void a_start_that_a_rate_allows_is_waited_for_as_soon_as_an_item_may_start() throws Exception {
        pace();
        assertThat(scene.core.awaitStart()).as("its time has changed").isEmpty();
        scene.sleep(1_100);
        assertThat(scene.core.awaitStart()).hasSize(1);
    }

    /** Starts an item of a tenant that may start one a second now, and lets a second one wait. */
    private void pace() {
        scene.policies.put("acme", TenantPolicies.encode(
                "acme", PolicySettings.NONE_SET.with(PolicyField.ATTEMPT_RATE, "1")));
        OwnedPartition owned = scene.take(Lane.OVERFLOW, 0, ProgressState.fresh(0), 0);
        scene.commit();
        assertThat(scene.poll(owned, List.of(
                CoreScene.item(owned, 0, "acme", 0), CoreScene.item(owned, 1, "acme", 0)))).hasSize(1);
    }

    private int readUntilPaused(OwnedPartition owned) {
        int read = 0;
        for (; !scene.isPaused(owned) && read < 1_000; read++) {
            scene.poll(owned, List.of(CoreScene.item(owned, read, "acme", HEADER_BYTES)));
        }
        return read;
    }

    /** Returns the offset of an item whose distance takes two bytes and is not repeated. */
    private static long apart(int i) {
        return 200L * i + i % 2;
    }

    /** Returns how many items at these distances are read until their partition is paused. */
    private static int readApart() {
        CoreScene probe = new CoreScene(1 << 30);
        OwnedPartition owned = probe.take(0, ProgressState.fresh(0), 0);
        int read = 0;
        for (; !probe.isPaused(owned); read++) {
            probe.poll(owned, List.of(CoreScene.item(owned, apart(read), "acme", 0)));
        }
        return read;
    }
}
