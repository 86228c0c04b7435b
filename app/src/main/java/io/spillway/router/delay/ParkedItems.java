package io.spillway.router.delay;

import io.spillway.core.retry.AttemptClasses;
import io.spillway.core.retry.RetryKey;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Items of one delay lane partition that the retry budget or a pause holds back, by group and within it in the order of
 * {@link AttemptClasses}. They are in the timer store with a {@link ParkedKey}.
 *
 * <p>The first key of each class of each group is in memory, so that no scan begins at removed items that RocksDB has
 * not compacted. A store with items of an earlier run is indexed by seeking from class to class ({@link #seekClass});
 * counting its items takes as long as reading them, so {@link #count} does a part at a time, and numbers are too low
 * until then.
 *
 * <p>Two groups with the same hash, of 10,000 with a probability of 3 in a trillion, share their items.
 *
 * <p>Owner: the task of the processor that created it, on one thread. Bound: about 150 bytes for each class of each
 * group that has items, 7 at most, and the disk.
 */
final class ParkedItems {
    /** Items counted at a time. */
    static final int COUNTED_AT_ONCE = 1_000;

    private final KeyValueStore<Bytes, byte[]> store;
    private final Counts counts;
    private final Map<Long, Group> groups = new HashMap<>();
    /** Items below are in {@link #groups}. */
    private Bytes indexedTo = ParkedKey.FIRST;
    /** Items below are in the counts. */
    private Bytes countedTo = ParkedKey.FIRST;

    /** Receiver of how the number of a group's items changes. */
    @FunctionalInterface
    interface Counts {
        void add(RetryKey group, long items);
    }

    /** An item in the store. */
    record Item(Bytes key, byte[] value) {
        long endMillis() {
            return ParkedKey.endMillis(key);
        }

        long offset() {
            return ParkedKey.offset(key);
        }
    }

    private static final class Group {
        private final RetryKey key;
        private final SortedMap<Integer, Head> heads = new TreeMap<>();

        Group(RetryKey key) {
            this.key = key;
        }

        Optional<Head> lowest() {
            return heads.values().stream().findFirst();
        }

        Optional<Head> firstToEnd() {
            return heads.values().stream().min(Comparator.comparingLong(Head::endMillis));
        }
    }

    /** Items of one class of a group; the first may be gone. */
    private static final class Head {
        private Bytes first;
        private long items;

        Head(Bytes first) {
            this.first = first;
        }

        long endMillis() {
            return ParkedKey.endMillis(first);
        }

        Bytes last() {
            return ParkedKey.lastOf(ParkedKey.group(first), ParkedKey.attemptClass(first));
        }
    }

    ParkedItems(KeyValueStore<Bytes, byte[]> store, Counts counts) {
        this.store = store;
        this.counts = counts;
    }

    void put(RetryKey key, int attemptClass, long endMillis, long offset, byte[] value) {
        long number = ParkedKey.group(key);
        Bytes stored = ParkedKey.of(number, attemptClass, endMillis, offset);
        store.put(stored, value);
        Group group = groups.computeIfAbsent(number, absent -> new Group(key));
        counted(group, head(group, stored), stored, 1);
    }

    /** Returns the item of a group that goes next; empty if it has none. */
    Optional<Item> next(RetryKey key) {
        return first(key, Group::lowest);
    }

    /** Returns the item of a group that ends first; empty if it has none. */
    Optional<Item> firstToEnd(RetryKey key) {
        return first(key, Group::firstToEnd);
    }

    private Optional<Item> first(RetryKey key, Function<Group, Optional<Head>> order) {
        Group group = groups.get(ParkedKey.group(key));
        while (group != null) {
            Optional<Head> head = order.apply(group);
            if (head.isEmpty()) {
                return Optional.empty();
            }
            byte[] value = store.get(head.get().first);
            if (value != null) {
                return Optional.of(new Item(head.get().first, value));
            }
            // A group with the same hash has taken it.
            seekFirst(group, head.get());
        }
        return Optional.empty();
    }

    /**
     * Removes the item of a group with this key, which {@link #next} or {@link #firstToEnd} has returned. Returns the
     * first end of those that are left; empty if it was the last.
     */
    OptionalLong remove(RetryKey key, Bytes stored) {
        Group group = groups.get(ParkedKey.group(key));
        Head head = group.heads.get(ParkedKey.attemptClass(stored));
        // delete() would read the old value first.
        store.put(stored, null);
        counted(group, head, stored, -1);
        if (head.items == 0 && isCounted(head.last())) {
            // A scan would step over the removed items of the next class.
            forget(group, head);
        } else {
            seekFirst(group, head);
        }
        return group.firstToEnd().map(first -> OptionalLong.of(first.endMillis())).orElseGet(OptionalLong::empty);
    }

    /** Returns the first item of the first class of a group that is not indexed; empty if all are. */
    Optional<Item> seekClass() {
        try (KeyValueIterator<Bytes, byte[]> items = store.range(indexedTo, ParkedKey.LAST)) {
            if (!items.hasNext()) {
                indexedTo = ParkedKey.LAST;
                return Optional.empty();
            }
            KeyValue<Bytes, byte[]> first = items.next();
            indexedTo = first.key;
            return Optional.of(new Item(first.key, first.value));
        }
    }

    /** Returns whether the item that {@link #seekClass} found has the key of a group. */
    boolean isSought(RetryKey key) {
        return ParkedKey.group(indexedTo) == ParkedKey.group(key);
    }

    /** Indexes the class that {@link #seekClass} found, whose items have this key. */
    void index(RetryKey key) {
        Group group = groups.computeIfAbsent(ParkedKey.group(indexedTo), absent -> new Group(key));
        indexedTo = head(group, indexedTo).last();
    }

    /** Removes the item that {@link #seekClass} found. */
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
                Group group = groups.get(ParkedKey.group(key));
                Head head = group == null ? null : group.heads.get(ParkedKey.attemptClass(key));
                if (head != null) {
                    add(group, head, 1);
                }
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
        groups.values().forEach(group -> group.heads.values().forEach(head -> add(group, head, -head.items)));
        groups.clear();
    }

    /** Returns the class of a group that a stored item belongs to. */
    private static Head head(Group group, Bytes stored) {
        Head head = group.heads.computeIfAbsent(ParkedKey.attemptClass(stored), absent -> new Head(stored));
        if (stored.compareTo(head.first) < 0) {
            head.first = stored;
        }
        return head;
    }

    /** Finds the first item of a class of a group; forgets the class if there is none. */
    private void seekFirst(Group group, Head head) {
        try (KeyValueIterator<Bytes, byte[]> items = store.range(head.first, head.last())) {
            if (items.hasNext()) {
                head.first = items.peekNextKey();
                return;
            }
        }
        forget(group, head);
    }

    private void forget(Group group, Head head) {
        add(group, head, -head.items);
        group.heads.remove(ParkedKey.attemptClass(head.first));
        if (group.heads.isEmpty()) {
            groups.remove(ParkedKey.group(head.first));
        }
    }

    private void counted(Group group, Head head, Bytes key, long items) {
        if (isCounted(key)) {
            add(group, head, items);
        }
    }

    private void add(Group group, Head head, long items) {
        head.items += items;
        counts.add(group.key, items);
    }

    private boolean isCounted(Bytes key) {
        return key.compareTo(countedTo) < 0;
    }
}
