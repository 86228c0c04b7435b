package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TrickleTest extends DispatchTimeline {
    private static final long SEED = 1;
    /** The backlog of hot is a steady one from here on. */
    private static final double FROM_MILLIS = 20_000;

    @ParameterizedTest
    @CsvSource({
        // overflow, aged, starts of hot, overflow and aged of 1,071, all with a backlog
        "0,    0,    1071, 0,   0",
        "0.05, 0,    1020, 51,  0",
        "0,    0.02, 1050, 0,   21",
        "0.05, 0.02, 1000, 51,  20",
        "0.5,  0.02, 694,  357, 20",
    })
    void a_trickle_gives_its_lane_a_share_of_the_starts_while_other_lanes_could_take_them_all(
            double overflow, double aged, int ofHot, int ofOverflow, int ofAged) {
        create(1, 0, overflow, aged);
        for (Lane lane : List.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED)) {
            offer(lane, lane.label(), 2_000);
        }
        List<String> served = serve(1_071, 10);
        assertThat(Collections.frequency(served, "hot")).isEqualTo(ofHot);
        assertThat(Collections.frequency(served, "overflow")).isEqualTo(ofOverflow);
        assertThat(Collections.frequency(served, "aged")).isEqualTo(ofAged);
    }

    @ParameterizedTest
    @EnumSource(value = Lane.class, names = {"OVERFLOW", "AGED"})
    void a_trickle_does_not_accumulate_while_its_lane_is_empty(Lane lane) {
        create(1, 0, 0.02, 0.02);
        offer(Lane.HOT, "live", 1_000);
        serve(500, 10);
        offer(lane, "old", 10);
        List<String> served = serve(51, 10);
        assertThat(served.indexOf("old")).isZero();
        assertThat(Collections.frequency(served, "old")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"50, 0.02, 1", "50, 0.1, 5", "60, 0.05, 3", "10, 0.02, 1", "50, 0, 0"})
    void while_other_workers_have_live_work_aged_gets_a_few_idle_slots(int slots, double trickle, int expected) {
        create(slots, 0.2, 0, trickle);
        offer(Lane.AGED, "old", 100);
        assertThat(takeAll(false)).hasSize(expected);
    }

    /** Items of a minute beside items of 10 ms: a twentieth of the starts would be all slots within a second. */
    @ParameterizedTest
    @CsvSource({"OVERFLOW, 0.05, 0, 3", "AGED, 0, 0.02, 1"})
    void a_trickle_of_long_items_gets_no_more_than_its_share_of_the_slots(
            Lane lane, double overflow, double aged, int slots) {
        create(50, 0.2, overflow, aged);
        for (int i = 0; i < 100; i++) {
            offer(Lane.HOT, "live" + i, 200);
            offer(lane, "long" + i, 10);
        }
        List<SlotLease<String>> running = takeAll(true);
        int longs = 0;
        for (int i = 0; i < 5_000; i++) {
            nowMillis += 1;
            SlotLease<String> first = running.stream().filter(start -> start.item().startsWith("live")).findFirst()
                    .orElseThrow();
            running.remove(first);
            dispatch.ended(first, nanos());
            running.addAll(takeAll(true));
            longs = (int) running.stream().filter(start -> start.item().startsWith("long")).count();
            assertThat(longs).isLessThanOrEqualTo(slots);
        }
        assertThat(longs).isEqualTo(slots);
    }

    @Test
    void a_start_that_is_cancelled_uses_up_no_trickle_and_earns_none() {
        create(1, 0, 0.05, 0.02);
        offer(Lane.HOT, "live", 100);
        offer(Lane.OVERFLOW, "old", 3);
        serve(20, 10);
        for (int i = 0; i < 3; i++) {
            SlotLease<String> start = dispatch.take(true, nanos()).orElseThrow();
            assertThat(start.item()).isEqualTo("old");
            dispatch.cancelled(start, nanos());
        }
        offer(Lane.AGED, "older", 1);
        assertThat(serve(31, 10).indexOf("older")).as("after 50 starts of others in all").isEqualTo(30);
    }

    /**
     * Busy tenants have more in hot than all slots can do. What another tenant has in overflow waits for the reserve,
     * or for the trickle. The quiet tenants use a fifth of the slots, and must not notice. Only if there are more busy
     * tenants than slots, each within its fair share, is the trickle taken from all of them.
     */
    @ParameterizedTest
    @CsvSource({
        "1, 20, 490, 1.02", "1, 200, 49, 1.02", "10, 20, 490, 1.02", "10, 200, 49, 1.02", "60, 20, 490, 1.053",
        "60, 200, 49, 1.053"
    })
    void the_trickle_of_overflow_costs_the_quiet_tenants_of_hot_next_to_nothing(
            int busy, double handlerMillis, double quietRate, double most) {
        DispatchSimulation without = backlog(0, busy, handlerMillis, quietRate);
        DispatchSimulation with = backlog(0.05, busy, handlerMillis, quietRate);
        double before = ageAtEnd(without, handlerMillis);
        double after = ageAtEnd(with, handlerMillis);
        double share = share(with, handlerMillis);
        System.out.printf(
                "overflow trickle, %d busy, handler %.0f ms: quiet p99 %.2f ms without, %.2f ms with; overflow gets"
                        + " %.2f%% and %.2f%% of the work%n", busy, handlerMillis, before, after,
                100 * share(without, handlerMillis), 100 * share);
        assertThat(with.servedMillis).containsKey("spilled");
        assertThat(share).isBetween(0.03, 0.06);
        assertThat(after).isLessThanOrEqualTo(most * before);
    }

    private static DispatchSimulation backlog(double trickle, int busy, double handlerMillis, double quietRate) {
        Random random = new Random(SEED);
        DispatchSimulation simulation = new DispatchSimulation(
                new DispatchSettings(50, 0.2, trickle, 0.02, 4_000, 64 << 20, 100, true), item -> handlerMillis);
        for (int i = 0; i < 99; i++) {
            simulation.stream("quiet" + i, quietRate / 99, 0, 60_000, random);
        }
        for (int i = 0; i < busy; i++) {
            simulation.topUp("busy" + i, 3_000 / busy);
        }
        simulation.burst("spilled", Lane.OVERFLOW, 3_000, 5_000);
        simulation.run(60_000);
        return simulation;
    }

    private static double share(DispatchSimulation simulation, double handlerMillis) {
        long starts = simulation.startedOf("", 0, 60_000).stream()
                .filter(item -> item.lane == Lane.OVERFLOW && item.startedMillis >= FROM_MILLIS).count();
        return starts * handlerMillis / (50 * (60_000 - FROM_MILLIS));
    }

    private static double ageAtEnd(DispatchSimulation simulation, double handlerMillis) {
        return DispatchSimulation.percentile(simulation.startedOf("quiet", 5_000, 60_000), 0.99) + handlerMillis;
    }

    private void create(int slots, double reserve, double overflow, double aged) {
        dispatch = new FairDispatch<>(
                new DispatchSettings(slots, reserve, overflow, aged, 100_000, 1 << 30, 100, true));
    }
}
