package io.spillway.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Fairness of slot time. */
final class Fairness {
    private Fairness() {}

    /**
     * Returns Jain's index (Jain, Chiu and Hawe, "A quantitative measure of fairness and discrimination", 1984) over
     * the tenants' slot time, each relative to its max-min fair share by weight of all slot time, limited by its
     * demand. 1 when all tenants have their share, 1 / n when one has everything.
     */
    static double jain(Tally tally) {
        int tenants = tally.population.size();
        double served = 0;
        long attempts = 0;
        for (int i = 0; i < tenants; i++) {
            served += tally.slotNanos[i];
            attempts += tally.attempts[i];
        }
        if (served == 0) {
            return 1;
        }
        List<Integer> active = new ArrayList<>();
        double[] demand = new double[tenants];
        double[] weight = new double[tenants];
        for (int i = 0; i < tenants; i++) {
            if (tally.accepted[i] > 0) {
                double nanosPerAttempt =
                        tally.attempts[i] == 0 ? served / attempts : (double) tally.slotNanos[i] / tally.attempts[i];
                demand[i] = tally.slotNanos[i] + nanosPerAttempt * (tally.accepted[i] - tally.settled[i]);
                weight[i] = tally.population.policy(i).weight();
                if (demand[i] > 0) {
                    active.add(i);
                }
            }
        }
        double[] fair = maxMin(active, demand, weight, served);
        double sum = 0;
        double squares = 0;
        for (int i : active) {
            double share = tally.slotNanos[i] / fair[i];
            sum += share;
            squares += share * share;
        }
        return sum * sum / (active.size() * squares);
    }

    /** Water filling: the tenant with the least demand relative to its weight is satisfied first. */
    private static double[] maxMin(List<Integer> active, double[] demand, double[] weight, double all) {
        double[] fair = new double[demand.length];
        List<Integer> order = new ArrayList<>(active);
        order.sort(Comparator.comparingDouble(i -> demand[i] / weight[i]));
        double left = all;
        double weights = 0;
        for (int i : order) {
            weights += weight[i];
        }
        for (int i : order) {
            fair[i] = Math.min(demand[i], left * weight[i] / weights);
            left -= fair[i];
            weights -= weight[i];
        }
        return fair;
    }
}
