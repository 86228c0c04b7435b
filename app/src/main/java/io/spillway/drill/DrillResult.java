package io.spillway.drill;

import io.spillway.sim.SimulationResult;
import io.spillway.sim.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Outcome of a drill, of the simulator or of the running system. Times are milliseconds.
 *
 * @param waits          of the drill's tenants, by phase
 * @param items          of its tenants
 * @param mostUnfinished most unfinished items of all tenants at one time
 * @param recoveredMillis time from the end of the fault until at most a hundredth of that was left, or no more than
 *                        before the fault; empty if it was not
 * @param deaths         workers that ended
 */
public record DrillResult(
        List<Wait> waits, List<Ends> items, long mostUnfinished, Optional<Long> recoveredMillis, int deaths) {
    /** Part of the highest backlog that counts as none. */
    private static final double GONE = 0.01;

    /** Ages at the first attempt of a tenant's items that were sent in a phase. */
    public record Wait(String tenant, String phase, long items, double p50Millis, double p99Millis, double maxMillis) {
        static Wait of(String tenant, String phase, List<Long> ages) {
            long[] sorted = ages.stream().mapToLong(Long::longValue).sorted().toArray();
            return new Wait(tenant, phase, sorted.length, at(sorted, 0.5), at(sorted, 0.99), at(sorted, 1));
        }

        private static double at(long[] sorted, double share) {
            return sorted.length == 0 ? 0 : sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
        }
    }

    /**
     * How the items of a tenant ended.
     *
     * @param unfinished those that were sent and have not ended
     */
    public record Ends(String tenant, long sent, long done, long dropped, long dead, long unfinished) {}

    /** Unfinished items of all tenants at a time since the start. */
    record Sample(long atMillis, long unfinished) {}

    public DrillResult {
        waits = List.copyOf(waits);
        items = List.copyOf(items);
    }

    /** Returns the outcome in the simulator. */
    static DrillResult of(DrillPlan plan, SimulationResult result) {
        List<String> tenants = plan.traffic().stream().map(DrillPlan.Traffic::tenant).toList();
        List<Wait> waits = result.phases().stream().filter(phase -> tenants.contains(phase.row().name()))
                .map(phase -> new Wait(phase.row().name(), phase.phase(), phase.row().accepted(),
                        phase.row().p50Millis(), phase.row().p99Millis(), phase.row().maxMillis()))
                .toList();
        List<Ends> ends = result.groups().stream().filter(row -> tenants.contains(row.name())).map(row ->
                new Ends(row.name(), row.accepted(), row.done(), row.dropped(), row.dead(),
                        row.waiting())).toList();
        List<Sample> samples = result.samples().stream()
                .map(sample -> new Sample(sample.nowMillis(), sample.waiting())).toList();
        return of(plan, waits, ends, samples, result.deaths());
    }

    static DrillResult of(DrillPlan plan, List<Wait> waits, List<Ends> ends, List<Sample> samples, int deaths) {
        long most = samples.stream().mapToLong(Sample::unfinished).max().orElse(0);
        long usual = samples.stream().filter(sample -> sample.atMillis < plan.fault().fromMillis())
                .mapToLong(Sample::unfinished).max().orElse(0);
        double few = Math.max(usual, most * GONE);
        long endMillis = plan.fault().toMillis();
        Optional<Long> gone = samples.stream()
                .filter(sample -> sample.atMillis >= endMillis && sample.unfinished <= few)
                .map(sample -> sample.atMillis - endMillis).findFirst();
        return new DrillResult(waits, ends, most, gone, deaths);
    }

    /** Returns the waits of what was measured: ages by tenant and phase. */
    static List<Wait> waits(DrillPlan plan, Map<String, Map<String, List<Long>>> ages) {
        List<Wait> waits = new ArrayList<>();
        for (Scenario.Phase phase : plan.phases()) {
            plan.traffic().forEach(each -> waits.add(Wait.of(each.tenant(), phase.name(),
                    ages.getOrDefault(each.tenant(), Map.of()).getOrDefault(phase.name(), List.of()))));
        }
        return waits;
    }

    /** Returns whether all items have ended. */
    public boolean isFinished() {
        return items.stream().allMatch(ends -> ends.unfinished() == 0);
    }
}
