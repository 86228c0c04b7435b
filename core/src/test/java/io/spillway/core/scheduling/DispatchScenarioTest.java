package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Key scenarios of the product in virtual time: the wait that scheduling alone adds to an item. */
@Tag("slow")
class DispatchScenarioTest {
    private static final long SEED = 1;
    private static final int SLOTS = 50;
    private static final TenantPolicy CAPPED =
            TenantPolicy.of(PolicySettings.DEFAULTS.with(PolicyField.CONCURRENCY, "10"));

    @ParameterizedTest
    @CsvSource({"20, 490, 50000", "5, 1960, 50000", "200, 49, 5000"})
    void a_noisy_neighbour_gets_all_spare_slots_and_its_quiet_neighbours_wait_a_few_milliseconds(
            double handlerMillis, double quietRate, int burst) {
        DispatchSimulation quietRun = quiet(handlerMillis, quietRate);
        quietRun.run(200_000);
        DispatchSimulation simulation = quiet(handlerMillis, quietRate);
        List<String> tenants = tenants("quiet", 99);
        tenants.add("noisy");
        DispatchRules rules = new DispatchRules(simulation, tenants, "seed " + SEED);
        simulation.afterStep = rules::check;
        simulation.burst("noisy", Lane.HOT, burst, 5_000);
        simulation.run(200_000);

        double idealMillis = burst * handlerMillis / (SLOTS - quietRate * handlerMillis / 1_000);
        double noisyMillis = simulation.startedOf("noisy", 0, 10_000).stream().mapToDouble(i -> i.endedMillis).max()
                .orElseThrow() - 5_000;
        double before = DispatchSimulation.percentile(quietRun.startedOf("quiet", 5_000, 30_000), 0.99);
        double after = DispatchSimulation.percentile(simulation.startedOf("quiet", 5_000, 30_000), 0.99);
        System.out.printf(
                "noisy neighbour, handler %.0f ms: quiet p99 wait %.2f ms without, %.2f ms with the burst; noisy"
                        + " done in %.2f s, ideal %.2f s, ratio %.3f; %,d moves; %,d steps checked%n",
                handlerMillis, before, after, noisyMillis / 1_000, idealMillis / 1_000, noisyMillis / idealMillis,
                simulation.moves, rules.checked);
        assertThat(simulation.items).allMatch(item -> item.endedMillis >= 0);
        assertThat(noisyMillis / idealMillis).isLessThanOrEqualTo(1.15);
        // Forty attempts end within one handler time, so every wait is shorter than that, and most are by half.
        assertThat(after).isLessThanOrEqualTo(1.25 * before + 0.5 * handlerMillis);
        assertThat(simulation.items).allMatch(item -> item.moves <= 1);
    }

    /** The slow tenant has the same load as the others until its attempts take 10 s, from second 20 to second 80. */
    @ParameterizedTest
    @CsvSource({"0.2, false", "0.6, false", "0.7, false", "0.7, true"})
    void when_one_tenants_handler_slows_from_10_ms_to_10_s_the_others_are_not_affected(double load, boolean isCapped) {
        DispatchSimulation simulation = slow(load, isCapped, true);
        simulation.run(80_000);
        int mostHeld = simulation.mostInFlight.get("slow");
        simulation.run(120_000);
        assertThat(simulation.items).filteredOn(item -> item.tenant.startsWith("t"))
                .allMatch(item -> item.endedMillis >= 0);
        double before = DispatchSimulation.percentile(simulation.startedOf("t", 0, 20_000), 0.99);
        double after = DispatchSimulation.percentile(simulation.startedOf("t", 20_000, 80_000), 0.99);
        print("slow tenant", load, isCapped, mostHeld, before, after);
        assertThat(after).isLessThanOrEqualTo(1.25 * before + 1);
        if (isCapped) {
            assertThat(simulation.mostInFlight.get("slow")).isLessThanOrEqualTo(CAPPED.concurrency());
        }
    }

    @Test
    void without_the_adaptive_cap_the_slow_tenant_leaves_what_the_others_need() {
        DispatchSimulation simulation = slow(0.6, false, false);
        simulation.run(60_000);
        double before = DispatchSimulation.percentile(simulation.startedOf("t", 0, 20_000), 0.99);
        double after = DispatchSimulation.percentile(simulation.startedOf("t", 20_000, 60_000), 0.99);
        print("slow tenant, not adaptive", 0.6, false, simulation.mostInFlight.get("slow"), before, after);
        assertThat(simulation.mostInFlight.get("slow")).as("the others need 30 of 50").isLessThanOrEqualTo(20);
        assertThat(after).as("one attempt of the others").isLessThanOrEqualTo(10);
    }

    @Test
    void long_attempts_get_most_of_what_other_tenants_do_not_need_and_these_wait_less_than_one_attempt() {
        Random random = new Random(SEED);
        DispatchSimulation simulation = new DispatchSimulation(
                DispatchSettings.of(SLOTS), item -> item.tenant.equals("bulk") ? 10_000 : 10);
        tenants("t", 99).forEach(tenant -> simulation.stream(tenant, 25, 0, 300_000, random));
        simulation.burst("bulk", Lane.OVERFLOW, 5_000, 0);
        simulation.run(300_000);
        double p99 = DispatchSimulation.percentile(simulation.startedOf("t", 60_000, 300_000), 0.99);
        double bulkSlots = simulation.servedMillis.get("bulk") / 300_000;
        System.out.printf(
                "bulk work of 10 s beside 25 slots of 10 ms work: others' p99 wait %.2f ms; bulk held %.1f slots"
                + " on average%n", p99, bulkSlots);
        assertThat(p99).isLessThan(10);
        assertThat(bulkSlots).as("the others need 25 of 50").isBetween(18.0, 25.0);
    }

    private static DispatchSimulation quiet(double handlerMillis, double rate) {
        Random random = new Random(SEED);
        DispatchSimulation simulation = new DispatchSimulation(DispatchSettings.of(SLOTS), item -> handlerMillis);
        tenants("quiet", 99).forEach(tenant -> simulation.stream(tenant, rate / 99, 0, 30_000, random));
        return simulation;
    }

    private static DispatchSimulation slow(double load, boolean isCapped, boolean adaptive) {
        Random random = new Random(SEED);
        DispatchSimulation simulation = new DispatchSimulation(
                new DispatchSettings(SLOTS, 0.2, 0.05, 0.02, 2_000, 64 << 20, 100, adaptive),
                item -> item.tenant.equals("slow") && item.startedMillis >= 20_000 && item.startedMillis < 80_000
                        ? 10_000
                        : 10);
        double rate = load * SLOTS / 0.010 / 100;
        tenants("t", 99).forEach(tenant -> simulation.stream(tenant, rate, 0, 90_000, random));
        simulation.stream("slow", rate, 0, 90_000, random);
        if (isCapped) {
            simulation.policy("slow", CAPPED);
        }
        return simulation;
    }

    private static void print(
            String scenario, double load, boolean isCapped, int mostHeld, double before, double after) {
        System.out.printf(
                "%s, load %.1f, %s: others' p99 wait %.2f ms before, %.2f ms after; slow held at most %d slots%n",
                scenario, load, isCapped ? "concurrency 10" : "no concurrency cap", before, after,
                mostHeld);
    }

    private static List<String> tenants(String prefix, int count) {
        List<String> tenants = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tenants.add(prefix + i);
        }
        return tenants;
    }
}
