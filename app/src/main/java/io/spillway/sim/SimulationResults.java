package io.spillway.sim;

import io.spillway.core.item.Lane;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.SimulatedTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Conversion of the counts of a run to a {@link SimulationResult}. */
final class SimulationResults {
    private static final int OLDEST = 10;

    private SimulationResults() {}

    static SimulationResult of(
            Scenario scenario, Simulation.Discipline discipline, long seed, Tally tally, Model model, Samples samples,
            double jain, long endNanos) {
        List<SimulationResult.Row> groups = new ArrayList<>();
        List<SimulationResult.PhaseRow> phases = new ArrayList<>();
        for (int i = 0; i < tally.groups.length; i++) {
            int tenants = scenario.groups().get(i).tenants();
            groups.add(row(tally.groups[i], tally.groups[i].name, tenants));
            for (Tally.Count phase : tally.phases[i]) {
                if (phase.accepted > 0) {
                    phases.add(new SimulationResult.PhaseRow(phase.name, row(phase, tally.groups[i].name, tenants)));
                }
            }
        }
        Map<Lane, Long> peaks = new EnumMap<>(Lane.class);
        for (Lane lane : Lane.values()) {
            peaks.put(lane, tally.peak(lane));
        }
        List<SimulationResult.Sample> taken = List.copyOf(samples.taken());
        double slotNanos =
                (double) scenario.plant().workers() * scenario.plant().dispatch().slots() * Math.max(1, endNanos);
        return new SimulationResult(
                scenario, discipline, seed, groups, phases, oldest(tally), Collections.unmodifiableMap(peaks),
                Arrays.stream(tally.slotNanos).asDoubleStream().sum() / slotNanos, jain,
                endNanos / SimulatedTime.NANOS_PER_MILLI, model.deaths(), recovered(scenario, taken), taken,
                Arrays.stream(tally.series).map(count -> count.name).toList());
    }

    private static SimulationResult.Row row(Tally.Count count, String name, int tenants) {
        return new SimulationResult.Row(
                name, tenants, count.accepted, count.done, count.dropped, count.dead, count.waiting(), count.attempts,
                count.repeated, count.ages.percentileMillis(0.5), count.ages.percentileMillis(0.99),
                count.ages.maxMillis());
    }

    private static List<SimulationResult.Row> oldest(Tally tally) {
        if (tally.series == tally.groups) {
            return List.of();
        }
        return Arrays.stream(tally.series)
                .filter(count -> count.ages.count() > 0)
                .sorted(Comparator.comparingDouble((Tally.Count count) -> -count.ages.maxMillis())
                        .thenComparing(count -> count.name))
                .limit(OLDEST)
                .map(count -> row(count, count.name, 1))
                .toList();
    }

    private static Optional<Long> recovered(Scenario scenario, List<SimulationResult.Sample> taken) {
        long sinceMillis = scenario.disturbedUntilMillis();
        long peak = taken.stream().mapToLong(SimulationResults::backlog).max().orElse(0);
        int slots = scenario.plant().workers() * scenario.plant().dispatch().slots();
        if (sinceMillis == 0 || peak <= 10L * slots) {
            return Optional.empty();
        }
        long peakMillis = taken.stream().filter(each -> backlog(each) == peak).findFirst().orElseThrow().nowMillis();
        return taken.stream()
                .filter(each -> each.nowMillis() > Math.max(sinceMillis, peakMillis) && backlog(each) <= peak / 100)
                .findFirst()
                .map(each -> each.nowMillis() - sinceMillis);
    }

    private static long backlog(SimulationResult.Sample sample) {
        return Math.max(0, sample.waiting() - sample.inFlight());
    }
}
