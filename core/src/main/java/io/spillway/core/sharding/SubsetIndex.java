package io.spillway.core.sharding;

import io.spillway.core.hashing.LinearProbing;
import io.spillway.core.hashing.TenantHash;

/**
 * Use counts of the (m+1)-subsets of slots: at most 1 while no two shards share more than m. A subset is one long with
 * its slots in ascending order.
 *
 * <p>Owner: {@link ShardRegistry}. Open addressing with linear probing, at most half full. Removal shifts entries back
 * and leaves no tombstones (Knuth, The Art of Computer Programming 3, 6.4, algorithm R). Bound: {@link #MAX_SUBSETS},
 * 32 to 64 bytes each; the registry assigns nothing beyond it.
 */
final class SubsetIndex {
    static final int MAX_SUBSETS = 1 << 24;

    /** Slots as in {@link LinearProbing}: a subset's key, and its number of uses. */
    private long[] slots = new long[LinearProbing.FIRST_LENGTH];
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
        return (int) slots[LinearProbing.find(slots, key(subset)) + 1];
    }

    void add(long subset) {
        int at = LinearProbing.find(slots, key(subset));
        if (slots[at] == 0) {
            int length = LinearProbing.lengthFor(++size);
            if (length > slots.length) {
                slots = LinearProbing.rehash(slots, length, uses -> true);
                at = LinearProbing.find(slots, key(subset));
            }
            slots[at] = key(subset);
        }
        if (++slots[at + 1] == 2) {
            shared++;
        }
    }

    /** Removes one use of a subset that is in use. */
    void remove(long subset) {
        int free = LinearProbing.find(slots, key(subset));
        if (slots[free + 1] == 2) {
            shared--;
        }
        if (--slots[free + 1] > 0) {
            return;
        }
        size--;
        int mask = slots.length - 1;
        for (int at = free + 2 & mask; slots[at] != 0; at = at + 2 & mask) {
            // An entry must not move before its home slot.
            if ((at - (int) (slots[at] << 1) & mask) >= (at - free & mask)) {
                slots[free] = slots[at];
                slots[free + 1] = slots[at + 1];
                free = at;
            }
        }
        slots[free] = 0;
        slots[free + 1] = 0;
    }

    /** Returns a number above or below 0 that no other subset has: the mix is a bijection that keeps only 0. */
    private static long key(long subset) {
        return TenantHash.mix(subset + 1);
    }
}
