package io.spillway.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.sim.Simulation.Discipline;
import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Disturbance;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.TenantGroup;
import io.spillway.sim.scenario.Window;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Destinations that are down, flaky or refuse some items, at shipped defaults. */
class ShippedDefaultsTest {
    private static final long SEED = Runs.SEED;
    private static final Latency QUICK = new Latency.LogNormal(50, 300);

    /** 1,000 tenants of 0.2 items/s: 40 of 50 slots of each worker are free while all is well. */
    @ParameterizedTest(name = "{0} workers, down for {1} min")
    @CsvSource({"1, 1, 30", "4, 1, 150", "8, 1, 300", "4, 5, 150"})
    void after_an_outage_of_all_nothing_is_a_dead_letter_and_the_backlog_is_gone_in_the_ideal_time(
            int workers, int minutes, double handlerMillis) {
        long fromMillis = Runs.MINUTE;
        long toMillis = fromMillis + minutes * Runs.MINUTE;
        Handling down = new Handling(new Latency.Constant(handlerMillis), 0, 0, false,
                List.of(new Disturbance.Outage(new Window(fromMillis, toMillis))));
        Scenario scenario = Runs.scenario(toMillis + 2 * Runs.MINUTE, Runs.cluster(workers, 50),
                List.of(Runs.group("tenant", 1_000, down, new Arrivals.Poisson(0.2))),
                new Scenario.Phase("outage", new Window(fromMillis, toMillis)));

        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);
        SimulationResult.Row outage = Runs.phase(result, "outage", "tenant");

        assertThat(Runs.group(result, "tenant").dead()).as("seed %d", SEED).isZero();
        assertThat(Runs.group(result, "tenant").waiting()).as("seed %d", SEED).isZero();
        // All attempts but the successful last one were made while it was down.
        double load = (double) (outage.attempts() - outage.done()) / outage.accepted();
        assertThat(load).as("attempts for each item offered in the outage, seed %d", SEED).isLessThan(1.1);
        double idealMillis = outage.accepted() / (workers * 50 / handlerMillis - 0.2);
        // The commits of worker and router, a report and the look of the delay stage begin the ramp.
        assertThat((double) result.recoveredMillis().orElseThrow()).as("seed %d", SEED)
                .isLessThan(1.2 * idealMillis + 3_000);
    }

    /** In the delay stage the items of each tenant take turns, so no item is tried again and again. */
    @Test
    void in_an_outage_of_an_hour_no_item_is_attempted_more_than_15_times() {
        long toMillis = 61 * Runs.MINUTE;
        Handling down = new Handling(new Latency.Constant(150), 0, 0, false,
                List.of(new Disturbance.Outage(new Window(Runs.MINUTE, toMillis))));
        Scenario scenario = Runs.scenario(toMillis + Runs.MINUTE, Runs.cluster(4, 50),
                List.of(Runs.group("tenant", 100, down, new Arrivals.Poisson(0.2))));

        SimulationResult.Row tenant = Runs.group(Runs.run(scenario, Discipline.SPILLWAY), "tenant");

        assertThat(tenant.done()).as("seed %d", SEED).isEqualTo(tenant.accepted());
        assertThat(tenant.mostAttempts()).as("seed %d", SEED).isLessThanOrEqualTo(15);
    }

    @Test
    void an_outage_of_one_tenant_is_not_noticed_by_the_others() {
        long fromMillis = 2 * Runs.MINUTE;
        long toMillis = 7 * Runs.MINUTE;
        Handling down = new Handling(QUICK, 0, 0, false,
                List.of(new Disturbance.Outage(new Window(fromMillis, toMillis))));
        Scenario scenario = Runs.scenario(10 * Runs.MINUTE, Runs.cluster(4, 50), List.of(
                        Runs.group("others", 99, Handling.of(QUICK), new Arrivals.Poisson(5)),
                        Runs.group("down", 1, down, new Arrivals.Poisson(17))),
                new Scenario.Phase("before", new Window(10_000, fromMillis)),
                new Scenario.Phase("outage", new Window(fromMillis, toMillis)));

        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);
        SimulationResult.Row outage = Runs.phase(result, "outage", "down");

        assertThat(Runs.group(result, "down").dead()).as("seed %d", SEED).isZero();
        assertThat(Runs.group(result, "down").waiting()).as("seed %d", SEED).isZero();
        assertThat((double) (outage.attempts() - outage.done()) / outage.accepted()).as("seed %d", SEED)
                .isLessThan(1.1);
        assertThat(Runs.phase(result, "outage", "others").p99Millis()).as("seed %d", SEED)
                .isLessThan(1.25 * Runs.phase(result, "before", "others").p99Millis());
        // 200 slots for items of 67 ms, the mean of the latency, less what arrives.
        double idealMillis = outage.accepted() / (200 / 67.0 - (99 * 5 + 17) / 1_000.0);
        double limitMillis = 1.2 * idealMillis + 3_000;
        assertThat((double) result.recoveredMillis().orElseThrow()).as("samples are two seconds apart, seed %d", SEED)
                .isLessThan(limitMillis + 2_000);
        long delayed = result.samples().stream().filter(each -> each.nowMillis() >= toMillis + limitMillis)
                .findFirst().orElseThrow().depths().get(Lane.DELAY);
        assertThat(delayed).as("no item waits for a long backoff, seed %d", SEED).isZero();
    }

    @ParameterizedTest(name = "{0} of the attempts fail, {1} items a second")
    @CsvSource({"0.1, 0.2, 120", "0.3, 0.2, 120", "0.1, 20, 10", "0.3, 20, 10", "0.5, 20, 10", "0.5, 300, 3"})
    void a_flaky_destination_gets_the_attempts_that_it_needs_and_nothing_piles_up(
            double share, double perSecond, int minutes) {
        SimulationResult.Row flaky = Runs.group(flaky(share, perSecond, minutes, 1), "flaky");

        assertThat(flaky.dead()).as("seed %d", SEED).isZero();
        assertThat(flaky.waiting()).as("seed %d", SEED).isZero();
        assertThat((double) flaky.attempts() / flaky.accepted()).as("seed %d", SEED)
                .isCloseTo(1 / (1 - share), within(0.05 / (1 - share)));
    }

    @ParameterizedTest(name = "{0} items a second")
    @CsvSource({"0.2, 240", "20, 10", "300, 3"})
    void a_destination_that_fails_nine_times_in_ten_gets_less_than_twice_what_is_offered(
            double perSecond, int minutes) {
        SimulationResult.Row flaky = Runs.group(flaky(0.9, perSecond, minutes, 0), "flaky");

        // Of the first items of a small tenant nothing is known.
        assertThat(flaky.dead()).as("seed %d", SEED).isLessThanOrEqualTo(perSecond < 1 ? 1 : 0);
        assertThat((double) flaky.attempts() / flaky.accepted()).as("seed %d", SEED).isLessThan(2);
    }

    @Test
    void the_items_of_a_tenant_whose_every_attempt_fails_level_off_at_six_hours_of_arrivals() {
        Scenario scenario = Runs.scenario(8 * Runs.HOUR, Runs.cluster(1, 50), List.of(
                Runs.group("others", 10, Handling.of(QUICK), new Arrivals.Poisson(1)),
                Runs.group("failing", 1, new Handling(QUICK, 1, 0, false, List.of()), new Arrivals.Poisson(2))));

        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);
        SimulationResult.Row failing = Runs.group(result, "failing");

        assertThat(failing.dead()).as("each ends by time, seed %d", SEED).isEqualTo(failing.accepted());
        assertThat(result.endMillis()).as("seed %d", SEED)
                .isLessThan(scenario.durationMillis() + 6 * Runs.HOUR + Runs.MINUTE);
        double most = result.samples().stream().mapToLong(SimulationResult.Sample::waiting).max().orElseThrow();
        assertThat(most).as("seed %d", SEED).isCloseTo(6 * 3_600 * 2, within(0.03 * 6 * 3_600 * 2));
        // A twentieth for each first attempt, and 4 retries a minute for a tenant.
        assertThat((double) failing.attempts() / failing.accepted()).as("seed %d", SEED).isLessThan(1.12);
    }

    /** Its attempts take a minute and are stopped after half of it, so most of its items never get one. */
    @Test
    void the_items_of_a_tenant_whose_every_attempt_times_out_level_off_at_the_arrivals_of_retry_for() {
        TenantGroup slow = new TenantGroup("slow", 1, List.of(new Arrivals.Poisson(4)), List.of(),
                Runs.policy(PolicyField.RETRY_FOR, "1h"), Runs.taking(60_000), List.of());
        Scenario scenario = Runs.scenario(6 * Runs.HOUR, Runs.cluster(1, 50), List.of(
                Runs.group("others", 10, Handling.of(QUICK), new Arrivals.Poisson(0.2)), slow));

        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);
        SimulationResult.Row row = Runs.group(result, "slow");

        assertThat(row.dead()).as("seed %d", SEED).isEqualTo(row.accepted());
        assertThat((double) row.attempts() / row.accepted()).as("seed %d", SEED).isLessThan(0.5);
        // An item that waits for its turn is looked at every ten minutes at least.
        assertThat(result.endMillis()).as("seed %d", SEED)
                .isLessThan(scenario.durationMillis() + Runs.HOUR + 11 * Runs.MINUTE);
        double most = result.samples().stream().mapToLong(SimulationResult.Sample::waiting).max().orElseThrow();
        assertThat(most).as("seed %d", SEED).isBetween(0.95 * 3_600 * 4, 1.2 * 3_600 * 4);
        assertThat(Runs.group(result, "others").p99Millis()).as("seed %d", SEED).isLessThan(100);
    }

    @Test
    void poison_items_are_dead_letters_within_a_minute_and_the_others_are_done() {
        Handling poisoned = new Handling(QUICK, 0, 0, 0.05, false, List.of());
        Scenario scenario = Runs.scenario(10 * Runs.MINUTE, Runs.cluster(4, 50),
                List.of(Runs.group("tenant", 20, poisoned, new Arrivals.Poisson(5))));

        SimulationResult result = Runs.run(scenario, Discipline.SPILLWAY);
        SimulationResult.Row row = Runs.group(result, "tenant");

        assertThat((double) row.dead() / row.accepted()).as("seed %d", SEED).isCloseTo(0.05, within(0.005));
        assertThat(row.done() + row.dead()).as("seed %d", SEED).isEqualTo(row.accepted());
        double deadInTime = result.samples().stream().filter(each -> each.nowMillis() <= scenario.durationMillis())
                .mapToLong(each -> each.depths().get(Lane.DEAD_LETTER)).max().orElseThrow();
        assertThat(deadInTime).as("those of the first nine of ten minutes, seed %d", SEED)
                .isGreaterThan(0.9 * 0.98 * row.dead());
        assertThat(row.p99Millis()).as("seed %d", SEED).isLessThan(100);
    }

    private static SimulationResult flaky(double share, double perSecond, int minutes, int drainHours) {
        Handling flaky = new Handling(QUICK, share, 0, false, List.of());
        List<TenantGroup> groups = List.of(
                Runs.group("others", 20, Handling.of(QUICK), new Arrivals.Poisson(1)),
                Runs.group("flaky", 1, flaky, new Arrivals.Poisson(perSecond)));
        return Runs.run(new Scenario("flaky", "", minutes * Runs.MINUTE, drainHours * Runs.HOUR, Runs.cluster(4, 50),
                groups, List.of()), Discipline.SPILLWAY);
    }
}
