package io.spillway.core.engine;

import io.spillway.core.item.Lane;
import io.spillway.core.scheduling.FairDispatch;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * Oldest items that wait for their first attempt, by lane and tenant, from one look at all waiting items.
 *
 * <p>Of each tenant and lane it looks at the first {@value #LOOKED_AT} items, and at more until one was not attempted.
 * A tenant's items come from several partitions, so an older item may be further back; the result is then too young.
 *
 * <p>Not thread-safe, and used once. Bound: the items in memory.
 */
final class OldestWaiting<T extends EngineItem> {
    private static final int LOOKED_AT = 64;

    private final Map<Lane, Map<String, Long>> sinceMillis = new EnumMap<>(Lane.class);
    private boolean isFound;

    /** Returns since when the oldest items wait, by lane and tenant; the caller owns the result. */
    static <T extends EngineItem> Map<Lane, Map<String, Long>> of(
            FairDispatch<T> dispatch, Collection<Queue<T>> held, Quarantine<T, ?> quarantine) {
        OldestWaiting<T> oldest = new OldestWaiting<>();
        for (Lane lane : Lane.WORKED) {
            dispatch.visit(lane, oldest::look);
        }
        held.forEach(items -> items.forEach(oldest::add));
        quarantine.forEachWaiting(oldest::add);
        return oldest.sinceMillis;
    }

    /** Looks at an item in the scheduler, and returns whether to look at the tenant's next one. */
    private boolean look(T item, int place) {
        isFound = add(item) || place > 0 && isFound;
        return place < LOOKED_AT - 1 || !isFound;
    }

    /** Adds an item and returns whether it waits for its first attempt. */
    private boolean add(T item) {
        long since = item.waitsSinceMillis();
        if (since == EngineItem.ATTEMPTED) {
            return false;
        }
        sinceMillis.computeIfAbsent(item.partition().lane(), absent -> new HashMap<>())
                .merge(item.tenant(), since, Math::min);
        return true;
    }
}
