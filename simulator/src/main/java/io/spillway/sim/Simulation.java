package io.spillway.sim;

import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.SeededRandom;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedTime;
import io.spillway.sim.scenario.TenantGroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/** Simulator of scenarios in virtual time, on one thread. The same scenario and seed give bit-identical results. */
public final class Simulation {
    private static final int USUAL_SAMPLES = 300;
    private static final int OLDEST = 10;

    private final Scenario scenario;
    private final Discipline discipline;
    private final long seed;
    private final Progress progress;
    /** Each receives its time. Those of the same time happen in insertion order. */
    private final TimedQueue<LongConsumer> events = new TimedQueue<>();
    private final Tally tally;
    private final Population population;
    private final Model model;
    /** Of the product; the queue of the comparison takes all items. */
    private final Optional<SimGateway> gateway;
    private final Samples samples;
    private final long durationNanos;
    private int openStreams;
    private double jain = 1;

    /** Queueing discipline. */
    public enum Discipline {
        /** Lanes, shards and fair scheduling, as in the product. */
        SPILLWAY,
        /** One FIFO queue for all tenants. */
        FIFO
    }

    /** Listener for the progress of a run. */
    public interface Progress {
        /**
         * Receives the progress so far.
         *
         * @param nowMillis      since the start of the run
         * @param durationMillis how long items arrive
         * @param arrived        items so far
         * @param waiting        arrived items that are not finished
         */
        void reached(long nowMillis, long durationMillis, long arrived, long waiting);
    }

    /** Maker of the model of a run. */
    interface Maker {
        Model make(
                SimulatedCluster cluster, TimedQueue<LongConsumer> events, Tally tally, Destination destination);
    }

    private Simulation(Scenario scenario, Discipline discipline, long seed, Progress progress, Maker maker) {
        this.scenario = scenario;
        this.discipline = discipline;
        this.seed = seed;
        this.progress = progress;
        this.durationNanos = scenario.durationMillis() * SimulatedTime.NANOS_PER_MILLI;
        this.population = new Population(scenario.groups());
        this.tally = new Tally(population, scenario.phases(), settled -> {});
        this.model = maker.make(scenario.cluster(), events, tally, new ScenarioDestination(population, seed));
        this.gateway = discipline == Discipline.FIFO
                        || scenario.groups().stream().noneMatch(TenantGroup::isBehindGateway)
                ? Optional.empty() : Optional.of(new SimGateway(tally, seed));
        this.samples = new Samples(tally.series.length, Math.max(1, scenario.durationMillis() / USUAL_SAMPLES));
    }

    /**
     * Runs a scenario until no item is left, or the time to drain is over.
     *
     * @param seed of all randomness
     * @throws SimulationException when more items wait than {@link io.spillway.sim.scenario.ScenarioLimits#MAX_WAITING}
     */
    public static SimulationResult run(Scenario scenario, Discipline discipline, long seed, Progress progress) {
        return run(scenario, discipline, seed, progress, maker(discipline));
    }

    /** Runs a scenario with this model; the discipline only names it in the result. */
    static SimulationResult run(
            Scenario scenario, Discipline discipline, long seed, Progress progress, Maker maker) {
        return new Simulation(scenario, discipline, seed, progress, maker).run();
    }

    static Maker maker(Discipline discipline) {
        return switch (discipline) {
            case SPILLWAY -> SpillwayModel::new;
            case FIFO -> FifoModel::new;
        };
    }

    private SimulationResult run() {
        SeededRandom seeds = new SeededRandom(seed);
        for (int group = 0; group < scenario.groups().size(); group++) {
            TenantGroup tenants = scenario.groups().get(group);
            for (Arrivals arrivals : tenants.arrivals()) {
                open(group, "", arrivals, seeds.nextLong());
            }
            for (TenantGroup.Workload workload : tenants.workloads()) {
                for (Arrivals arrivals : workload.arrivals()) {
                    open(group, workload.name(), arrivals, seeds.nextLong());
                }
            }
        }
        events.add(0, this::sample);
        gateway.ifPresent(present -> events.add(0, now -> sample(present, now)));
        events.add(durationNanos, now -> jain = Fairness.jain(tally));
        long endNanos = runUntil(durationNanos + scenario.drainMillis() * SimulatedTime.NANOS_PER_MILLI);
        samples.takeLast(endNanos, tally, model.inFlight());
        return result(endNanos);
    }

    /** Runs in steps, since periodic events never end by themselves. Returns when it ended. */
    private long runUntil(long endNanos) {
        long nowNanos = 0;
        while (nowNanos < endNanos && (nowNanos < durationNanos || openStreams > 0 || tally.unsettled() > 0)) {
            nowNanos = nowNanos < durationNanos ? durationNanos : nowNanos + SimulatedTime.NANOS_PER_SECOND;
            nowNanos = Math.min(endNanos, nowNanos);
            runEvents(events, nowNanos);
        }
        return nowNanos;
    }

    /** Runs events until the end, or until none is left. */
    static void runEvents(TimedQueue<LongConsumer> events, long endNanos) {
        while (!events.isEmpty() && events.firstTime() <= endNanos) {
            long nowNanos = events.firstTime();
            events.remove().accept(nowNanos);
        }
    }

    private void open(int group, String workload, Arrivals arrivals, long streamSeed) {
        ArrivalStream stream = ArrivalStream.of(scenario.groups().get(group), arrivals, durationNanos, streamSeed);
        openStreams++;
        follow(stream, population.first(group), workload, (long) openStreams << 40);
    }

    private void follow(ArrivalStream stream, int firstTenant, String workload, long number) {
        if (!stream.next()) {
            openStreams--;
            return;
        }
        int tenant = firstTenant + stream.tenant;
        SimulatedItem item =
                new SimulatedItem(
                        number, tenant, population.name(tenant), workload, stream.nanos, stream.handlingNanos);
        events.add(stream.nanos, now -> {
            if (gateway.isEmpty() || gateway.get().admits(tenant, now)) {
                tally.arrived(item);
                model.arrive(item, now);
            } else {
                tally.refused(item);
            }
            follow(stream, firstTenant, workload, number + 1);
        });
    }

    private void sample(long nowNanos) {
        long nowMillis = nowNanos / SimulatedTime.NANOS_PER_MILLI;
        samples.take(nowNanos, tally, model.inFlight());
        progress.reached(nowMillis, scenario.durationMillis(), tally.arrived(), tally.unsettled());
        events.add(nowNanos + samples.intervalMillis * SimulatedTime.NANOS_PER_MILLI, this::sample);
    }

    private void sample(SimGateway present, long nowNanos) {
        present.sample(nowNanos);
        events.add(nowNanos + SimulatedTime.NANOS_PER_SECOND, now -> sample(present, now));
    }

    private SimulationResult result(long endNanos) {
        List<SimulationResult.Row> groups = new ArrayList<>();
        List<SimulationResult.Row> workloads = new ArrayList<>();
        List<SimulationResult.PhaseRow> phases = new ArrayList<>();
        for (int i = 0; i < tally.groups.length; i++) {
            String group = tally.groups[i].name;
            int tenants = scenario.groups().get(i).tenants();
            groups.add(tally.groups[i].row(group, tenants));
            for (Tally.Count phase : tally.phases[i]) {
                if (phase.accepted + phase.refused > 0) {
                    phases.add(new SimulationResult.PhaseRow(phase.name, phase.row(group, tenants)));
                }
            }
            tally.workloads.get(i).forEach((workload, counts) -> {
                String name = group + "/" + workload;
                workloads.add(counts.getFirst().row(name, tenants));
                counts.stream().skip(1).filter(phase -> phase.accepted + phase.refused > 0).forEach(phase ->
                        phases.add(new SimulationResult.PhaseRow(phase.name, phase.row(name, tenants))));
            });
        }
        double slotNanos = (double) slots() * Math.max(1, endNanos);
        return new SimulationResult(
                scenario, discipline, seed, groups, workloads, phases, oldest(), tally.peaks(),
                Arrays.stream(tally.slotNanos).asDoubleStream().sum() / slotNanos, jain,
                endNanos / SimulatedTime.NANOS_PER_MILLI, tally.workerDeaths, recoveredMillis(),
                List.copyOf(samples.taken), Arrays.stream(tally.series).map(count -> count.name).toList());
    }

    private List<SimulationResult.Row> oldest() {
        if (tally.series == tally.groups) {
            return List.of();
        }
        return Arrays.stream(tally.series)
                .filter(count -> count.ages.count() > 0)
                .sorted(Comparator.comparingDouble((Tally.Count count) -> -count.ages.maxMillis())
                        .thenComparing(count -> count.name))
                .limit(OLDEST)
                .map(count -> count.row(count.name, 1))
                .toList();
    }

    private Optional<Long> recoveredMillis() {
        long sinceMillis = scenario.disturbedUntilMillis();
        long peak = samples.taken.stream().mapToLong(SimulationResult.Sample::backlog).max().orElse(0);
        if (sinceMillis == 0 || peak <= 10L * slots()) {
            return Optional.empty();
        }
        return samples.taken.stream()
                .dropWhile(sample -> sample.backlog() < peak)
                .filter(sample -> sample.nowMillis() > sinceMillis && sample.backlog() <= peak / 100)
                .findFirst()
                .map(sample -> sample.nowMillis() - sinceMillis);
    }

    private int slots() {
        return scenario.cluster().slots();
    }
}
