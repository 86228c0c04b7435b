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
 * @param services of first attempts
 * @param retries  attempts beyond the first of an item
 */
record TimedRun(SimulationResult result, List<Service> services, int retries) {
    /** Runs a scenario through Spillway or FIFO. */
    static TimedRun of(Scenario scenario, Discipline discipline, long seed) {
        Recorder recorder = new Recorder();
        SimulationResult result = Simulation.run(scenario, discipline, seed, (a, b, c, d) -> { },
                (cluster, events, tally, destination) -> {
                    recorder.destination = destination;
                    return Simulation.maker(discipline).make(cluster, events, tally, recorder);
                });
        return new TimedRun(result, recorder.services, recorder.retries);
    }

    /** Runs a scenario through the {@link IdealModel}; the result carries the discipline FIFO. */
    static TimedRun ideal(Scenario scenario, long seed) {
        List<Service> services = new ArrayList<>();
        SimulationResult result = Simulation.run(scenario, Discipline.FIFO, seed, (a, b, c, d) -> { },
                (cluster, events, tally, destination) ->
                        new IdealModel(cluster, events, tally, destination, services::add));
        return new TimedRun(result, services, 0);
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

    /** Returns the wait of each item of a tenant, ascending, milliseconds. */
    double[] waits(int tenant) {
        return services.stream().filter(each -> each.tenant() == tenant)
                .mapToDouble(each -> (double) each.waitNanos() / SimulatedTime.NANOS_PER_MILLI).sorted().toArray();
    }

    /** Use of the slots while items waited. */
    record Backlogged(double seconds, double meanSlots) {}

    /** Returns the use of the slots during the times when at least so many items waited. */
    Backlogged whileWaiting(int least) {
        long[] arrived = sorted(services.stream().mapToLong(Service::arrivedNanos));
        long[] started = sorted(services.stream().mapToLong(Service::startedNanos));
        long[] ended = sorted(services.stream().mapToLong(Service::endedNanos));
        int a = 0;
        int s = 0;
        int e = 0;
        long nowNanos = 0;
        double time = 0;
        double used = 0;
        while (e < ended.length) {
            long next = Math.min(ended[e], Math.min(a < arrived.length ? arrived[a] : Long.MAX_VALUE,
                    s < started.length ? started[s] : Long.MAX_VALUE));
            if (a - s >= least) {
                time += next - nowNanos;
                used += (double) (s - e) * (next - nowNanos);
            }
            nowNanos = next;
            while (a < arrived.length && arrived[a] <= nowNanos) {
                a++;
            }
            while (s < started.length && started[s] <= nowNanos) {
                s++;
            }
            while (e < ended.length && ended[e] <= nowNanos) {
                e++;
            }
        }
        return new Backlogged(time / SimulatedTime.NANOS_PER_SECOND, time == 0 ? 0 : used / time);
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
        private int retries;

        @Override
        public Ending attempt(SimulatedItem item, int attempts, long timeoutMillis, long nowNanos) {
            Ending ending = destination.attempt(item, attempts, timeoutMillis, nowNanos);
            if (attempts == 0) {
                services.add(new Service(
                        item.tenant, item.arrivedNanos, nowNanos, nowNanos, nowNanos + ending.nanos()));
            } else {
                retries++;
            }
            return ending;
        }

        @Override
        public SeededRandom randomAfter(SimulatedItem item, int attempts) {
            return destination.randomAfter(item, attempts);
        }
    }
}
