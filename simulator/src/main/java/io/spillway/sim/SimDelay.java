package io.spillway.sim;

import io.spillway.core.retry.AttemptClasses;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.RetryGate;
import io.spillway.core.retry.RetryKey;
import io.spillway.core.retry.RetrySettings;
import io.spillway.core.routing.RoutingRules;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * One partition of the delay lane: items until they are due, and then those that their retry budget refuses.
 *
 * <p>Owner: the {@link SimRouter}. Bound: the items of the delay lane.
 */
final class SimDelay {
    private final Population population;
    private final int partition;
    private final RetryGate gate;
    private final TimedQueue<SimulatedItem> timers = new TimedQueue<>();
    private final Map<RetryKey, AttemptClasses<TimedQueue<SimulatedItem>>> parked = new HashMap<>();
    private long lookedAtMillis;

    SimDelay(Population population, int partition, int partitions) {
        this.population = population;
        this.partition = partition;
        this.gate = new RetryGate(RetrySettings.DEFAULT, partition, partitions, RetryGate.MAX_GROUPS);
    }

    void add(long dueMillis, SimulatedItem item) {
        timers.add(Math.min(dueMillis, endMillis(item)), item);
    }

    void counted(List<AttemptCounts> counts, long nowMillis) {
        gate.counted(counts, nowMillis);
    }

    /** Removes what is due and granted, or over. */
    void leave(long nowMillis, Consumer<SimulatedItem> leaving) {
        while (!timers.isEmpty() && timers.firstTime() <= nowMillis) {
            SimulatedItem item = timers.remove();
            RetryKey key = new RetryKey(item.destination, item.tenantName);
            if (!item.retries || gate.mayGo(key, population.policy(item.tenant), nowMillis)) {
                item.grantedBy = partition;
                leaving.accept(item);
            } else {
                RetryKey group = gate.parked(key, population.policy(item.tenant), endMillis(item));
                park(group, item);
            }
        }
        if (!parked.isEmpty() && nowMillis >= lookedAtMillis + RetryGate.LOOK_MILLIS) {
            lookedAtMillis = nowMillis;
            for (var over = gate.over(nowMillis); over.isPresent(); over = gate.over(nowMillis)) {
                remove(over.get(), parked.get(over.get()).firstToEnd().orElseThrow(), leaving);
            }
            for (Optional<RetryKey> next = gate.next(nowMillis); next.isPresent(); next = gate.next(nowMillis)) {
                remove(next.get(), parked.get(next.get()).lowest().orElseThrow(), leaving);
            }
        }
    }

    /** Returns when to call {@link #leave} next, epoch milliseconds; {@link Long#MAX_VALUE} for never. */
    long nextMillis(long nowMillis) {
        long dueMillis = timers.isEmpty() ? Long.MAX_VALUE : timers.firstTime();
        long lookMillis = Math.max(nowMillis, lookedAtMillis + RetryGate.LOOK_MILLIS);
        return parked.isEmpty() ? dueMillis : Math.min(dueMillis, lookMillis);
    }

    void prune(long nowMillis) {
        gate.prune(nowMillis);
    }

    private void park(RetryKey group, SimulatedItem item) {
        AttemptClasses<TimedQueue<SimulatedItem>> classes =
                parked.computeIfAbsent(group, absent -> new AttemptClasses<>(TimedQueue::firstTime));
        int attemptClass = AttemptClasses.of(item.attempts);
        if (classes.get(attemptClass).isEmpty()) {
            classes.set(attemptClass, new TimedQueue<>());
        }
        classes.get(attemptClass).orElseThrow().add(endMillis(item), item);
    }

    private void remove(RetryKey group, TimedQueue<SimulatedItem> items, Consumer<SimulatedItem> leaving) {
        SimulatedItem item = items.remove();
        AttemptClasses<TimedQueue<SimulatedItem>> classes = parked.get(group);
        if (items.isEmpty()) {
            classes.remove(AttemptClasses.of(item.attempts));
        }
        OptionalLong nextEndMillis = classes.firstEndMillis();
        if (nextEndMillis.isEmpty()) {
            parked.remove(group);
        }
        gate.removed(group, nextEndMillis);
        item.grantedBy = partition;
        leaving.accept(item);
    }

    private long endMillis(SimulatedItem item) {
        return RoutingRules.endMillis(
                item.attempts > 0, item.enqueuedAtMillis(), population.policy(item.tenant));
    }
}
