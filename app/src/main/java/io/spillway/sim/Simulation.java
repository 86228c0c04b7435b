package io.spillway.sim;

import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.SeededRandom;
import io.spillway.sim.scenario.SimulatedTime;

/** Simulator of scenarios in virtual time, on one thread. The same scenario and seed give bit-identical results. */
public final class Simulation {
    private static final int USUAL_SAMPLES = 300;

    private final Scenario scenario;
    private final Discipline discipline;
    private final long seed;
    private final Progress progress;
    private final Events events = new Events();
    private final Tally tally;
    private final Population population;
    private final Model model;
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

    private Simulation(Scenario scenario, Discipline discipline, long seed, Progress progress) {
        this.scenario = scenario;
        this.discipline = discipline;
        this.seed = seed;
        this.progress = progress;
        this.durationNanos = scenario.durationMillis() * SimulatedTime.NANOS_PER_MILLI;
        this.population = new Population(scenario.groups());
        this.tally = new Tally(population, scenario.phases());
        Destination destination = new Destination(population, seed);
        this.model = switch (discipline) {
            case SPILLWAY -> new SpillwayModel(population, scenario, events, tally, destination);
            case FIFO -> new FifoModel(scenario, events, tally, destination);
        };
        this.samples = new Samples(tally.series.length, Math.max(1, scenario.durationMillis() / USUAL_SAMPLES));
    }

    /**
     * Runs a scenario until no item is left, or the time to drain is over.
     *
     * @param scenario   not null
     * @param discipline not null
     * @param seed       of all randomness
     * @param progress   not null
     * @throws SimulationException when more items wait than {@link io.spillway.sim.scenario.ScenarioLimits#MAX_WAITING}
     */
    public static SimulationResult run(Scenario scenario, Discipline discipline, long seed, Progress progress) {
        return new Simulation(scenario, discipline, seed, progress).run();
    }

    private SimulationResult run() {
        SeededRandom seeds = new SeededRandom(seed);
        for (int group = 0; group < scenario.groups().size(); group++) {
            for (Arrivals arrivals : scenario.groups().get(group).arrivals()) {
                int first = population.first(group);
                ArrivalStream stream =
                        ArrivalStream.of(scenario.groups().get(group), arrivals, durationNanos, seeds.nextLong());
                openStreams++;
                follow(stream, first, (long) openStreams << 40);
            }
        }
        events.at(0, this::sample);
        events.at(durationNanos, now -> jain = Fairness.jain(tally));
        long endNanos = durationNanos + scenario.drainMillis() * SimulatedTime.NANOS_PER_MILLI;
        long reachedNanos = runUntil(endNanos);
        return SimulationResults.of(scenario, discipline, seed, tally, model, samples, jain, reachedNanos);
    }

    /** Runs in steps, since periodic events never end by themselves. */
    private long runUntil(long endNanos) {
        long nowNanos = 0;
        while (nowNanos < endNanos && (nowNanos < durationNanos || openStreams > 0 || tally.unsettled() > 0)) {
            nowNanos = nowNanos < durationNanos ? durationNanos : nowNanos + SimulatedTime.NANOS_PER_SECOND;
            nowNanos = Math.min(endNanos, nowNanos);
            events.run(nowNanos);
        }
        return nowNanos;
    }

    private void follow(ArrivalStream stream, int firstTenant, long number) {
        if (!stream.next()) {
            openStreams--;
            return;
        }
        int tenant = firstTenant + stream.tenant;
        SimulatedItem item =
                new SimulatedItem(number, tenant, population.name(tenant), stream.nanos, stream.handlingNanos);
        events.at(stream.nanos, now -> {
            tally.arrived(item);
            model.arrive(item, now);
            follow(stream, firstTenant, number + 1);
        });
    }

    private void sample(long nowNanos) {
        long nowMillis = nowNanos / SimulatedTime.NANOS_PER_MILLI;
        samples.take(nowNanos, tally, model.inFlight());
        progress.reached(nowMillis, scenario.durationMillis(), tally.arrived(), tally.unsettled());
        events.at(nowNanos + samples.intervalMillis() * SimulatedTime.NANOS_PER_MILLI, this::sample);
    }
}
