package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Shares of slot time among tenants with permanent backlogs. */
class DispatchFairnessTest {
    private static final double RUN_MILLIS = 60_000;

    @ParameterizedTest
    @CsvSource({"10, 50", "10, 3", "200, 50", "50, 50", "7, 50"})
    void equal_backlogged_tenants_get_equal_slot_time(int tenants, int slots) {
        List<Double> served = served(slots, tenants, item -> 20, 1);
        assertThat(jain(served)).isGreaterThanOrEqualTo(0.99);
    }

    @ParameterizedTest
    @CsvSource({"10, 4", "10, 50", "200, 50"})
    void slot_time_is_equal_even_when_some_handlers_are_ten_times_slower(int tenants, int slots) {
        List<Double> served = served(slots, tenants, item -> number(item) % 2 == 0 ? 10 : 100, 1);
        assertThat(jain(served)).isGreaterThanOrEqualTo(0.99);
    }

    @Test
    void slot_time_is_equal_when_durations_vary_widely() {
        long seed = 7;
        Random random = new Random(seed);
        List<Double> served = served(20, 40, item -> -20 * Math.log(1 - random.nextDouble()), 1);
        assertThat(jain(served)).as("seed %d", seed).isGreaterThanOrEqualTo(0.99);
    }

    @ParameterizedTest
    @CsvSource({"3, 50", "30, 10", "90, 50"})
    void slot_time_is_in_proportion_to_the_weights(int tenants, int slots) {
        List<Double> served = served(slots, tenants, item -> 20, 3);
        List<Double> perWeight = new ArrayList<>();
        for (int i = 0; i < tenants; i++) {
            perWeight.add(served.get(i) / (1 + i % 3));
        }
        assertThat(jain(perWeight)).isGreaterThanOrEqualTo(0.99);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 10, 13, 50, 64})
    void backlogged_tenants_leave_no_slot_idle_whatever_their_number(int slots) {
        TenantPolicy policy = TenantPolicy.of(PolicySettings.DEFAULTS);
        for (int tenants = 1; tenants <= 2 * slots; tenants++) {
            FairDispatch<Integer> dispatch =
                    new FairDispatch<>(new DispatchSettings(slots, 0.2, 0, 0, 10_000, 1 << 30, 100, false));
            if (tenants == 1) {
                serveOne(dispatch, policy);
            }
            for (int item = 0; item < tenants * slots; item++) {
                DispatchTimeline.offer(dispatch, Lane.HOT, "t" + item % tenants, policy, item, 0);
            }
            while (dispatch.take(true, 0).isPresent()) {
                assertThat(dispatch.pool.inFlight).isLessThanOrEqualTo(slots);
            }
            assertThat(dispatch.pool.inFlight).as("%d tenants", tenants).isEqualTo(slots);
        }
    }

    /** A single tenant may use the reserve when its attempts are known to be short. */
    private static void serveOne(FairDispatch<Integer> dispatch, TenantPolicy policy) {
        DispatchTimeline.offer(dispatch, Lane.HOT, "t0", policy, 0, 0);
        dispatch.ended(dispatch.take(true, 0).orElseThrow(), 1_000_000);
    }

    /** Returns the slot-milliseconds of each tenant, whose weights rotate from 1 to {@code weights}. */
    private static List<Double> served(int slots, int tenants, ToDoubleFunction<DispatchSimulation.Item> durations,
            int weights) {
        DispatchSettings settings = new DispatchSettings(slots, 0.2, 0, 0, 20_000, 1 << 30, 60_000, true);
        DispatchSimulation simulation = new DispatchSimulation(settings, durations);
        for (int i = 0; i < tenants; i++) {
            String weight = Integer.toString(1 + i % weights);
            simulation.policy("t" + i, TenantPolicy.of(PolicySettings.DEFAULTS.with(PolicyField.WEIGHT, weight)));
            // Small portions, so that every tenant always has items in the buffer.
            simulation.topUp("t" + i, 2 * slots);
        }
        simulation.run(RUN_MILLIS);
        List<Double> served = new ArrayList<>();
        for (int i = 0; i < tenants; i++) {
            served.add(simulation.servedMillis.getOrDefault("t" + i, 0.0));
        }
        assertThat(simulation.usedSlotMillis).isGreaterThan(0.99 * slots * RUN_MILLIS);
        return served;
    }

    private static int number(DispatchSimulation.Item item) {
        return Integer.parseInt(item.tenant.substring(1));
    }

    /** Jain's index (1984): 1 when all are equal, 1 / n when one has everything. */
    private static double jain(Collection<Double> shares) {
        double sum = shares.stream().mapToDouble(share -> share).sum();
        double squares = shares.stream().mapToDouble(share -> share * share).sum();
        return sum * sum / (shares.size() * squares);
    }
}
