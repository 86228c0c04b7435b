package io.spillway.worker;

import static io.spillway.worker.CoreScene.NOW_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.routing.Sweep;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.KeyHash;
import io.spillway.kafka.codec.TrailCodec;
import io.spillway.kafka.codec.Turn;
import io.spillway.kafka.view.SweepTarget;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Items that a real worker's core drops or moves because of a sweep, a cancel or their age. */
class StaleItemsTest {
    private static final int SLOTS = 50;

    private final CoreScene scene = new CoreScene(1 << 20, "1h");
    private PolicySettings settings = PolicySettings.NONE_SET;

    /** Times in seconds before now; the sweep started 1,000 s ago and completed now. */
    @ParameterizedTest(name = "in {0}, enqueued {1} s and entered {2} s ago, attempts {3}: {4}")
    @CsvSource({
        "HOT,      1061, 1061, 0, dropped sweep",
        "OVERFLOW, 1061, 1061, 0, dropped sweep",
        "AGED,     1061, 1061, 0, dropped sweep",
        "HOT,      1061, 1061, 3, dropped sweep",
        "HOT,      1060, 1061, 0, started",
        "HOT,      1061, 1060, 0, started",
        // A producer an hour slow, and one an hour fast.
        "HOT,      4000,  400, 0, started",
        "AGED,     4600, 1000, 0, started",
        "HOT,      4661, 1061, 0, dropped sweep",
        "HOT,     -3200,  400, 0, started",
    })
    void an_arrival_is_dropped_if_a_sweep_covers_both_of_its_times(
            Lane lane, long enqueuedAgo, long enteredAgo, int attempts, String expected) {
        set(PolicyField.SWEEPABLE, "true");
        set(PolicyField.AGED_AFTER, "none");
        scene.sweeps.put("acme", Sweeps.encode("acme", "nightly", new Sweep(NOW_MILLIS - 1_000_000, NOW_MILLIS)));

        assertThat(fate(lane, enqueuedAgo, enteredAgo, attempts)).isEqualTo(expected);
    }

    @ParameterizedTest(name = "in {0}, {1} s old, ttl {2}: {3}")
    @CsvSource({
        "HOT,       60, 1m,   started",
        "HOT,       61, 1m,   dropped ttl",
        "OVERFLOW,  61, 1m,   dropped ttl",
        "AGED,      61, 1m,   dropped ttl",
        "HOT,      300, none, started",
        "HOT,      301, none, moved to aged",
        "OVERFLOW, 301, none, moved to aged",
        "AGED,     301, none, started",
        "HOT,      301, 1h,   moved to aged",
    })
    void an_arrival_is_dropped_at_its_time_to_live_and_moved_to_aged_by_its_age(
            Lane lane, long ageSeconds, String ttl, String expected) {
        set(PolicyField.TTL, ttl);

        assertThat(fate(lane, ageSeconds, ageSeconds, 0)).isEqualTo(expected);
    }

    @ParameterizedTest(name = "in {0}, entered {1} s ago, attempts {2}, cancel of {3} before 100 s ago: {4}")
    @CsvSource({
        "HOT,      101, 0, !acme,           dropped cancelled",
        "OVERFLOW, 101, 0, !acme,           dropped cancelled",
        "AGED,     101, 4, !acme,           dropped cancelled",
        "HOT,      100, 0, !acme,           started",
        "HOT,      101, 0, !acme/mail,      dropped cancelled",
        "HOT,      101, 0, !acme/news,      started",
        "HOT,      101, 2, !acme//item-0,   dropped cancelled",
        "HOT,      101, 0, !acme//item-1,   started",
        "HOT,      101, 0, !bolt,           started",
    })
    void an_arrival_is_dropped_if_a_cancel_covers_its_entry(
            Lane lane, long enteredAgo, int attempts, String key, String expected) {
        cancel(key, NOW_MILLIS - 100_000);

        assertThat(fate(lane, 1, enteredAgo, attempts)).isEqualTo(expected);
    }

    @ParameterizedTest(name = "replay that began {0} s ago, cancel 100 s ago: {1}")
    @CsvSource({"101, dropped cancelled", "100, started"})
    void a_cancel_drops_no_dead_letter_that_was_replayed_after_it(long beganAgo, String expected) {
        cancel("!acme", NOW_MILLIS - 100_000);
        OwnedPartition owned = scene.take(Lane.HOT, 0, ProgressState.fresh(0), 0);
        scene.commit();
        ConsumerRecord<byte[], byte[]> replayed = record(owned, 0, "acme", 0, 1_000, 0);
        replayed.headers().add(
                ItemHeaders.REPLAY_BEGAN_AT, bytes(Long.toString(NOW_MILLIS - beganAgo * 1_000)));

        List<Attempt> started = scene.poll(owned, List.of(replayed));

        assertThat(started.isEmpty() ? endsOf(owned) : List.of("started")).containsExactly(expected);
    }

    @Test
    void items_that_wait_for_a_slot_are_dropped_and_moved_when_they_get_one() {
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
        scene.commit();
        List<Attempt> running = scene.poll(owned, LongStream.range(0, SLOTS + 3).mapToObj(offset ->
                record(owned, offset, offset < SLOTS ? "bolt-" + offset : "acme-" + offset, 0, 0, 0)).toList());
        assertThat(running).hasSize(SLOTS);
        settings = settings.with(PolicyField.SWEEPABLE, "true").with(PolicyField.SWEEP_MARGIN, "0s");
        scene.policies.put("acme-50", TenantPolicies.encode("acme-50", settings));
        scene.sweeps.put("acme-50", Sweeps.encode(
                "acme-50", "nightly", new Sweep(NOW_MILLIS + 1, NOW_MILLIS + 2)));
        PolicySettings shortLived = PolicySettings.NONE_SET.with(PolicyField.TTL, "1m");
        scene.policies.put("acme-51", TenantPolicies.encode("acme-51", shortLived));
        scene.nowMillis += 300_001;

        running.forEach(scene.runner(delivery -> Outcome.done())::handle);

        assertThat(scene.core.<Integer>read(engine -> engine.waiting(Lane.HOT))).isZero();
        assertThat(endsOf(owned)).filteredOn(end -> !end.equals("done"))
                .containsExactlyInAnyOrder("dropped sweep", "dropped ttl", "moved to aged");
    }

    @Test
    void what_waits_is_cancelled_within_ten_seconds_and_what_runs_is_not() {
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
        scene.commit();
        List<Attempt> running = scene.poll(owned, LongStream.range(0, SLOTS + 10)
                .mapToObj(offset -> record(owned, offset, "acme", 0, 0, 0)).toList());
        int waiting = SLOTS + 10 - running.size();
        assertThat(waiting).isPositive();

        cancel("!acme", NOW_MILLIS + 1);
        scene.nowMillis += 10_000;
        scene.core.receive(List.of());

        assertThat(scene.core.<Integer>read(engine -> engine.waiting(Lane.HOT))).isZero();
        assertThat(scene.core.count(attempt -> true)).isEqualTo(running.size());
        assertThat(endsOf(owned)).hasSize(waiting).containsOnly("dropped cancelled");
    }

    @ParameterizedTest(name = "enqueued 200 s ago, due at {0} s from now: waits for {1} s")
    @CsvSource({"-1, 1", "0, 0", "9, 0", "-300, 200", "-9223372036854775, 200"})
    void what_waits_for_a_slot_waits_since_its_turn_or_since_it_was_due(long dueSeconds, long waitsSeconds) {
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
        scene.commit();
        scene.poll(owned, LongStream.range(0, SLOTS)
                .mapToObj(offset -> record(owned, offset, "bolt-" + offset, 0, 0, 0)).toList());
        ConsumerRecord<byte[], byte[]> inTurn = record(owned, SLOTS, "acme", 200, 200, 0);
        inTurn.headers().add(ItemHeaders.ORDER_KEY, bytes("user-1"))
                .add(ItemHeaders.DUE, bytes(Long.toString(NOW_MILLIS + dueSeconds * 1_000)));
        new Turn(0, KeyHash.ofKey("acme", "", "user-1"), 1).set(inTurn.headers());

        assertThat(scene.poll(owned, List.of(inTurn))).isEmpty();
        Map<Lane, Map<String, Long>> since = scene.core.read(WorkerEngine::waitingSinceMillis);
        assertThat(since).isEqualTo(Map.of(Lane.HOT, Map.of("acme", NOW_MILLIS - waitsSeconds * 1_000)));
    }

    private void set(PolicyField field, String value) {
        settings = settings.with(field, value);
        scene.policies.put("acme", TenantPolicies.encode("acme", settings));
    }

    private void cancel(String key, long beforeMillis) {
        String[] parts = key.substring(1).split("/", 3);
        SweepTarget target = new SweepTarget(
                true, parts[0], parts.length > 1 ? parts[1] : "", parts.length > 2 ? parts[2] : "");
        scene.sweeps.put(key, Sweeps.encode(new Sweeps.Mark(target, "", new Sweep(beforeMillis, NOW_MILLIS + 1))));
    }

    /** Polls one item and returns what happens to it. */
    private String fate(Lane lane, long enqueuedAgoSeconds, long enteredAgoSeconds, int attempts) {
        OwnedPartition owned = scene.take(lane, 0, ProgressState.fresh(0), 0);
        scene.commit();
        List<Attempt> started = scene.poll(owned,
                List.of(record(owned, 0, "acme", enqueuedAgoSeconds, enteredAgoSeconds, attempts)));
        if (!started.isEmpty()) {
            return "started";
        }
        List<String> ends = endsOf(owned);
        assertThat(ends).hasSize(1);
        return ends.getFirst();
    }

    /** Returns what the records of the next transaction say, and checks that those moved keep their time of entry. */
    private List<String> endsOf(OwnedPartition owned) {
        return scene.core.batch().parts().get(owned).moves().stream().map(this::end).toList();
    }

    private String end(ProducerRecord<byte[], byte[]> record) {
        if (record.topic().equals(scene.topics.trail())) {
            return TrailCodec.End.of(record.value())
                    .map(end -> (end.state().label() + " " + end.reason()).strip()).orElseThrow();
        }
        assertThat(record.timestamp()).as("the time of entry stays").isLessThanOrEqualTo(NOW_MILLIS);
        assertThat(record.topic()).isEqualTo(scene.topics.lane(Lane.AGED));
        return "moved to aged";
    }

    private ConsumerRecord<byte[], byte[]> record(
            OwnedPartition owned, long offset, String tenant, long enqueuedAgoSeconds, long enteredAgoSeconds,
            int attempts) {
        Headers headers = new RecordHeaders()
                .add(ItemHeaders.TENANT, bytes(tenant))
                .add(ItemHeaders.ID, bytes("item-" + offset))
                .add(ItemHeaders.WORKLOAD, bytes("mail"))
                .add(ItemHeaders.ENQUEUED_AT, bytes(Long.toString(NOW_MILLIS - enqueuedAgoSeconds * 1_000)))
                .add(ItemHeaders.ATTEMPT, bytes(Integer.toString(attempts)));
        byte[] value = {1};
        return new ConsumerRecord<>(owned.partition.topic(), owned.partition.partition(), offset,
                NOW_MILLIS - enteredAgoSeconds * 1_000, TimestampType.CREATE_TIME, -1, value.length, null, value,
                headers, Optional.empty());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
