package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.progress.ProgressState;
import io.spillway.handler.BatchHandler;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.tracing.Tracing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DrillsTest {
    private final CoreScene scene = new CoreScene(1 << 20);
    private final List<String> halts = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({
        "0 none 0 0 0, Done, 0", "0 slow 1 1000 2000, Done, 0", "0 outage 0 1000 2000, Unavailable, 0",
        "0 outage 0 1001 2000, Done, 0", "0 kill 0 1000 2000, Done, 1", "0 kill 0 0 1000, Done, 0",
        "0 burn 0 1000 2000, Dead, 0"})
    void an_item_of_a_drill_ends_as_its_header_says(String header, String outcome, int kills) {
        Optional<Outcome> result = drills(true).run(attempt(header));
        assertThat(result.orElseThrow().getClass().getSimpleName()).isEqualTo(outcome);
        assertThat(halts).hasSize(kills);
    }

    @Test
    void a_worker_that_does_not_allow_it_is_not_killed() {
        assertThat(drills(false).run(attempt("0 kill 0 1000 2000"))).contains(Outcome.done());
        assertThat(halts).isEmpty();
    }

    @Test
    void an_attempt_that_is_interrupted_ends() {
        Thread.currentThread().interrupt();
        assertThat(drills(true).run(attempt("600000 none 0 0 0")).orElseThrow()).isInstanceOf(Outcome.Retry.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void no_handler_gets_it(boolean isForBatches) {
        List<String> got = new ArrayList<>();
        BatchHandler handler = deliveries -> {
            deliveries.forEach(delivery -> got.add(delivery.id()));
            return deliveries.stream().map(any -> Outcome.done()).toList();
        };
        scene.batchItems = isForBatches ? 3 : 1;
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 3);
        scene.commit();
        AttemptRunner runner = scene.runner(handler, Tracing.OFF, drills(true));
        scene.poll(owned, LongStream.range(0, 3)
                .mapToObj(offset -> item(owned, offset, offset == 1 ? "0 none 0 0 0" : "")).toList())
                .forEach(runner::handle);
        assertThat(got).containsExactly("item-0", "item-2");
        assertThat(scene.core.count(attempt -> true)).as("attempts that run").isZero();
    }

    @Test
    void it_begins_no_call_for_several_items() {
        BatchHandler handler = deliveries -> List.of();
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 2);
        scene.commit();
        Attempt attempt = scene.poll(owned, List.of(item(owned, 0, "0 none 0 0 0"))).getFirst();
        assertThat(AttemptRunner.batchItems(handler).applyAsInt(attempt.item)).isEqualTo(1);
        Attempt usual = scene.poll(owned, List.of(item(owned, 1, ""))).getFirst();
        assertThat(AttemptRunner.batchItems(handler).applyAsInt(usual.item)).isEqualTo(handler.maxItems(""));
        assertThat(handler.maxItems("")).isGreaterThan(1);
    }

    private Drills drills(boolean mayKill) {
        return new Drills(mayKill, () -> Instant.ofEpochMilli(1_000), () -> halts.add("halt"));
    }

    private Attempt attempt(String header) {
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 1);
        scene.commit();
        return scene.poll(owned, List.of(item(owned, 0, header))).getFirst();
    }

    private static ConsumerRecord<byte[], byte[]> item(OwnedPartition owned, long offset, String header) {
        ConsumerRecord<byte[], byte[]> record = CoreScene.item(owned, offset, "acme", 0);
        if (!header.isEmpty()) {
            ItemHeaders.set(record.headers(), ItemHeaders.DRILL, header);
        }
        return record;
    }
}
