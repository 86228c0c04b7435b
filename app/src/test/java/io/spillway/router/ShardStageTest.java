package io.spillway.router;

import static io.spillway.router.RouterHarness.START_MILLIS;
import static io.spillway.router.RouterHarness.item;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.Lane;
import io.spillway.core.sharding.PolynomialShards;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignment;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.ShardRequest;
import io.spillway.kafka.view.TenantPolicies;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.utils.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShardStageTest {
    private static final int TENANTS = 9;
    private static final ShardAssignment REFUSED = new ShardAssignment(PolynomialShards.NONE);

    /** Eight slots, two per tenant, at most one shared by two tenants: two rows of three slots, so nine tenants. */
    private static final Map<String, String> SETTINGS = Map.of(
            "topics.partitions", "8", "shards.overlap", "1", "shards.largest", "2", "defaults.shardSize", "2");

    private final RouterHarness router = RouterHarness.configured(SETTINGS);

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void only_a_tenants_first_item_requests_a_number() {
        for (int i = 0; i < 5; i++) {
            router.send(item("acme", START_MILLIS));
        }

        assertThat(router.take(Lane.HOT)).hasSize(5);
        assertThat(router.takeAnswers())
                .containsExactly(Map.entry("acme", Optional.of(new ShardAssignment(0))));
        router.advance(Duration.ofHours(1));
        router.send(item("acme", START_MILLIS + 3_600_000));
        assertThat(router.takeAnswers()).as("it has one").isEmpty();
    }

    @Test
    void a_tenants_partitions_are_those_of_its_number_and_those_of_its_name_without_one() {
        Configuration configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), SETTINGS);
        TenantPolicies policies = new TenantPolicies(configuration.defaults());
        ShardAssignments assignments = new ShardAssignments();
        PlacementView placements = new PlacementView(configuration.queue(), policies, assignments);
        assertThat(placements.capacity()).isEqualTo(TENANTS);
        PolynomialShards table = new PolynomialShards(8, 2, 1, 0);
        for (int number = 0; number <= TENANTS; number++) {
            assignments.put("acme", new ShardAssignment(number).encode("acme"));
            boolean hasShard = number < TENANTS;
            int[] expected = new int[2];
            if (hasShard) {
                table.shard(number, 2, expected);
            } else {
                new ShuffleSharder(8, 0).shard("acme", 2, expected);
            }
            assertThat(placements.partitions("acme", policies.of("acme"))).containsExactlyInAnyOrder(expected);
            assertThat(placements.isAssigned("acme")).isEqualTo(hasShard);
        }
    }

    @Test
    void a_tenant_without_a_free_number_gets_one_refusal_and_keeps_its_stateless_shard() {
        fill();
        router.send(item("late", START_MILLIS));
        router.send(item("late", START_MILLIS));

        assertThat(router.takeAnswers()).containsExactly(Map.entry("late", Optional.of(REFUSED)));
        assertThat(router.take(Lane.HOT)).as("items are still routed").hasSize(TENANTS + 2);
        router.advance(Duration.ofMinutes(9));
        router.send(item("late", START_MILLIS + 540_000));
        assertThat(router.takeAnswers()).as("no repeated request").isEmpty();
    }

    @Test
    void a_released_number_is_assigned_to_a_tenant_that_repeats_its_request_after_ten_minutes() {
        fill();
        router.send(item("late", START_MILLIS));
        router.takeAnswers();

        router.ask("tenant-3", ShardRequest.RELEASE);
        assertThat(router.takeAnswers()).containsExactly(Map.entry("tenant-3", Optional.empty()));
        router.advance(Duration.ofMinutes(10));
        router.send(item("late", START_MILLIS + 600_000));

        assertThat(router.takeAnswers()).containsExactly(Map.entry("late", Optional.of(new ShardAssignment(3))));
    }

    @Test
    void numbers_loaded_from_the_store_are_not_given_twice() {
        fill();
        router.shardStore().delete(Bytes.wrap("tenant-5".getBytes(StandardCharsets.UTF_8)));

        ShardProcessorProbe again = new ShardProcessorProbe(router.shardStore(), TENANTS);
        assertThat(again.assign("tenant-4")).as("it keeps its number").isEmpty();
        assertThat(again.assign("new-one")).as("the only free number").hasValue(5);
        assertThat(again.assign("another")).hasValue(PolynomialShards.NONE);
    }

    @Test
    void a_tenant_whose_number_has_no_shard_by_other_settings_gets_another() {
        fill();
        for (int number = 0; number < 3; number++) {
            router.shardStore().delete(Bytes.wrap(("tenant-" + number).getBytes(StandardCharsets.UTF_8)));
        }

        ShardProcessorProbe smaller = new ShardProcessorProbe(router.shardStore(), 5);
        assertThat(smaller.assign("tenant-4")).as("it keeps its number").isEmpty();
        assertThat(smaller.assign("tenant-5")).hasValue(0);
        assertThat(smaller.assign("tenant-6")).hasValue(1);
        assertThat(smaller.assign("tenant-7")).hasValue(2);
        assertThat(smaller.assign("tenant-8")).as("none is left").hasValue(PolynomialShards.NONE);
        assertThat(smaller.assign("tenant-8")).as("it has the refusal").isEmpty();
    }

    @Test
    void a_store_of_a_later_release_is_refused() {
        byte[] later = new ShardAssignment(1).encode("acme");
        later[3]++;
        router.shardStore().put(Bytes.wrap("acme".getBytes(StandardCharsets.UTF_8)), later);

        assertThatThrownBy(() -> new ShardProcessorProbe(router.shardStore(), TENANTS))
                .hasMessageContaining("if a later release wrote it, upgrade this process");
    }

    @Test
    void only_the_two_requests_are_valid() {
        assertThat(ShardRequest.decode(null)).isEmpty();
        for (String text : List.of("", "assign 4", "ASSIGN", "assign ", "Release")) {
            assertThat(ShardRequest.decode(text.getBytes(StandardCharsets.UTF_8))).as(text).isEmpty();
        }
        assertThat(new String(ShardRequest.ASSIGN.encode(), StandardCharsets.UTF_8)).isEqualTo("assign");
    }

    private void fill() {
        for (int i = 0; i < TENANTS; i++) {
            router.send(item("tenant-" + i, START_MILLIS));
        }
        assertThat(router.takeAnswers()).hasSize(TENANTS).allMatch(answer -> answer.getValue().isPresent());
    }
}
