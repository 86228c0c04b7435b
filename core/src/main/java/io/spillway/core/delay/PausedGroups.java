package io.spillway.core.delay;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.RetryKey;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.function.BiFunction;

/**
 * Groups of parked items that are paused: one for each tenant that is paused, and one for each workload that is paused
 * by itself. Groups leave in turn when a look finds them no longer paused, or one of their items at its end.
 *
 * <p>Not thread-safe. Owner: the {@link DelayStage}. Bound: {@value #MAX_GROUPS} groups.
 */
public final class PausedGroups {
    /** Most items that leave at one look: 2,000 a second. */
    static final int MOST = 100;
    private static final int MAX_GROUPS = 10_000;
    /** Begins the destination of a group's key. The name of a destination is printable. */
    private static final String MARK = "\0paused\0";

    private final BiFunction<String, String, TenantPolicy> policies;
    /** First ends, not later than those of the items, in the order of turns. */
    private final Map<RetryKey, Long> endMillis = new LinkedHashMap<>();

    PausedGroups(BiFunction<String, String, TenantPolicy> policies) {
        this.policies = policies;
    }

    /** Returns whether a key of a group of parked items is that of paused ones. */
    public static boolean isGroup(RetryKey key) {
        return key.destination().startsWith(MARK);
    }

    /** Returns the group of a paused item: of its tenant, or of its workload with {@code ofWorkload}. */
    static RetryKey group(DelayedItem item, boolean ofWorkload) {
        return new RetryKey(MARK + (ofWorkload ? item.workload() : ""), item.key().tenant());
    }

    boolean isEmpty() {
        return endMillis.isEmpty();
    }

    /** Returns whether there is room for a group. */
    boolean hasRoomFor(RetryKey group) {
        return endMillis.size() < MAX_GROUPS || endMillis.containsKey(group);
    }

    /** Records that a group has an item that ends then. */
    void parked(RetryKey group, long itemEndMillis) {
        endMillis.merge(group, itemEndMillis, Math::min);
    }

    /** Records that an item of a group was taken, whose next turn is after all others; of those left the first end. */
    void taken(RetryKey group, OptionalLong nextEndMillis) {
        endMillis.remove(group);
        nextEndMillis.ifPresent(next -> endMillis.put(group, next));
    }

    /** Returns the groups of which an item may leave now, in turn; at most one more than {@link #MOST}. */
    Queue<RetryKey> ready(long nowMillis) {
        Queue<RetryKey> ready = new ArrayDeque<>();
        for (RetryKey group : endMillis.keySet()) {
            if (ready.size() <= MOST && mayLeave(group, nowMillis)) {
                ready.add(group);
            }
        }
        return ready;
    }

    boolean mayLeave(RetryKey group, long nowMillis) {
        Long end = endMillis.get(group);
        return end != null && (end <= nowMillis || !isPaused(group));
    }

    boolean isPaused(RetryKey group) {
        String workload = group.destination().substring(MARK.length());
        return policies.apply(group.tenant(), workload).isPaused(workload);
    }
}
