package io.spillway.core.retry;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * Items of which a first delivery to a subscription has started: each worker tells those that are new to it, and a
 * router takes the first that it is told.
 *
 * <p>Thread-safe: its own lock. Bound: {@value #MOST_KNOWN} items, of which the longest unseen is forgotten and may be
 * told again, and as many that are not told yet; further ones are left out.
 */
public final class FirstStarts {
    static final int MOST_KNOWN = 50_000;

    /**
     * Start of the first delivery of an item.
     *
     * @param item      hash of what identifies the item
     * @param ageMillis age of the item then, 0 or more
     */
    public record Start(long item, long ageMillis) {}

    private final Map<Long, Boolean> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > MOST_KNOWN;
        }
    };
    private final Queue<Start> untold = new ArrayDeque<>();

    /** Returns whether this is the first that is known of its item. */
    public synchronized boolean isFirst(Start start) {
        return known.put(start.item, true) == null;
    }

    /** Records the start of a delivery, to be told if it is the first that is known of its item. */
    public synchronized void started(Start start) {
        if (isFirst(start) && untold.size() < MOST_KNOWN) {
            untold.add(start);
        }
    }

    /** Removes and returns at most this number of those to be told, in the order of their starts. */
    public synchronized List<Start> take(int most) {
        List<Start> taken = new ArrayList<>();
        while (taken.size() < most && !untold.isEmpty()) {
            taken.add(untold.remove());
        }
        return taken;
    }
}
