package io.spillway.sim;

import io.spillway.core.item.DropReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.routing.Route;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.ScenarioLimits;
import io.spillway.sim.scenario.TenantGroup;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Counts of a run: the states of its items, and their waits for the first attempt.
 *
 * <p>Owner: the run. Bounds: four numbers per tenant; histograms of each group, workload and phase, and of each tenant
 * up to {@link #MAX_SERIES}; a reference to each item that waits for its first attempt.
 */
final class Tally {
    /** With more tenants, the ages over time are those of the groups. */
    static final int MAX_SERIES = 1_000;

    final Population population;
    final Count[] groups;
    final Count[][] phases;
    /** For each group, the counts of each of its workloads: the first in all, then in each phase. */
    final List<Map<String, List<Count>>> workloads;
    final Count[] series;
    final int[] accepted;
    final int[] settled;
    final int[] attempts;
    final long[] slotNanos;
    int workerDeaths;
    private final List<Scenario.Phase> windows;
    private final boolean byTenant;
    private final Consumer<SimulatedItem> listener;
    private final long[] depths = new long[Lane.values().length];
    private final long[] peaks = new long[Lane.values().length];
    private long unsettled;
    private long arrived;

    /** Counts of a group, of one of its phases, or of one tenant. */
    static final class Count {
        final String name;
        final AgeHistogram ages = new AgeHistogram();
        final Deque<SimulatedItem> untried = new ArrayDeque<>();
        long accepted;
        long refused;
        long done;
        long dropped;
        long dead;
        long attempts;
        int mostAttempts;
        long repeated;

        Count(String name) {
            this.name = name;
        }

        /** Returns the age of the oldest item that waits for its first attempt, nanoseconds; 0 for none. */
        long oldestNanos(long nowNanos) {
            while (!untried.isEmpty() && untried.peek().tried) {
                untried.remove();
            }
            return untried.isEmpty() ? 0 : nowNanos - untried.peek().arrivedNanos;
        }

        SimulationResult.Row row(String name, int tenants) {
            return new SimulationResult.Row(
                    name, tenants, accepted, refused, done, dropped, dead, accepted - done - dropped - dead, attempts,
                    mostAttempts, repeated, ages.percentileMillis(0.5), ages.percentileMillis(0.99), ages.maxMillis());
        }
    }

    /** @param listener receives each item when it is done, dropped or dead for the first time */
    Tally(Population population, List<Scenario.Phase> windows, Consumer<SimulatedItem> listener) {
        this.listener = listener;
        this.population = population;
        this.windows = windows;
        int tenants = population.size();
        accepted = new int[tenants];
        settled = new int[tenants];
        attempts = new int[tenants];
        slotNanos = new long[tenants];
        groups = counts(population.groups().stream().map(TenantGroup::name));
        phases = new Count[groups.length][];
        Arrays.setAll(phases, group -> counts(windows.stream().map(Scenario.Phase::name)));
        workloads = population.groups().stream().map(this::ofWorkloads).toList();
        byTenant = tenants <= MAX_SERIES;
        series = byTenant ? counts(IntStream.range(0, tenants).mapToObj(population::name)) : groups;
    }

    private Map<String, List<Count>> ofWorkloads(TenantGroup group) {
        Map<String, List<Count>> counts = new LinkedHashMap<>();
        group.workloads().forEach(workload -> counts.put(workload.name(),
                Stream.concat(Stream.of(workload.name()), windows.stream().map(Scenario.Phase::name)).map(Count::new)
                        .toList()));
        return counts;
    }

    private static Count[] counts(Stream<String> names) {
        return names.map(Count::new).toArray(Count[]::new);
    }

    void arrived(SimulatedItem item) {
        if (++unsettled > ScenarioLimits.MAX_WAITING) {
            throw new SimulationException("More than " + ScenarioLimits.MAX_WAITING
                    + " items wait. Give the scenario more workers or fewer items.");
        }
        arrived++;
        accepted[item.tenant]++;
        of(item, count -> count.accepted++);
        series[seriesOf(item)].untried.add(item);
    }

    /** Counts an item that a gateway refused. */
    void refused(SimulatedItem item) {
        of(item, count -> count.refused++);
    }

    void entered(SimulatedItem item, Lane lane) {
        item.lane = lane;
        depth(lane, 1);
    }

    void moved(SimulatedItem item, Lane to) {
        depth(item.lane, -1);
        entered(item, to);
    }

    void attempted(SimulatedItem item, long nowNanos) {
        attempts[item.tenant]++;
        of(item, count -> {
            count.attempts++;
            count.mostAttempts = Math.max(count.mostAttempts, item.attempts + 1);
        });
        if (!item.tried) {
            item.tried = true;
            of(item, count -> count.ages.add(nowNanos - item.arrivedNanos));
        }
    }

    /** Records the time that an item held a slot. */
    void held(SimulatedItem item, long nanos) {
        slotNanos[item.tenant] += nanos;
    }

    void done(SimulatedItem item) {
        if (item.settled) {
            of(item, count -> count.repeated++);
        } else {
            settle(item, ItemState.DONE, count -> count.done++);
            depth(item.lane, -1);
        }
    }

    void dropped(SimulatedItem item, DropReason reason) {
        if (!item.settled) {
            item.reason = reason.label();
            settle(item, ItemState.DROPPED, count -> count.dropped++);
            depth(item.lane, -1);
        }
    }

    void dead(SimulatedItem item, Route.DeadLetter why) {
        if (!item.settled) {
            item.reason = why.reason().label();
            item.detail = why.detail();
            settle(item, ItemState.DEAD_LETTER, count -> count.dead++);
            moved(item, Lane.DEAD_LETTER);
        }
    }

    long unsettled() {
        return unsettled;
    }

    long arrived() {
        return arrived;
    }

    /** Returns the items in each lane. */
    Map<Lane, Long> depths() {
        return byLane(depths);
    }

    /** Returns the most items in each lane at one time. */
    Map<Lane, Long> peaks() {
        return byLane(peaks);
    }

    private static Map<Lane, Long> byLane(long[] counts) {
        Map<Lane, Long> byLane = new EnumMap<>(Lane.class);
        for (Lane lane : Lane.values()) {
            byLane.put(lane, counts[lane.ordinal()]);
        }
        return Collections.unmodifiableMap(byLane);
    }

    private void settle(SimulatedItem item, ItemState end, Consumer<Count> change) {
        of(item, change);
        item.end = end;
        item.settled = true;
        item.tried = true;
        settled[item.tenant]++;
        unsettled--;
        listener.accept(item);
    }

    private void depth(Lane lane, int change) {
        depths[lane.ordinal()] += change;
        peaks[lane.ordinal()] = Math.max(peaks[lane.ordinal()], depths[lane.ordinal()]);
    }

    private int seriesOf(SimulatedItem item) {
        return byTenant ? item.tenant : population.groupOf(item.tenant);
    }

    private void of(SimulatedItem item, Consumer<Count> change) {
        int group = population.groupOf(item.tenant);
        change.accept(groups[group]);
        for (int i = 0; i < windows.size(); i++) {
            if (windows.get(i).window().contains(item.arrivedNanos)) {
                change.accept(phases[group][i]);
            }
        }
        List<Count> ofWorkload = workloads.get(group).get(item.workload);
        if (ofWorkload != null) {
            change.accept(ofWorkload.getFirst());
            for (int i = 0; i < windows.size(); i++) {
                if (windows.get(i).window().contains(item.arrivedNanos)) {
                    change.accept(ofWorkload.get(i + 1));
                }
            }
        }
        if (byTenant) {
            change.accept(series[item.tenant]);
        }
    }
}
