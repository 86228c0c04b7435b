package io.spillway.sim;

import io.spillway.core.delay.DelayStage;
import io.spillway.core.delay.DelayStore;
import io.spillway.core.delay.DelayedItem;
import io.spillway.core.retry.AttemptClasses;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.RetryGate;
import io.spillway.core.retry.RetryKey;
import io.spillway.core.retry.RetrySettings;
import io.spillway.core.routing.ItemEnds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One partition of the delay lane: the items in memory, of which {@link DelayStage} decides.
 *
 * <p>Owner: the {@link SimRouter}. Bound: the items of the delay lane.
 */
final class SimDelay implements DelayStore<SimulatedItem> {
    private final int partition;
    private final DelayStage<SimulatedItem> stage;
    private final TimedQueue<SimulatedItem> timers = new TimedQueue<>();
    private final Map<RetryKey, SortedMap<Integer, TimedQueue<SimulatedItem>>> parked = new HashMap<>();

    SimDelay(Population population, ItemEnds ends, int partition, int partitions) {
        this.partition = partition;
        RetryGate gate = new RetryGate(RetrySettings.DEFAULT, partition, partitions, RetryGate.MAX_GROUPS);
        this.stage = new DelayStage<>(this, gate, ends, (tenant, workload) -> population.policy(tenant));
    }

    /** Adds an item. One that is due already leaves with the next transaction. */
    void add(long dueMillis, SimulatedItem item, long nowMillis) {
        item.dueMillis = dueMillis;
        if (dueMillis <= nowMillis
                || stage.place(item, read(item, nowMillis).orElseThrow(), nowMillis).isPresent()) {
            timers.add(Math.min(dueMillis, nowMillis), item);
        }
    }

    void counted(List<AttemptCounts> counts, long nowMillis) {
        stage.counted(counts, nowMillis);
    }

    /** Removes what leaves now. */
    List<SimulatedItem> leave(long nowMillis) {
        List<SimulatedItem> left = new ArrayList<>();
        for (DelayStage.Leaving<SimulatedItem> leaving : stage.run(nowMillis)) {
            leaving.item().grantedBy = partition;
            left.add(leaving.item());
        }
        return left;
    }

    /** Returns when to call {@link #leave} next, epoch milliseconds; {@link Long#MAX_VALUE} for never. */
    long nextMillis(long nowMillis) {
        return stage.nextRunMillis(nowMillis);
    }

    @Override
    public Optional<DelayedItem> read(SimulatedItem item, long nowMillis) {
        return Optional.of(new DelayedItem(
                new RetryKey(item.destination, item.tenantName), item.workload, item.retries, item.attempts,
                item.times()));
    }

    @Override
    public void addTimer(long dueMillis, SimulatedItem item) {
        timers.add(dueMillis, item);
    }

    @Override
    public List<SimulatedItem> takeDue(long nowMillis) {
        List<SimulatedItem> due = new ArrayList<>();
        while (!timers.isEmpty() && timers.firstTime() <= nowMillis && due.size() < MOST) {
            due.add(timers.remove());
        }
        return due;
    }

    @Override
    public long nextDueMillis() {
        return timers.isEmpty() ? Long.MAX_VALUE : timers.firstTime();
    }

    @Override
    public void park(RetryKey group, int attemptClass, long endMillis, SimulatedItem item) {
        parked.computeIfAbsent(group, absent -> new TreeMap<>())
                .computeIfAbsent(attemptClass, absent -> new TimedQueue<>()).add(endMillis, item);
    }

    @Override
    public Optional<Parked<SimulatedItem>> first(RetryKey group, boolean byEnd) {
        return Optional.ofNullable(parked.get(group))
                .map(classes -> byEnd ? firstToEnd(classes) : classes.get(classes.firstKey()))
                .map(items -> new Parked<>(items.first(), items.firstTime(), 1));
    }

    @Override
    public OptionalLong remove(RetryKey group, Parked<SimulatedItem> first) {
        SortedMap<Integer, TimedQueue<SimulatedItem>> classes = parked.get(group);
        int attemptClass = AttemptClasses.of(first.item().attempts);
        TimedQueue<SimulatedItem> items = classes.get(attemptClass);
        items.remove();
        if (items.isEmpty()) {
            classes.remove(attemptClass);
        }
        if (classes.isEmpty()) {
            parked.remove(group);
            return OptionalLong.empty();
        }
        return OptionalLong.of(firstToEnd(classes).firstTime());
    }

    private static TimedQueue<SimulatedItem> firstToEnd(SortedMap<Integer, TimedQueue<SimulatedItem>> classes) {
        return Collections.min(classes.values(), Comparator.comparingLong(TimedQueue::firstTime));
    }
}
