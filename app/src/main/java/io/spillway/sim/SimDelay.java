package io.spillway.sim;

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
    private static final int MAX_GROUPS = 10_000;
    /** Interval at which the delay stage looks at refused items. */
    private static final long LOOK_MILLIS = 200;

    private final Population population;
    private final int partition;
    private final RetryGate gate;
    private final TimedQueue<SimulatedItem> timers = new TimedQueue<>();
    private final Map<RetryKey, TimedQueue<SimulatedItem>> parked = new HashMap<>();
    private long lookedAtMillis;

    SimDelay(Population population, int partition, int partitions) {
        this.population = population;
        this.partition = partition;
        this.gate = new RetryGate(RetrySettings.DEFAULT, partition, partitions, MAX_GROUPS);
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
            RetryKey key = new RetryKey("", item.tenantName);
            if (!item.retries || gate.mayGo(key, population.policy(item.tenant), nowMillis)) {
                item.grantedBy = partition;
                leaving.accept(item);
            } else {
                RetryKey group = gate.parked(key, population.policy(item.tenant), endMillis(item));
                parked.computeIfAbsent(group, absent -> new TimedQueue<>()).add(endMillis(item), item);
            }
        }
        if (!parked.isEmpty() && nowMillis >= lookedAtMillis + LOOK_MILLIS) {
            lookedAtMillis = nowMillis;
            for (var over = gate.over(nowMillis); over.isPresent(); over = gate.over(nowMillis)) {
                remove(over.get(), leaving);
            }
            for (Optional<RetryKey> next = gate.next(nowMillis); next.isPresent(); next = gate.next(nowMillis)) {
                remove(next.get(), leaving);
            }
        }
    }

    /** Returns when to call {@link #leave} next, epoch milliseconds; {@link Long#MAX_VALUE} for never. */
    long nextMillis(long nowMillis) {
        long dueMillis = timers.isEmpty() ? Long.MAX_VALUE : timers.firstTime();
        return parked.isEmpty() ? dueMillis : Math.min(dueMillis, Math.max(nowMillis, lookedAtMillis + LOOK_MILLIS));
    }

    void prune(long nowMillis) {
        gate.prune(nowMillis);
    }

    private void remove(RetryKey group, Consumer<SimulatedItem> leaving) {
        TimedQueue<SimulatedItem> items = parked.get(group);
        SimulatedItem item = items.remove();
        item.grantedBy = partition;
        leaving.accept(item);
        if (items.isEmpty()) {
            parked.remove(group);
        }
        gate.removed(group, items.isEmpty() ? OptionalLong.empty() : OptionalLong.of(items.firstTime()));
    }

    private long endMillis(SimulatedItem item) {
        return RoutingRules.endMillis(
                item.attempts > 0, item.enqueuedAtMillis(), population.policy(item.tenant));
    }
}
