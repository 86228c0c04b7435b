package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.sharding.Shard;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.kafka.view.ShardAssignment;
import io.spillway.kafka.view.ShardRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.utils.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShardStageTest {
    /** Eight slots, two per tenant, at most one shared by two tenants: 28 such shards, all of which can be assigned. */
    private final RouterHarness router = RouterHarness.configured(
            Map.of("topics.partitions", "8", "shards.overlap", "1", "defaults.shardSize", "2"));

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void only_a_tenants_first_item_requests_a_shard() {
        for (int i = 0; i < 5; i++) {
            router.send(item("acme", START_MILLIS));
        }

        assertThat(router.take(Lane.HOT)).hasSize(5);
        assertThat(router.takeAnswers()).singleElement().satisfies(answer -> {
            assertThat(answer.getKey()).isEqualTo("acme");
            assertThat(answer.getValue()).contains(new ShardAssignment(
                    2, Optional.of(Shard.of(new ShuffleSharder(8, 0).shard("acme", 2)))));
        });
        router.advance(Duration.ofHours(1));
        router.send(item("acme", START_MILLIS + 3_600_000));
        assertThat(router.takeAnswers()).as("its shard has the requested size").isEmpty();
    }

    @Test
    void each_of_twenty_eight_tenants_has_a_different_shard() {
        for (int i = 0; i < 28; i++) {
            router.send(item("tenant-" + i, START_MILLIS));
        }

        Set<Shard> shards = new HashSet<>();
        assertThat(router.takeAnswers()).hasSize(28).allSatisfy(answer ->
                assertThat(shards.add(answer.getValue().orElseThrow().shard().orElseThrow())).as("%s", answer)
                        .isTrue());
    }

    @Test
    void a_tenant_without_a_free_shard_gets_one_refusal_and_keeps_its_stateless_shard() {
        fill();
        router.send(item("late", START_MILLIS));
        router.send(item("late", START_MILLIS));

        assertThat(router.takeAnswers()).singleElement()
                .satisfies(answer -> assertThat(answer.getValue()).contains(new ShardAssignment(2, Optional.empty())));
        assertThat(router.take(Lane.HOT)).as("items are still routed").hasSize(30);
        router.advance(Duration.ofMinutes(9));
        router.send(item("late", START_MILLIS + 540_000));
        assertThat(router.takeAnswers()).as("no repeated request").isEmpty();
    }

    @Test
    void a_released_shard_is_assigned_to_a_tenant_that_repeats_its_request_after_ten_minutes() {
        fill();
        router.send(item("late", START_MILLIS));
        router.takeAnswers();

        router.ask("tenant-3", new ShardRequest.Release());
        assertThat(router.takeAnswers()).containsExactly(Map.entry("tenant-3", Optional.empty()));
        router.advance(Duration.ofMinutes(10));
        router.send(item("late", START_MILLIS + 600_000));

        assertThat(router.takeAnswers()).singleElement()
                .satisfies(answer -> assertThat(answer.getValue().orElseThrow().isMet()).isTrue());
    }

    @Test
    void a_changed_shard_size_assigns_another_shard_or_keeps_the_old_one_if_none_is_free() {
        fill();
        router.set("tenant-3", PolicyField.SHARD_SIZE, "1");
        router.advance(Duration.ofSeconds(10));
        router.send(item("tenant-3", START_MILLIS + 10_000));
        ShardAssignment small = router.takeAnswers().getFirst().getValue().orElseThrow();
        assertThat(small.shard().orElseThrow().size()).isEqualTo(1);

        router.set("tenant-3", PolicyField.SHARD_SIZE, "3");
        router.advance(Duration.ofSeconds(10));
        router.send(item("tenant-3", START_MILLIS + 20_000));
        assertThat(router.takeAnswers()).singleElement()
                .satisfies(answer -> assertThat(answer.getValue()).contains(new ShardAssignment(3, small.shard())));
        router.set("tenant-3", PolicyField.SHARD_SIZE, "1");
        router.advance(Duration.ofSeconds(10));
        router.send(item("tenant-3", START_MILLIS + 30_000));
        assertThat(router.takeAnswers()).as("it already has this size").singleElement()
                .satisfies(answer -> assertThat(answer.getValue()).contains(small));
    }

    @Test
    void a_registry_loaded_from_its_store_continues_unchanged() {
        fill();
        router.shardStore().delete(Bytes.wrap("tenant-5".getBytes(StandardCharsets.UTF_8)));

        ShardProcessorProbe again = ShardProcessorProbe.over(router.shardStore(), "1");
        assertThat(again.assign("new-one", 2)).as("the only free shard").isPresent();
        assertThat(again.assign("another", 2)).as("no second free shard").isEmpty();
    }

    @Test
    void a_lower_bound_moves_tenants_until_no_pair_violates_it() {
        for (int i = 0; i < 3; i++) {
            router.shardStore().put(Bytes.wrap(("t-" + i).getBytes(StandardCharsets.UTF_8)),
                    new ShardAssignment(2, Optional.of(Shard.of(0, 1 + i))).encode("t-" + i));
        }

        ShardProcessorProbe tighter = ShardProcessorProbe.over(router.shardStore(), "0");
        tighter.punctuate();

        List<Shard> shards = new ArrayList<>();
        tighter.assignments().values().forEach(assignment -> shards.add(assignment.shard().orElseThrow()));
        assertThat(shards).hasSize(3);
        for (int i = 0; i < 3; i++) {
            for (int j = i + 1; j < 3; j++) {
                assertThat(shards.get(i).overlap(shards.get(j))).isZero();
            }
        }
    }

    @Test
    void an_invalid_request_is_skipped_and_a_size_too_large_is_limited() {
        router.ask("acme", new ShardRequest.Assign(1_000_000));
        assertThat(router.takeAnswers()).as("limited to the number of slots").singleElement()
                .satisfies(answer -> assertThat(answer.getValue().orElseThrow().asked()).isEqualTo(8));
        assertThat(ShardRequest.decode(null)).isEqualTo(new ShardRequest.Unreadable());
        for (String text : List.of("", "assign", "assign 0", "assign -1", "assign 12345678", "assign 4 ", "Release")) {
            assertThat(ShardRequest.decode(text.getBytes(StandardCharsets.UTF_8))).as(text)
                    .isEqualTo(new ShardRequest.Unreadable());
        }
    }

    private void fill() {
        for (int i = 0; i < 28; i++) {
            router.send(item("tenant-" + i, START_MILLIS));
        }
        assertThat(router.takeAnswers()).hasSize(28);
    }
}
