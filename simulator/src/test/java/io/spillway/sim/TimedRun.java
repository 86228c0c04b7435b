package io.spillway.sim;

import io.spillway.sim.Simulation.Discipline;
import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.SeededRandom;
import io.spillway.sim.scenario.SimulatedTime;
import io.spillway.sim.scenario.TenantGroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * Run of a scenario through one model, with the service of each item.
 *
 * @param services of first attempts, which the death of a worker can repeat
 */
record TimedRun(SimulationResult result, List<Service> services) {
    private static final int ON_ITS_WAY_MILLIS = 200;

    /** Runs a scenario through Spillway or FIFO. */
    static TimedRun of(Scenario scenario, Discipline discipline, long seed) {
        Recorder recorder = new Recorder();
        SimulationResult result = Simulation.run(scenario, discipline, seed, (a, b, c, d) -> { },
                (cluster, events, tally, destination) -> {
                    recorder.destination = destination;
                    return Simulation.maker(discipline).make(cluster, events, tally, recorder);
                });
        return new TimedRun(result, recorder.services);
    }

    /** Runs a scenario through the {@link IdealModel}; the result carries the discipline FIFO. */
    static TimedRun ideal(Scenario scenario, long seed) {
        List<Service> services = new ArrayList<>();
        SimulationResult result = Simulation.run(scenario, Discipline.FIFO, seed, (a, b, c, d) -> { },
                (cluster, events, tally, destination) ->
                        new IdealModel(cluster, events, tally, destination, services::add));
        return new TimedRun(result, services);
    }

    /** Returns when the last first attempt ended. */
    long endNanos() {
        return services.stream().mapToLong(Service::endedNanos).max().orElse(0);
    }

    /** Returns the average slots in use until then, by first attempts. */
    double meanSlots() {
        return services.stream().mapToLong(each -> each.endedNanos() - each.startedNanos()).sum()
                / (double) Math.max(1, endNanos());
    }

    /** Returns the time from a group's last burst until its items of that time had ended; empty without a burst. */
    OptionalLong drainedNanos(int group) {
        TenantGroup tenants = result.scenario().groups().get(group);
        long burstNanos = lastBurstMillis(tenants).orElse(-1) * SimulatedTime.NANOS_PER_MILLI;
        if (burstNanos < 0) {
            return OptionalLong.empty();
        }
        Population population = new Population(result.scenario().groups());
        return OptionalLong.of(services.stream()
                .filter(each -> population.groupOf(each.tenant()) == group && each.arrivedNanos() <= burstNanos)
                .mapToLong(Service::endedNanos).max().orElse(burstNanos) - burstNanos);
    }

    static OptionalLong lastBurstMillis(TenantGroup group) {
        return group.arrivals().stream()
                .filter(each -> each instanceof Arrivals.Burst)
                .mapToLong(each -> ((Arrivals.Burst) each).atMillis()).max();
    }

    /** Use of the slots while items waited. */
    record Backlogged(double seconds, double meanSlots) {}

    /**
     * Returns the use of the slots during the times when at least so many items waited. An item counts once it has
     * waited for {@value #ON_ITS_WAY_MILLIS} ms: before, it may be on its way to the worker.
     */
    Backlogged whileWaiting(int least) {
        long wayNanos = ON_ITS_WAY_MILLIS * SimulatedTime.NANOS_PER_MILLI;
        List<Service> late = services.stream().filter(each -> each.waitNanos() > wayNanos).toList();
        long[][] times = {
            sorted(late.stream().mapToLong(each -> each.arrivedNanos() + wayNanos)),
            sorted(late.stream().mapToLong(Service::startedNanos)),
            sorted(services.stream().mapToLong(Service::startedNanos)),
            sorted(services.stream().mapToLong(Service::endedNanos))};
        int[] past = new int[times.length];
        long nowNanos = 0;
        double nanos = 0;
        double used = 0;
        while (past[3] < times[3].length) {
            long next = Long.MAX_VALUE;
            for (int i = 0; i < times.length; i++) {
                next = past[i] < times[i].length ? Math.min(next, times[i][past[i]]) : next;
            }
            if (past[0] - past[1] >= least) {
                nanos += next - nowNanos;
                used += (double) (past[2] - past[3]) * (next - nowNanos);
            }
            nowNanos = next;
            for (int i = 0; i < times.length; i++) {
                while (past[i] < times[i].length && times[i][past[i]] <= nowNanos) {
                    past[i]++;
                }
            }
        }
        return new Backlogged(nanos / SimulatedTime.NANOS_PER_SECOND, nanos == 0 ? 0 : used / nanos);
    }

    private static long[] sorted(LongStream nanos) {
        long[] all = nanos.toArray();
        Arrays.sort(all);
        return all;
    }

    /** Destination that notes what it is asked. */
    private static final class Recorder implements Destination {
        private final List<Service> services = new ArrayList<>();
        private Destination destination;

        @Override
        public Ending attempt(SimulatedItem item, int attempts, double slowdown, long timeoutMillis, long nowNanos) {
            Ending ending = destination.attempt(item, attempts, slowdown, timeoutMillis, nowNanos);
            if (attempts == 0) {
                services.add(new Service(
                        item.tenant, item.arrivedNanos, nowNanos, nowNanos, nowNanos + ending.nanos()));
            }
            return ending;
        }

        @Override
        public SeededRandom randomAfter(SimulatedItem item, int attempts) {
            return destination.randomAfter(item, attempts);
        }
    }
}
