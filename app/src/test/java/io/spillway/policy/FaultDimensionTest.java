package io.spillway.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FaultDimensionTest {
    @ParameterizedTest
    @CsvSource({
        // slots, size, overlap, zones, at least, at most
        "64, 4, 2, 2, 2, 2", "64, 4, 2, 3, 1, 2", "60, 4, 2, 4, 1, 1", "64, 4, 3, 16, 0, 1", "2048, 16, 4, 16, 1, 1",
        "64, 8, 4, 8, 0, 2", "64, 4, 2, 64, 0, 1"
    })
    void every_shard_touches_each_zone_no_less_and_no_more_than_it_should(
            int slots, int size, int overlap, int zones, int atLeast, int atMost) {
        int[] zoneOf = new int[slots];
        Arrays.setAll(zoneOf, slot -> slot % zones);
        ShardBook book = new ShardBook(slots, overlap, List.of(new FaultDimension("zone", zoneOf, atLeast, atMost)));
        List<String> tenants = ShardBookTest.tenants(1_000);
        for (String tenant : tenants) {
            Shard shard = ShardBookTest.shardOf(book.assign(tenant, size, 1));
            int[] touched = new int[zones];
            for (int slot : shard.toArray()) {
                touched[zoneOf[slot]]++;
            }
            assertThat(Arrays.stream(touched)).as("%s: %s", tenant, shard).allMatch(count -> count >= atLeast && count <= atMost);
        }
        ShardBookTest.requireBound(book, tenants, overlap, "zones");
    }

    @Test
    void two_dimensions_hold_together() {
        int[] zoneOf = new int[64];
        int[] rackOf = new int[64];
        Arrays.setAll(zoneOf, slot -> slot / 32);
        Arrays.setAll(rackOf, slot -> slot % 8);
        FaultDimension zone = new FaultDimension("zone", zoneOf, 2, 2);
        FaultDimension rack = new FaultDimension("rack", rackOf, 0, 1);
        ShardBook book = new ShardBook(64, 2, List.of(zone, rack));
        for (String tenant : ShardBookTest.tenants(1_500)) {
            assertThat(ShardBookTest.shardOf(book.assign(tenant, 4, 3))).matches(zone::allows).matches(rack::allows);
        }
    }

    @Test
    void what_cannot_be_is_refused_after_a_search() {
        // Four zones that must each be touched by a shard of three.
        ShardBook book = new ShardBook(16, 2, List.of(zones(16, 4, 1, 4)));

        assertThat(book.assign("acme", 3, 1)).isInstanceOfSatisfying(ShardAnswer.Refused.class,
                refused -> assertThat(refused.reason()).isEqualTo(ShardAnswer.Reason.NONE_LEFT));
        assertThat(book.assign("acme", 4, 1)).isInstanceOf(ShardAnswer.Assigned.class);
    }

    @Test
    void a_group_of_one_slot_that_every_shard_must_touch_is_found() {
        int[] groupOf = new int[500];
        groupOf[321] = 1;
        ShardBook book = new ShardBook(500, 2, List.of(new FaultDimension("gpu", groupOf, 1, 3)));

        assertThat(ShardBookTest.shardOf(book.assign("acme", 4, 1)).toArray()).contains(321);
    }

    @Test
    void nonsense_is_refused_with_the_dimensions_name() {
        assertThatThrownBy(() -> new FaultDimension("rack", new int[] {-1}, 0, 1)).hasMessageContaining("rack: group -1");
        assertThatThrownBy(() -> new FaultDimension("rack", new int[4], 2, 1)).hasMessageContaining("at least 2 and at most 1");
        assertThatThrownBy(() -> new FaultDimension("rack", new int[4], 0, 0)).hasMessageContaining("at most 0");
    }

    private static FaultDimension zones(int slots, int zones, int atLeast, int atMost) {
        int[] zoneOf = new int[slots];
        Arrays.setAll(zoneOf, slot -> slot % zones);
        return new FaultDimension("zone", zoneOf, atLeast, atMost);
    }
}
