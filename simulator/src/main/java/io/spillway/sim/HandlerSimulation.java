package io.spillway.sim;

import io.spillway.core.item.ItemState;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.handler.Outcome;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.SeededRandom;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedTime;
import io.spillway.sim.scenario.TenantGroup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * Simulation of given items in virtual time, on one thread, that asks its caller for the result of each attempt.
 * Router, lanes and workers decide as in the product. The same arguments and answers give the same run.
 */
public final class HandlerSimulation {
    private final List<Arrival> arrivals;
    private final Calls calls;
    private final SeededRandom random = new SeededRandom(0);
    private final long seed;
    private final long[] firstAttemptMillis;
    private final int[] attempts;
    private final End[] ends;
    private final TimedQueue<LongConsumer> events = new TimedQueue<>();
    private final Tally tally;
    private long nowNanos;

    /** Item that arrives at a time, milliseconds since the start of the run, 0 or more; the workload may be empty. */
    public record Arrival(long atMillis, String tenant, String workload) {}

    /** Death of a worker at a time, milliseconds since the start of the run, by its number from 0. */
    public record Kill(long atMillis, int worker) {}

    /**
     * Answer to one attempt.
     *
     * @param millis      duration in virtual time, 0 or more
     * @param destination what it depends on, as the handler names it; empty for the only one
     * @param kills       whether it kills its worker when it ends
     */
    public record Call(long millis, Outcome result, String destination, boolean kills) {}

    /** Handler of the items. */
    public interface Calls {
        /**
         * Makes an attempt.
         *
         * @param item          index of its arrival
         * @param attempt       number of the attempt, 1 or more; repeated after the death of a worker
         * @param lane          of the item
         * @param timeoutMillis lease of the attempt
         * @param nowMillis     epoch milliseconds
         */
        Call attempt(int item, int attempt, ItemState lane, long timeoutMillis, long nowMillis);
    }

    /**
     * End of an item.
     *
     * @param state              done, dropped or dead letter; outside if it was none of them when the run ended
     * @param reason             why it is dropped or dead; empty otherwise
     * @param detail             error text of a dead letter; may be empty
     * @param attempts           calls that were made
     * @param firstAttemptMillis age at the first attempt; -1 without one
     * @param endMillis          age at its end; -1 without one
     */
    public record End(
            ItemState state, String reason, String detail, int attempts, long firstAttemptMillis, long endMillis) {}

    private HandlerSimulation(
            List<Arrival> arrivals, Function<String, TenantPolicy> policies, Calls calls, long seed) {
        this.arrivals = arrivals;
        this.calls = calls;
        this.seed = seed;
        this.firstAttemptMillis = new long[arrivals.size()];
        this.attempts = new int[arrivals.size()];
        this.ends = new End[arrivals.size()];
        List<TenantGroup> groups = arrivals.stream().map(Arrival::tenant).distinct()
                .map(tenant -> new TenantGroup(tenant, 1, List.of(), List.of(), policies.apply(tenant),
                        Handling.of(new Latency.Constant(0)), List.of()))
                .toList();
        this.tally = new Tally(new Population(groups), List.of(), this::settled);
    }

    /**
     * Runs until every item is done, dropped or dead, or the time is over.
     *
     * @param policies    policy in force of each tenant
     * @param limitMillis most virtual time
     * @param seed        of the waits before retries
     * @return the ends, in the order of the arrivals
     */
    public static List<End> run(
            SimulatedCluster cluster, Function<String, TenantPolicy> policies, List<Arrival> arrivals,
            List<Kill> kills, Calls calls, long limitMillis, long seed) {
        return new HandlerSimulation(List.copyOf(arrivals), policies, calls, seed).run(cluster, kills, limitMillis);
    }

    private List<End> run(SimulatedCluster cluster, List<Kill> kills, long limitMillis) {
        SpillwayModel model = new SpillwayModel(cluster, events, tally, new AskedDestination());
        Map<String, Integer> numbers = new LinkedHashMap<>();
        arrivals.forEach(arrival -> numbers.putIfAbsent(arrival.tenant(), numbers.size()));
        for (int i = 0; i < arrivals.size(); i++) {
            Arrival arrival = arrivals.get(i);
            SimulatedItem item = new SimulatedItem(i, numbers.get(arrival.tenant()), arrival.tenant(),
                    arrival.workload(), arrival.atMillis() * SimulatedTime.NANOS_PER_MILLI,
                    SimulatedItem.NOT_RECORDED);
            events.add(item.arrivedNanos, now -> {
                tally.arrived(item);
                model.arrive(item, now);
            });
        }
        kills.forEach(kill -> events.add(
                kill.atMillis() * SimulatedTime.NANOS_PER_MILLI, now -> model.kill(kill.worker(), now)));
        long limitNanos = limitMillis * SimulatedTime.NANOS_PER_MILLI;
        while (!isOver() && events.firstTime() <= limitNanos) {
            nowNanos = events.firstTime();
            events.remove().accept(nowNanos);
        }
        List<End> result = new ArrayList<>();
        for (int i = 0; i < ends.length; i++) {
            result.add(ends[i] == null ? end(i, ItemState.OUTSIDE, "", "", -1) : ends[i]);
        }
        return List.copyOf(result);
    }

    private boolean isOver() {
        return tally.arrived() == arrivals.size() && tally.unsettled() == 0;
    }

    private void settled(SimulatedItem item) {
        int index = (int) item.number;
        ends[index] = end(index, item.end, item.reason, item.detail,
                (nowNanos - item.arrivedNanos) / SimulatedTime.NANOS_PER_MILLI);
    }

    private End end(int index, ItemState state, String reason, String detail, long endMillis) {
        return new End(state, reason, detail, attempts[index],
                attempts[index] == 0 ? -1 : firstAttemptMillis[index], endMillis);
    }

    /** Asks the caller of the run. */
    private final class AskedDestination implements Destination {
        @Override
        public Ending attempt(
                SimulatedItem item, int attemptsBefore, double slowdown, long timeoutMillis, long startNanos) {
            int index = (int) item.number;
            if (attempts[index]++ == 0) {
                firstAttemptMillis[index] = (startNanos - item.arrivedNanos) / SimulatedTime.NANOS_PER_MILLI;
            }
            Call call = calls.attempt(index, attemptsBefore + 1, ItemState.of(item.lane), timeoutMillis,
                    SimulatedTime.epochMillis(startNanos));
            return new Ending(Math.round(slowdown * call.millis() * SimulatedTime.NANOS_PER_MILLI), call.result(),
                    call.destination(), call.kills());
        }

        @Override
        public SeededRandom randomAfter(SimulatedItem item, int attemptsBefore) {
            return random.set(seed, item.number, attemptsBefore);
        }
    }
}
