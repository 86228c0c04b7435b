package io.spillway.sim;

import io.spillway.core.ledger.DrainTime;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.ratelimit.Admission;
import io.spillway.core.ratelimit.AdmissionRules;
import io.spillway.core.ratelimit.Backlog;
import io.spillway.core.ratelimit.LoadShedder;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.sim.scenario.SeededRandom;
import io.spillway.sim.scenario.SimulatedTime;

/**
 * Gateway of the groups that have one: it admits or refuses their items by {@link AdmissionRules}, as the real one
 * does, and estimates once a second how long the backlog of a tenant takes. It knows the backlog of now, which the
 * ledger tells a real one a second later.
 *
 * <p>Owner: the run. Bound: the tenants.
 */
final class SimGateway {
    private final Tally tally;
    private final Population population;
    private final AdmissionRules rules;
    private final SeededRandom random;
    /** By tenant; null without a gateway. */
    private final Estimate[] estimates;

    private record Estimate(FlowRates rates, DrainTime time, int accepted, int settled) {
        static Estimate startingAt(long nowMillis) {
            return new Estimate(FlowRates.startingAt(nowMillis), DrainTime.startingAt(0, nowMillis), 0, 0);
        }

        Estimate after(int nowAccepted, int nowSettled, long nowMillis) {
            FlowRates now = rates.after(nowAccepted - accepted, nowSettled - settled, nowMillis);
            return new Estimate(
                    now, time.after(nowAccepted - nowSettled, nowSettled, now.outPerSecond(), nowMillis),
                    nowAccepted, nowSettled);
        }
    }

    SimGateway(Tally tally, long seed) {
        this.tally = tally;
        this.population = tally.population;
        this.random = new SeededRandom(seed);
        this.estimates = new Estimate[population.size()];
        for (int tenant = 0; tenant < estimates.length; tenant++) {
            if (population.group(tenant).isBehindGateway()) {
                estimates[tenant] = Estimate.startingAt(SimulatedTime.epochMillis(0));
            }
        }
        this.rules = new AdmissionRules(new RateTable(estimates.length), new LoadShedder(estimates.length));
    }

    /** Returns whether an item of a tenant is accepted: any without a gateway. */
    boolean admits(int tenant, long nowNanos) {
        if (estimates[tenant] == null) {
            return true;
        }
        TenantContext context = population.context(tenant);
        long waiting = tally.accepted[tenant] - tally.settled[tenant];
        Admission admission = rules.admit(context, context.policy().admissionLimit(),
                new Backlog(waiting, estimates[tenant].time().millis(waiting)),
                SimulatedTime.epochMillis(0) * SimulatedTime.NANOS_PER_MILLI + nowNanos, random.nextDouble());
        return admission instanceof Admission.Admitted;
    }

    /** Updates the estimates. To be called once a second. */
    void sample(long nowNanos) {
        for (int tenant = 0; tenant < estimates.length; tenant++) {
            if (estimates[tenant] != null) {
                estimates[tenant] = estimates[tenant].after(
                        tally.accepted[tenant], tally.settled[tenant], SimulatedTime.epochMillis(nowNanos));
            }
        }
    }
}
