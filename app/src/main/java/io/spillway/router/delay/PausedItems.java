package io.spillway.router.delay;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptClasses;
import io.spillway.core.retry.RetryKey;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.function.Function;

/**
 * Due items of paused tenants and workloads in one delay lane partition. They are parked in the store, in a group for
 * each tenant that is paused and for each workload that is paused by itself. When a look finds its group no longer
 * paused, they leave in the order of {@link ParkedItems}, the groups in turn, at most {@value #MOST} at a look.
 *
 * <p>Owner: the task of the processor that created it, on one thread. Bound: {@value #MAX_GROUPS} groups, about 500
 * bytes each with the index of their items; items of further ones are timers that look again after a minute.
 */
final class PausedItems {
    /** Most items that leave at one look: 2,000 a second. */
    static final int MOST = 100;
    /** Most bytes that leave at one look, but always one item. */
    private static final long MOST_BYTES = 1024 * 1024;
    private static final int MAX_GROUPS = 10_000;
    private static final long LOOK_AGAIN_MILLIS = 60_000;
    /** Begins the destination of a group's key. The name of a destination is printable. */
    private static final String MARK = "\0paused\0";

    private final ParkedItems items;
    private final Timers timers;
    private final Function<String, TenantPolicy> policies;
    /** In the order of their turns. */
    private final Map<RetryKey, Group> groups = new LinkedHashMap<>();

    /**
     * Group with items.
     *
     * @param workload       empty for a paused tenant
     * @param firstEndMillis not later than the first end of its items
     */
    private record Group(RetryKey key, String workload, long firstEndMillis) {}

    PausedItems(ParkedItems items, Timers timers, Function<String, TenantPolicy> policies) {
        this.items = items;
        this.timers = timers;
        this.policies = policies;
    }

    /** Returns whether a key of {@link ParkedItems} is that of a group of paused items. */
    static boolean isGroup(RetryKey key) {
        return key.destination().startsWith(MARK);
    }

    /** Returns whether the tenant or the workload of an item is paused. */
    boolean isPaused(DelayedItem item) {
        return policies.apply(item.key().tenant()).isPaused(item.workload());
    }

    /** Parks a paused item until its end, epoch milliseconds. */
    void hold(DelayedItem item, long endMillis, long offset, byte[] value, long nowMillis) {
        String workload = policies.apply(item.key().tenant()).paused() ? "" : item.workload();
        RetryKey key = key(item, workload);
        if (groups.size() >= MAX_GROUPS && !groups.containsKey(key)) {
            timers.put(Math.min(endMillis, nowMillis + LOOK_AGAIN_MILLIS), offset, value);
            return;
        }
        timers.storeEnd();
        items.put(key, AttemptClasses.of(item.attempts()), endMillis, offset, value);
        add(key, workload, endMillis);
    }

    /** Indexes the class that {@link ParkedItems#seekClass} found, and returns whether it is one of paused items. */
    boolean index(DelayedItem item, long endMillis) {
        for (String workload : new String[] {"", item.workload()}) {
            RetryKey key = key(item, workload);
            if (items.isSought(key)) {
                items.index(key);
                add(key, workload, endMillis);
                return true;
            }
        }
        return false;
    }

    /** Passes on items that are no longer paused, or over. Returns their number, {@link #MOST} if there may be more. */
    int run(DelayedRetries.Handler handler, long nowMillis) {
        Queue<Group> ready = new ArrayDeque<>();
        for (Group group : groups.values()) {
            if (ready.size() < MOST && mayLeave(group, nowMillis)) {
                ready.add(group);
            }
        }
        int taken = 0;
        long bytes = 0;
        while (!ready.isEmpty() && taken < MOST && bytes < MOST_BYTES) {
            RetryKey key = ready.remove().key();
            bytes += take(key, handler, nowMillis);
            taken++;
            Group left = groups.get(key);
            if (left != null && mayLeave(left, nowMillis)) {
                ready.add(left);
            }
        }
        return ready.isEmpty() ? Math.min(taken, MOST - 1) : MOST;
    }

    /** Takes the next item of a group, or the first to end while it is paused, and returns its bytes. */
    private long take(RetryKey key, DelayedRetries.Handler handler, long nowMillis) {
        // Its next turn is after all others.
        Group group = groups.remove(key);
        boolean isPaused = isPaused(group);
        Optional<ParkedItems.Item> first = isPaused ? items.firstToEnd(key) : items.next(key);
        if (first.isEmpty()) {
            return 0;
        }
        ParkedItems.Item item = first.get();
        if (isPaused && item.endMillis() > nowMillis) {
            add(key, group.workload(), item.endMillis());
            return 0;
        }
        // Before the handler, which may hold it again under the same key.
        OptionalLong firstEndMillis = items.remove(key, item);
        firstEndMillis.ifPresent(endMillis -> add(key, group.workload(), endMillis));
        handler.over(item.offset(), item.value());
        return item.value().length;
    }

    private boolean mayLeave(Group group, long nowMillis) {
        return group.firstEndMillis() <= nowMillis || !isPaused(group);
    }

    private boolean isPaused(Group group) {
        return policies.apply(group.key().tenant()).isPaused(group.workload());
    }

    private void add(RetryKey key, String workload, long endMillis) {
        groups.merge(key, new Group(key, workload, endMillis),
                (old, added) -> old.firstEndMillis() <= added.firstEndMillis() ? old : added);
    }

    private static RetryKey key(DelayedItem item, String workload) {
        return new RetryKey(MARK + workload, item.key().tenant());
    }
}
