package io.spillway.sim;

import io.spillway.core.item.Lane;
import io.spillway.sim.scenario.Scenario;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Result of a run. Times are milliseconds since its start, and ages are milliseconds at the first attempt, unless
 * stated otherwise.
 *
 * @param seed            of all randomness
 * @param groups          each group of tenants, in the order of the scenario
 * @param workloads       each workload of each group, called {@code group/workload}
 * @param phases          each group, workload and phase, without empty phases
 * @param oldest          at most 10 tenants with the longest waits; empty with more than 1,000 tenants
 * @param peakDepths      most items in each lane at one time
 * @param slotUse         average share of the slots in use until the end of the run, 0 to 1
 * @param jain            Jain's index of slot time when arrivals ended, 0 to 1
 * @param endMillis       end of the run: no item was left, or the time to drain was over
 * @param deaths          workers that died
 * @param recoveredMillis time from the last disturbance until at most a hundredth of the highest backlog was left;
 *                        empty without a disturbance, a backlog or a recovery
 * @param samples         depths and ages over time
 * @param series          names for the ages of the samples: tenants, or groups when there are more than 1,000
 */
public record SimulationResult(
        Scenario scenario, Simulation.Discipline discipline, long seed, List<Row> groups, List<Row> workloads,
        List<PhaseRow> phases,
        List<Row> oldest, Map<Lane, Long> peakDepths, double slotUse, double jain, long endMillis, int deaths,
        Optional<Long> recoveredMillis, List<Sample> samples, List<String> series) {
    /**
     * Counts and ages.
     *
     * @param name         of the group or tenant
     * @param tenants      number of tenants
     * @param refused      by a gateway, and not accepted
     * @param waiting      not finished at the end of the run
     * @param attempts     of all items
     * @param mostAttempts of one item
     * @param repeated     items handled again after they were done, since a worker died before its commit
     */
    public record Row(
            String name, int tenants, long accepted, long refused, long done, long dropped, long dead, long waiting,
            long attempts, int mostAttempts, long repeated, double p50Millis, double p99Millis, double maxMillis) {}

    /** Items of a group that arrived in a phase. */
    public record PhaseRow(String phase, Row row) {}

    /**
     * State at one time.
     *
     * @param nowMillis  since the start of the run
     * @param depths     items by lane
     * @param inFlight   running attempts
     * @param agesMillis for each series the age of its oldest item that waits for its first attempt; 0 for none
     */
    public record Sample(long nowMillis, Map<Lane, Long> depths, int inFlight, float[] agesMillis) {
        /** Returns the unfinished items, without dead letters. */
        public long waiting() {
            return depths.values().stream().mapToLong(Long::longValue).sum() - depths.get(Lane.DEAD_LETTER);
        }

        /** Returns the unfinished items that are not being attempted. */
        long backlog() {
            return Math.max(0, waiting() - inFlight);
        }
    }
}
