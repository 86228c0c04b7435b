package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random tenants, policies, handlers and arrivals, derived from the seed. */
class DispatchPropertyTest {
    private static final double ARRIVALS_MILLIS = 20_000;
    private static final double DAY_MILLIS = 86_400_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void every_item_is_served_with_bounded_moves_and_no_slot_is_idle_against_the_rules(long seed) {
        check(seed, 0);
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32})
    void the_same_holds_for_tenants_with_workloads(long seed) {
        check(seed, 1 + (int) (seed % 7));
    }

    private static void check(long seed, int workloads) {
        Random random = new Random(seed);
        int slots = 1 + random.nextInt(20);
        DispatchSettings settings = new DispatchSettings(slots, random.nextInt(4) * 0.1, random.nextInt(3) * 0.05,
                random.nextInt(3) * 0.01, 20 + random.nextInt(200), 4_000 + random.nextInt(20_000), 1
                        + random.nextInt(200), random.nextBoolean());
        Map<String, Double> handlerMillis = new HashMap<>();
        DispatchSimulation simulation = new DispatchSimulation(settings, item -> random.nextInt(200) == 0
                ? 20 * handlerMillis.get(item.tenant)
                : handlerMillis.get(item.tenant) * random.nextDouble());
        List<String> tenants = new ArrayList<>();
        for (int i = 0; i < 2 + random.nextInt(14); i++) {
            String tenant = (i % 5 == 4 ? "old" : "t") + i;
            tenants.add(tenant);
            handlerMillis.put(tenant, Math.pow(10, random.nextDouble() * 3));
            simulation.policy(tenant, policy(random, workloads));
            if (tenant.startsWith("old")) {
                simulation.burst(tenant, Lane.AGED, random.nextInt(200), random.nextDouble() * ARRIVALS_MILLIS);
            } else {
                simulation.stream(tenant, 1 + random.nextInt(20), 0, ARRIVALS_MILLIS, random);
                simulation.burst(tenant, random.nextBoolean() ? Lane.HOT : Lane.OVERFLOW, random.nextInt(800),
                        random.nextDouble() * ARRIVALS_MILLIS);
            }
        }
        if (workloads > 0) {
            simulation.workloads = tenant -> workload(random.nextInt(workloads + 1));
        }
        DispatchRules rules = new DispatchRules(simulation, tenants, "seed " + seed);
        simulation.afterStep = rules::check;
        simulation.run(DAY_MILLIS);

        assertThat(simulation.items).as("seed %d: all served", seed).allMatch(item -> item.endedMillis >= 0);
        assertThat(simulation.items.stream().filter(item -> item.moves > 12 + 12 * item.waitMillis() / 3_600_000))
                .as("seed %d: items with more moves than 12, and 12 an hour", seed).isEmpty();
        assertThat(rules.checkedWithIdleSlots).as("seed %d: the rules were put to the test", seed).isPositive();
        assertThat(simulation.dispatch.pool.inFlight).isZero();
        System.out.printf("seed %d: %,d items, %,d moves, most of one item %d, %,d steps checked%n", seed,
                simulation.items.size(), simulation.moves, simulation.items.stream().mapToInt(i -> i.moves).max()
                        .orElse(0),
                rules.checked);
    }

    private static String workload(int number) {
        return number == 0 ? "" : "workload-" + number;
    }

    private static TenantPolicy policy(Random random, int workloads) {
        PolicySettings settings =
                PolicySettings.DEFAULTS.with(PolicyField.WEIGHT, Double.toString(0.1 + random.nextDouble() * 5));
        for (int i = 1; i <= workloads; i++) {
            int concurrency = random.nextInt(3) > 0 ? Integer.MAX_VALUE : 1 + random.nextInt(3);
            settings = settings.withWorkload(
                    workload(i), new WorkloadPolicy(0.1 + random.nextDouble() * 5, concurrency));
        }
        return TenantPolicy.of(random.nextInt(3) > 0
                ? settings
                : settings.with(PolicyField.CONCURRENCY, Integer.toString(1 + random.nextInt(5))));
    }
}
