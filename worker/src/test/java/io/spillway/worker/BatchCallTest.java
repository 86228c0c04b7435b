package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.progress.ProgressState;
import io.spillway.handler.BatchHandler;
import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of a handler that takes several items. */
class BatchCallTest {
    private final CoreScene scene = new CoreScene(1 << 20);
    private final List<List<String>> calls = new ArrayList<>();

    /** Runs three items of one tenant in one call; returns their attempts. */
    private List<Attempt> run(BatchHandler handler) {
        scene.batchItems = 3;
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 3);
        scene.commit();
        List<Attempt> started = scene.poll(owned, LongStream.range(0, 3)
                .mapToObj(offset -> CoreScene.item(owned, offset, "acme", 0)).toList());
        assertThat(started).hasSize(1);
        Attempt first = started.getFirst();
        List<Attempt> all = new ArrayList<>(first.riders());
        all.addFirst(first);
        BatchHandler recorded = deliveries -> {
            calls.add(deliveries.stream().map(Delivery::id).toList());
            return handler.handleAll(deliveries);
        };
        assertThat(scene.runner(recorded).handle(first)).isEmpty();
        assertThat(scene.core.count(attempt -> true)).as("attempts that run").isZero();
        assertThat(calls).containsExactly(List.of("item-0", "item-1", "item-2"));
        return all;
    }

    @Test
    void each_item_has_its_own_outcome() {
        List<Outcome> outcomes = Arrays.asList(Outcome.done(), null, Outcome.dead("no account"));
        List<Attempt> attempts = run(deliveries -> outcomes);
        assertThat(attempts.get(0).result).isEqualTo(Outcome.done());
        assertThat(attempts.get(1).result).isEqualTo(
                Outcome.retry("The handler returned null. It must return an outcome."));
        assertThat(attempts.get(2).result).isEqualTo(Outcome.dead("no account"));
        assertThat(attempts).allMatch(attempt -> attempt.isJudged);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 2, 4})
    void a_wrong_number_of_outcomes_is_a_failure_of_the_call(int number) {
        List<Attempt> attempts = run(deliveries ->
                number < 0 ? null : Collections.nCopies(number, Outcome.done()));
        assertThat(attempts).allSatisfy(attempt -> {
            assertThat(attempt.isJudged).isFalse();
            assertThat(attempt.result).isEqualTo(Outcome.retry("A call for 3 items failed: The handler returned "
                    + (number < 0 ? "null" : number + " outcomes")
                    + ". It must return one for each item, in their order."));
        });
    }

    @Test
    void an_exception_is_a_failure_of_the_call() {
        List<Attempt> attempts = run(deliveries -> {
            throw new IllegalStateException("poisoned");
        });
        assertThat(attempts).allSatisfy(attempt -> {
            assertThat(attempt.isJudged).isFalse();
            assertThat(attempt.result).isInstanceOfSatisfying(Outcome.Retry.class, retry ->
                    assertThat(retry.detail()).startsWith("A call for 3 items failed: ").contains("poisoned"));
        });
    }

    @Test
    void the_end_of_the_lease_interrupts_the_call_once_and_what_is_done_stays_done() {
        List<Attempt> attempts = run(deliveries -> {
            deliveries.get(1).lease().renew(Duration.ofSeconds(40));
            scene.sleep(39_000);
            assertThat(scene.core.count(attempt -> attempt.interruptIfOverdue(scene.nowNanos))).isZero();
            scene.sleep(1_000);
            assertThat(scene.core.count(attempt -> attempt.interruptIfOverdue(scene.nowNanos))).isEqualTo(1);
            assertThat(Thread.interrupted()).isTrue();
            scene.sleep(1_500);
            scene.core.count(attempt -> attempt.interruptIfOverdue(scene.nowNanos));
            assertThat(scene.core.count(attempt -> attempt.isDeaf(scene.nowNanos + 1_000_000_000L)))
                    .as("all of them have ended").isEqualTo(3);
            return List.of(Outcome.done(), Outcome.done(), Outcome.retry("interrupted"));
        });
        assertThat(attempts).extracting(attempt -> attempt.result.getClass().getSimpleName())
                .containsExactly("Done", "Done", "TimedOut");
        assertThat(attempts).extracting(attempt -> attempt.isJudged).containsExactly(true, true, false);
    }

    @Test
    void a_destination_that_has_no_name_fails_its_item_alone() {
        scene.batchItems = 3;
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 3);
        scene.commit();
        Attempt first = scene.poll(owned, LongStream.range(0, 3)
                .mapToObj(offset -> CoreScene.item(owned, offset, "acme", 0)).toList()).getFirst();
        List<Attempt> riders = first.riders();
        scene.runner(new BatchHandler() {
            @Override
            public List<Outcome> handleAll(List<Delivery> deliveries) {
                return deliveries.stream().map(delivery -> Outcome.dead(delivery.id())).toList();
            }

            @Override
            public String destination(Delivery delivery) {
                return delivery.id().equals("item-1") ? null : "crm";
            }
        }).handle(first);
        assertThat(first.result).isEqualTo(Outcome.dead("item-0"));
        assertThat(riders.get(0).result).isInstanceOf(Outcome.Retry.class);
        assertThat(riders.get(1).result).isEqualTo(Outcome.dead("item-2"));
    }

    @ParameterizedTest
    @ValueSource(ints = {-5, 1, 100, 5_000})
    void a_handler_s_most_items_are_kept_in_their_range(int most) {
        BatchHandler handler = new BatchHandler() {
            @Override
            public List<Outcome> handleAll(List<Delivery> deliveries) {
                return List.of();
            }

            @Override
            public int maxItems(String workload) {
                return workload.isEmpty() ? most : Integer.parseInt(workload);
            }
        };
        assertThat(BatchCall.maxItems(handler, "")).isEqualTo(Math.clamp(most, 1, 1_000));
        assertThat(BatchCall.maxItems(handler, "mail")).as("it throws").isEqualTo(1);
    }
}
