package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.overload.WorkerReport;
import io.spillway.core.ratelimit.ProportionalRates;
import io.spillway.core.scheduling.MaxMinSlots.Demand;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class DemandsTest {
    private long nowMillis = 1_000_000;
    private final InstantSource clock = () -> Instant.ofEpochMilli(nowMillis);
    private final Demands<Double> demands = Demands.ofRates(Demands.Role.ROUTER, clock);

    @Test
    void statuses_of_other_live_instances_are_counted() {
        demands.put("a", demands.encode("a", Map.of("acme", 5.0)));
        demands.put("b", demands.encode("b", Map.of("acme", 7.5)));
        demands.put("c", demands.encode("c", Map.of()));

        assertThat(demands.ofOthers("a")).containsExactlyInAnyOrder(Map.of("acme", 7.5), Map.of());
        nowMillis += 2_999;
        demands.put("c", demands.encode("c", Map.of("acme", 1.0)));
        assertThat(demands.ofOthers("a")).hasSize(2);
        nowMillis++;
        assertThat(demands.ofOthers("a")).as("b is silent").containsExactly(Map.of("acme", 1.0));
        demands.remove("c");
        assertThat(demands.ofOthers("a")).as("c has removed its status").isEmpty();
    }

    /** One instance may be a router and a gateway. */
    @Test
    void gateways_and_routers_do_not_count_each_other() {
        Demands<Double> gateways = Demands.ofRates(Demands.Role.GATEWAY, () -> Instant.ofEpochMilli(nowMillis));
        for (Demands<Double> each : List.of(demands, gateways)) {
            each.put("a", demands.encode("a", Map.of("acme", 1.0)));
            each.put("gateway/a", demands.encode("gateway/a", Map.of("acme", 2.0)));
            each.put("gateway/b", demands.encode("gateway/b", Map.of("acme", 3.0)));
        }
        assertThat(demands.ofOthers(Demands.Role.ROUTER.member("b"))).containsExactly(Map.of("acme", 1.0));
        assertThat(gateways.ofOthers(Demands.Role.GATEWAY.member("a"))).containsExactly(Map.of("acme", 3.0));
    }

    @Test
    void workers_in_the_same_topic_have_their_own_statuses() {
        Demands<Demand> workers = Demands.ofSlots(() -> Instant.ofEpochMilli(nowMillis));
        Map<String, Demand> demand = Map.of("acme", new Demand(7, 2), "acme/mail", new Demand(1, 1));
        for (ViewContent<?> each : List.of(demands, workers)) {
            each.put("a", demands.encode("a", Map.of("acme", 1.0)));
            each.put("worker/a", workers.encode("worker/a", demand));
            each.put("worker/b", workers.encode("worker/b", Map.of()));
        }
        assertThat(demands.ofOthers("b")).containsExactly(Map.of("acme", 1.0));
        assertThat(workers.ofAll()).isEqualTo(Map.of("worker/a", demand, "worker/b", Map.of()));
        nowMillis += 3_000;
        assertThat(workers.ofAll()).as("silent ones").isEmpty();
    }

    @Test
    void in_a_full_view_a_new_instance_replaces_the_one_that_has_been_dead_for_longest() {
        Demands<Demand> slots = Demands.ofSlots(clock);
        LaneStates lanes = new LaneStates(clock);
        WorkerReport report = new WorkerReport(1, 0, 0, 0, 0, 0, Map.of());
        TimeoutStatuses timeouts = new TimeoutStatuses(clock);
        Map<InstanceStatuses<?>, Supplier<byte[]>> views = Map.of(
                demands, () -> demands.encode("", Map.of()), slots, () -> slots.encode("", Map.of()),
                lanes, () -> lanes.encode("", report), timeouts, () -> timeouts.encode("", List.of()));
        views.forEach((view, status) -> {
            String prefix = view == slots ? Demands.Role.WORKER.member("") : "";
            for (String name : List.of("b", "a", "c")) {
                assertThat(view.hasRoomFor(prefix + name, 3)).isTrue();
                view.put(prefix + name, status.get());
                nowMillis++;
            }
            assertThat(view.hasRoomFor(prefix + "d", 3)).as("all live").isFalse();
            nowMillis += TimeoutStatuses.ALIVE_MILLIS - 3;
            assertThat(view.hasRoomFor(prefix + "d", 3)).as("b is dead").isTrue();
            view.put(prefix + "d", status.get());
            assertThat(view.keys()).containsExactlyInAnyOrder(prefix + "a", prefix + "c", prefix + "d");
            assertThat(view.hasRoomFor(prefix + "a", 3)).as("one that is known").isTrue();
            assertThat(view.size()).isEqualTo(3);
        });
    }

    @Test
    void an_invalid_status_is_rejected_and_the_previous_one_stays() {
        demands.put("b", demands.encode("b", Map.of("acme", 7.5)));
        Map<String, Double> tooMany = new HashMap<>();
        for (int i = 0; i <= ProportionalRates.MAX_PUBLISHED; i++) {
            tooMany.put("tenant-" + i, 1.0);
        }
        for (Map<String, Double> invalid : List.of(
                Map.of("acme", -1.0), Map.of("acme", Double.NaN), Map.of("acme", Double.POSITIVE_INFINITY), tooMany)) {
            assertThatThrownBy(() -> demands.put("b", demands.encode("b", invalid)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(demands.ofOthers("a")).containsExactly(Map.of("acme", 7.5));
    }
}
