package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the reserve costs a tenant that could use it, and whom it protects, in virtual time and in defaults. */
class ReserveTest {
    private static final long SEED = 1;
    private static final int SLOTS = 50;
    private static final int RESERVED = 10;
    /** Interval at which a worker polls and takes waiting items. */
    private static final double POLL_MILLIS = 20;

    @ParameterizedTest(name = "attempts of {0} ms, a newcomer waits at most {1} ms")
    @CsvSource({"1, 1", "20, 20", "1000, 250", "10000, 2500"})
    void a_lone_tenant_uses_every_slot_and_one_that_comes_then_soon_gets_one(double handlerMillis, double mostMillis) {
        double settledMillis = 20 * handlerMillis;
        double untilMillis = 60 * handlerMillis;
        double longestMillis = 0;
        double leastShare = 1;
        for (int phase = 0; phase < 10; phase++) {
            DispatchSimulation simulation = lone(item -> handlerMillis);
            simulation.run(settledMillis);
            double before = simulation.usedSlotMillis;
            simulation.run(untilMillis);
            double share = (simulation.usedSlotMillis - before) / (untilMillis - settledMillis) / SLOTS;
            assertThat(share).as("share of the slots").isGreaterThanOrEqualTo(0.98);

            double comesMillis = untilMillis + phase * handlerMillis / 10 + 0.01;
            simulation.burst("newcomer", Lane.HOT, 1, comesMillis);
            simulation.run(comesMillis + 2 * handlerMillis);
            longestMillis = Math.max(longestMillis,
                    DispatchSimulation.percentile(simulation.startedOf("newcomer", 0, Double.MAX_VALUE), 1));
            assertThat(simulation.startedOf("newcomer", 0, Double.MAX_VALUE)).hasSize(1);
            leastShare = Math.min(leastShare, share);
        }
        System.out.printf("lone tenant, %.0f ms: %.4f of the slots; newcomer waits %.2f ms at most%n",
                handlerMillis, leastShare, longestMillis);
        assertThat(longestMillis).isLessThanOrEqualTo(mostMillis);
    }

    @Test
    void of_a_lone_tenant_with_attempts_of_a_second_the_reserve_is_always_free_or_comes_free_in_a_quarter() {
        DispatchSimulation simulation = lone(item -> 1_000);
        simulation.afterStep = () -> {
            long soon = simulation.items.stream().filter(item -> item.startedMillis >= 0 && item.endedMillis < 0)
                    .filter(item -> item.startedMillis + 1_000 - simulation.nowMillis <= 250).count();
            assertThat(SLOTS - simulation.dispatch.pool.inFlight + soon).as("at %.0f ms", simulation.nowMillis)
                    .isGreaterThanOrEqualTo(RESERVED);
        };
        simulation.run(20_000);
        assertThat(simulation.mostInFlight.get("alone")).isEqualTo(SLOTS);
    }

    /** Handlers vary widely, so the ends come at random. */
    @ParameterizedTest
    @CsvSource({"1", "20", "1000", "10000"})
    void a_lone_tenant_uses_every_slot_when_its_durations_vary(double meanMillis) {
        Random random = new Random(SEED);
        DispatchSimulation simulation = lone(item -> -meanMillis * Math.log(1 - random.nextDouble()));
        simulation.run(20 * meanMillis);
        double before = simulation.usedSlotMillis;
        simulation.run(120 * meanMillis);
        double share = (simulation.usedSlotMillis - before) / (100 * meanMillis) / SLOTS;
        System.out.printf("lone tenant, exponential, mean %.0f ms: %.4f of the slots%n", meanMillis, share);
        assertThat(share).as("seed %d", SEED).isGreaterThanOrEqualTo(0.98);
    }

    /** Quiet tenants need a tenth of a slot to seven, for attempts of 20 ms; the noisy one has a backlog. */
    @ParameterizedTest(name = "{0} quiet tenants, {1} items a second, noisy attempts of {2} ms")
    @CsvSource({
        "1, 5, 20, 48", "1, 50, 20, 47", "1, 350, 20, 40", "99, 5, 20, 48", "99, 50, 20, 47", "99, 250, 20, 42",
        "99, 350, 20, 40", "20, 50, 5, 47", "20, 250, 5, 43", "20, 50, 20, 47", "20, 250, 20, 43", "20, 50, 200, 47",
        "20, 250, 200, 43", "20, 50, 1000, 47", "20, 250, 1000, 43"})
    void slots_that_active_quiet_tenants_need_are_not_taken_by_one_whose_attempts_hang(
            int tenants, double rate, double noisyMillis, int mostHeld) {
        double hangsFrom = 30_007;
        double hangsUntil = 60_007;
        Random random = new Random(SEED);
        DispatchSimulation simulation = new DispatchSimulation(DispatchSettings.of(SLOTS), item -> {
            double millis = item.startedMillis < hangsFrom ? noisyMillis : hangsUntil - hangsFrom;
            return item.tenant.equals("noisy") ? millis : 20;
        });
        for (int i = 0; i < tenants; i++) {
            simulation.stream("quiet" + i, rate / tenants, 0, hangsUntil, random);
        }
        simulation.topUp("noisy", 200);
        simulation.poll(POLL_MILLIS);
        simulation.run(10_000);
        double settled = simulation.servedMillis.get("noisy");
        simulation.run(hangsFrom);
        double used = (simulation.servedMillis.get("noisy") - settled) / (hangsFrom - 10_000);
        simulation.mostInFlight.clear();
        simulation.run(hangsUntil);
        int held = simulation.mostInFlight.get("noisy");
        double before = DispatchSimulation.percentile(simulation.startedOf("quiet", 10_000, hangsFrom), 0.99);
        double after = DispatchSimulation.percentile(simulation.startedOf("quiet", hangsFrom, hangsUntil), 0.99);
        System.out.printf("%d quiet tenants, %.0f/s of 20 ms, noisy %.0f ms: noisy used %.1f slots, then held %d; quiet"
                + " p99 wait %.2f ms before, %.2f ms in the hang%n", tenants, rate, noisyMillis, used, held, before,
                after);
        assertThat(held).isLessThanOrEqualTo(mostHeld);
        assertThat(simulation.items).filteredOn(item -> item.tenant.startsWith("quiet"))
                .filteredOn(item -> item.arrivedMillis < hangsUntil - 1_000)
                .allMatch(item -> item.startedMillis >= 0);
        assertThat(after).as("seed %d", SEED).isLessThanOrEqualTo(20);
    }

    /** Nothing shows before the attempts have begun that they will hang. */
    @Test
    void when_every_attempt_of_a_lone_tenant_hangs_a_newcomer_waits_until_the_first_of_them_ends() {
        DispatchSimulation simulation = lone(item -> item.startedMillis >= 1_000 ? 30_000 : 20);
        simulation.burst("newcomer", Lane.HOT, 1, 5_000);
        simulation.run(40_000);
        assertThat(simulation.startedOf("newcomer", 0, 40_000)).singleElement()
                .satisfies(item -> assertThat(item.startedMillis).isBetween(31_000.0, 31_020.0));
    }

    private static DispatchSimulation lone(ToDoubleFunction<DispatchSimulation.Item> handlerMillis) {
        DispatchSimulation simulation = new DispatchSimulation(DispatchSettings.of(SLOTS), handlerMillis);
        simulation.topUp("alone", 4 * SLOTS);
        simulation.poll(POLL_MILLIS);
        return simulation;
    }
}
