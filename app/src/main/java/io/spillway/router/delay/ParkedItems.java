package io.spillway.router.delay;

import io.spillway.core.retry.RetryKey;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Items of one delay lane partition that the retry budget holds back, by group and within it in the order of their
 * ends. They are in the timer store with a {@link ParkedKey}.
 *
 * <p>The first key of each group is in memory, so that no scan begins at removed items that RocksDB has not compacted.
 * A store with items of an earlier run is indexed by seeking from group to group ({@link #seekGroup}); counting its
 * items takes as long as reading them, so {@link #count} does a part at a time, and numbers are too low until then.
 *
 * <p>Two groups with the same hash, of 10,000 with a probability of 3 in a trillion, share their items.
 *
 * <p>Owner: the task of the processor that created it, on one thread. Bound: about 150 bytes for each group that has
 * items, and the disk.
 */
final class ParkedItems {
    /** Items counted at a time. */
    static final int COUNTED_AT_ONCE = 1_000;

    private final KeyValueStore<Bytes, byte[]> store;
    private final Counts counts;
    private final Map<Long, Group> groups = new HashMap<>();
    /** Groups below are in {@link #groups}. */
    private Bytes indexedTo = ParkedKey.FIRST;
    /** Items below are in the counts. */
    private Bytes countedTo = ParkedKey.FIRST;

    /** Receiver of how the number of a group's items changes. */
    @FunctionalInterface
    interface Counts {
        void add(RetryKey group, long items);
    }

    /** An item in the store. */
    record Item(long endMillis, long offset, byte[] value) {}

    private static final class Group {
        private final RetryKey key;
        private final long number;
        private Bytes first;
        private long items;

        Group(RetryKey key, long number, Bytes first) {
            this.key = key;
            this.number = number;
            this.first = first;
        }
    }

    ParkedItems(KeyValueStore<Bytes, byte[]> store, Counts counts) {
        this.store = store;
        this.counts = counts;
    }

    void put(RetryKey key, long endMillis, long offset, byte[] value) {
        long number = ParkedKey.group(key);
        Bytes stored = ParkedKey.of(number, endMillis, offset);
        store.put(stored, value);
        counted(group(key, number, stored), stored, 1);
    }

    /** Returns the first item of a group; empty if it has none. */
    Optional<Item> first(RetryKey key) {
        Group group = groups.get(ParkedKey.group(key));
        if (group == null) {
            return Optional.empty();
        }
        byte[] value = store.get(group.first);
        if (value == null && seekFirst(group)) {
            // A group with the same hash has taken it.
            value = store.get(group.first);
        }
        return Optional.ofNullable(value).map(found ->
                new Item(ParkedKey.endMillis(group.first), ParkedKey.offset(group.first), found));
    }

    /** Removes the first item of a group, which has one, and returns the end of the next; empty if it was the last. */
    OptionalLong removeFirst(RetryKey key) {
        Group group = groups.get(ParkedKey.group(key));
        // delete() would read the old value first.
        store.put(group.first, null);
        counted(group, group.first, -1);
        boolean isLast = group.items == 0 && isCounted(ParkedKey.lastOf(group.number));
        if (isLast) {
            // A scan would step over the removed items of the next group.
            forget(group);
        }
        return !isLast && seekFirst(group) ? OptionalLong.of(ParkedKey.endMillis(group.first)) : OptionalLong.empty();
    }

    /** Returns the first item of the first group that is not indexed; empty if all are. */
    Optional<Item> seekGroup() {
        try (KeyValueIterator<Bytes, byte[]> items = store.range(indexedTo, ParkedKey.LAST)) {
            if (!items.hasNext()) {
                indexedTo = ParkedKey.LAST;
                return Optional.empty();
            }
            KeyValue<Bytes, byte[]> first = items.next();
            indexedTo = first.key;
            return Optional.of(new Item(ParkedKey.endMillis(first.key), ParkedKey.offset(first.key), first.value));
        }
    }

    /** Returns whether the group that {@link #seekGroup} found is that of a key. */
    boolean isSought(RetryKey key) {
        return ParkedKey.group(indexedTo) == ParkedKey.group(key);
    }

    /** Indexes the group that {@link #seekGroup} found, whose items have this key. */
    void index(RetryKey key) {
        long number = ParkedKey.group(indexedTo);
        group(key, number, indexedTo);
        indexedTo = ParkedKey.lastOf(number);
    }

    /** Removes the item that {@link #seekGroup} found. */
    void removeSought() {
        store.put(indexedTo, null);
    }

    /** Returns whether all groups are indexed. */
    boolean isIndexed() {
        return indexedTo.equals(ParkedKey.LAST);
    }

    /** Returns whether the items of an earlier run are counted. */
    boolean isCounted() {
        return countedTo.equals(ParkedKey.LAST);
    }

    /** Counts a part of the items of an earlier run, when all groups are indexed; returns the number. */
    int count() {
        if (isCounted() || !isIndexed()) {
            return 0;
        }
        int counted = 0;
        try (KeyValueIterator<Bytes, byte[]> items = store.range(countedTo, ParkedKey.LAST)) {
            while (items.hasNext()) {
                if (counted == COUNTED_AT_ONCE) {
                    countedTo = items.peekNextKey();
                    return counted;
                }
                Bytes key = items.next().key;
                Optional.ofNullable(groups.get(ParkedKey.group(key))).ifPresent(group -> {
                    group.items++;
                    counts.add(group.key, 1);
                });
                counted++;
            }
        }
        countedTo = ParkedKey.LAST;
        return counted;
    }

    /** Returns whether no group has items; the items of groups that are not indexed do not count. */
    boolean isEmpty() {
        return groups.isEmpty();
    }

    /** Takes back what it told the receiver of numbers. */
    void close() {
        groups.values().forEach(group -> counts.add(group.key, -group.items));
        groups.clear();
    }

    private Group group(RetryKey key, long number, Bytes stored) {
        Group group = groups.computeIfAbsent(number, absent -> new Group(key, number, stored));
        if (stored.compareTo(group.first) < 0) {
            group.first = stored;
        }
        return group;
    }

    /** Finds the first item of a group; forgets the group and returns false if there is none. */
    private boolean seekFirst(Group group) {
        try (KeyValueIterator<Bytes, byte[]> items =
                store.range(group.first, ParkedKey.lastOf(group.number))) {
            if (items.hasNext()) {
                group.first = items.peekNextKey();
                return true;
            }
        }
        forget(group);
        return false;
    }

    private void forget(Group group) {
        groups.remove(group.number);
        counts.add(group.key, -group.items);
    }

    private void counted(Group group, Bytes key, long items) {
        if (isCounted(key)) {
            group.items += items;
            counts.add(group.key, items);
        }
    }

    private boolean isCounted(Bytes key) {
        return key.compareTo(countedTo) < 0;
    }
}
