package io.spillway.sim;

import io.spillway.core.item.Lane;
import io.spillway.sim.scenario.Scenario;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What came of a run. Times are milliseconds since its start, ages milliseconds at first attempt, unless said otherwise.
 *
 * @param scenario        what was run
 * @param discipline      how items were queued
 * @param seed            of all chance
 * @param groups          of each group of tenants, in the order of the scenario
 * @param phases          of each group and phase, empty phases left out
 * @param oldest          the tenants whose items waited longest, at most 10; empty with more than 1,000 tenants
 * @param peakDepths      most items in each lane at one time
 * @param slotUse         share of the slots in use on average while items arrived and were worked off, 0 to 1
 * @param jain            Jain's index of slot time when arrivals ended, 0 to 1
 * @param endMillis       when the run was over: nothing was left, or the time to drain was
 * @param deaths          workers that died
 * @param recoveredMillis how long after the last disturbance no more than a hundredth of the highest backlog was left;
 *                        empty when there was no disturbance, hardly a backlog, or no recovery
 * @param samples         depths and ages over time
 * @param series          what the ages of the samples are of: tenants, or groups when there are more than 1,000
 */
public record SimulationResult(
        Scenario scenario,
        Simulation.Discipline discipline,
        long seed,
        List<Row> groups,
        List<PhaseRow> phases,
        List<Row> oldest,
        Map<Lane, Long> peakDepths,
        double slotUse,
        double jain,
        long endMillis,
        int deaths,
        Optional<Long> recoveredMillis,
        List<Sample> samples,
        List<String> series) {

    /**
     * Counts and ages.
     *
     * @param name     of the group or tenant
     * @param tenants  in it
     * @param waiting  not finished at the end of the run
     * @param attempts of all its items
     * @param repeated items handled again after they were done, since a worker died before its commit
     */
    public record Row(
            String name, int tenants, long accepted, long done, long dropped, long dead, long waiting, long attempts,
            long repeated, double p50Millis, double p99Millis, double maxMillis) {}

    /**
     * The items of a group that arrived in a phase.
     *
     * @param phase its name
     * @param row   counts and ages
     */
    public record PhaseRow(String phase, Row row) {}

    /**
     * One look.
     *
     * @param nowMillis  when
     * @param depths     items by lane
     * @param inFlight   attempts under way
     * @param agesMillis of each series, the age of its oldest item that waits for its first attempt; 0 when none does
     */
    public record Sample(long nowMillis, Map<Lane, Long> depths, int inFlight, float[] agesMillis) {
        /** Items that are not finished, dead letters left out. */
        public long waiting() {
            return depths.entrySet().stream()
                    .filter(each -> each.getKey() != Lane.DEAD_LETTER)
                    .mapToLong(Map.Entry::getValue)
                    .sum();
        }
    }
}
