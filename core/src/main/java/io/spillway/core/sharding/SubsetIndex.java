package io.spillway.core.sharding;

import io.spillway.core.item.TenantHash;

/**
 * Use counts of the (m+1)-subsets of slots: at most 1 while no two shards share more than m. A subset is one long with
 * its slots in ascending order.
 *
 * <p>Owner: {@link ShardRegistry}. Open addressing with linear probing, at most half full. Removal shifts entries back
 * and leaves no tombstones (Knuth, The Art of Computer Programming 3, 6.4, algorithm R). Bound: {@link #MAX_SUBSETS},
 * 24 to 48 bytes each; the registry assigns nothing beyond it.
 */
final class SubsetIndex {
    static final int MAX_SUBSETS = 1 << 24;
    private static final int FIRST_LENGTH = 1 << 10;

    /** The subset plus one; 0 marks a free slot. */
    private long[] keys = new long[FIRST_LENGTH];
    private int[] counts = new int[FIRST_LENGTH];
    private int size;
    private int shared;

    /** Returns the number of different subsets in use. */
    int size() {
        return size;
    }

    /** Returns the number of subsets in use more than once. */
    int shared() {
        return shared;
    }

    int count(long subset) {
        return counts[find(subset + 1)];
    }

    void add(long subset) {
        int at = find(subset + 1);
        if (keys[at] == 0) {
            if (2 * ++size > keys.length) {
                grow();
                at = find(subset + 1);
            }
            keys[at] = subset + 1;
        }
        if (++counts[at] == 2) {
            shared++;
        }
    }

    /** Removes one use of a subset that is in use. */
    void remove(long subset) {
        int free = find(subset + 1);
        if (counts[free] == 2) {
            shared--;
        }
        if (--counts[free] > 0) {
            return;
        }
        size--;
        int mask = keys.length - 1;
        for (int at = free + 1 & mask; keys[at] != 0; at = at + 1 & mask) {
            // An entry must not move before its home slot.
            if ((at - homeSlot(keys[at]) & mask) >= (at - free & mask)) {
                keys[free] = keys[at];
                counts[free] = counts[at];
                free = at;
            }
        }
        keys[free] = 0;
        counts[free] = 0;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldCounts = counts;
        keys = new long[2 * oldKeys.length];
        counts = new int[keys.length];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0) {
                int at = find(oldKeys[i]);
                keys[at] = oldKeys[i];
                counts[at] = oldCounts[i];
            }
        }
    }

    private int find(long key) {
        int mask = keys.length - 1;
        int at = homeSlot(key);
        while (keys[at] != 0 && keys[at] != key) {
            at = at + 1 & mask;
        }
        return at;
    }

    private int homeSlot(long key) {
        return (int) TenantHash.mix(key) & keys.length - 1;
    }
}
