package io.spillway.operator;

import io.spillway.kafka.view.ViewContent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Newest entries of the action log. Owner: the view's thread; other threads may read. Bound: {@value #MAX} entries, of
 * which the oldest are forgotten.
 */
public final class ActionLog extends ViewContent<ActionEntry> {
    /** Maximum number of entries. */
    public static final int MAX = 1_000;

    private final int max;
    /** Keys in the order of their times; of the view's thread. */
    private final NavigableSet<String> keys = new TreeSet<>();

    /** @param maxEntries limit of the view, above which it would skip new entries */
    public ActionLog(int maxEntries) {
        this.max = Math.clamp(maxEntries - 1L, 1, MAX);
    }

    /** Returns the key of an entry: its time in order, and what tells it from others of that time. */
    static String key(long atMillis, long randomBits) {
        return String.format(Locale.ROOT, "%015d-%016x", atMillis, randomBits);
    }

    @Override
    public void put(String key, byte[] value) {
        entries.put(key, ActionEntry.decode(value));
        keys.add(key);
        while (keys.size() > max) {
            entries.remove(keys.pollFirst());
        }
    }

    @Override
    public void remove(String key) {
        super.remove(key);
        keys.remove(key);
    }

    /** Returns the newest entries, newest first. */
    public List<ActionEntry> newest(int limit) {
        List<Map.Entry<String, ActionEntry>> all = new ArrayList<>(entries.entrySet());
        all.sort(Map.Entry.<String, ActionEntry>comparingByKey().reversed());
        return all.stream().limit(limit).map(Map.Entry::getValue).toList();
    }
}
