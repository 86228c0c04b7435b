package io.spillway.policy;

/**
 * Something that fails as a whole, as racks and zones do, and how often a shard may and must touch each of its groups.
 * Immutable.
 */
public final class FaultDimension {
    private final String name;
    private final int[] groupOf;
    private final int groups;
    private final int atLeast;
    private final int atMost;

    /**
     * @param name    of the dimension, for messages; not null
     * @param groupOf the group of each slot, 0 to 4,095 each; copied
     * @param atLeast slots that every shard has in every group, 0 (no bound) or more
     * @param atMost  slots that a shard has in any group, at least 1 and {@code atLeast}
     * @throws IllegalArgumentException when a number is out of its range
     */
    public FaultDimension(String name, int[] groupOf, int atLeast, int atMost) {
        int last = -1;
        for (int group : groupOf) {
            if (group < 0 || group >= ShardBook.MAX_SLOTS) {
                throw new IllegalArgumentException(
                        name + ": group " + group + ": must be from 0 to " + (ShardBook.MAX_SLOTS - 1));
            }
            last = Math.max(last, group);
        }
        if (atLeast < 0 || atMost < Math.max(1, atLeast)) {
            throw new IllegalArgumentException(name + ": at least " + atLeast + " and at most " + atMost
                    + " slots a group: must be 0 or more, and 1 or more and no less than the first");
        }
        this.name = name;
        this.groupOf = groupOf.clone();
        this.groups = last + 1;
        this.atLeast = atLeast;
        this.atMost = atMost;
    }

    /** The name given to it. */
    public String name() {
        return name;
    }

    /** How many slots it knows the group of. */
    public int slots() {
        return groupOf.length;
    }

    /**
     * Whether a shard has in each group no fewer and no more slots than it should.
     *
     * @param shard not null, of slots that this dimension knows
     */
    public boolean allows(Shard shard) {
        return allows(shard.slots(), shard.size(), shard.size());
    }

    /** Whether these slots are part of a shard of a size that is allowed, as far as one dimension can tell. */
    boolean allows(int[] chosen, int count, int size) {
        int missing = 0;
        for (int group = 0; group < groups && atLeast > 0; group++) {
            missing += Math.max(0, atLeast - in(group, chosen, count));
        }
        if (missing > size - count) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (in(groupOf[chosen[i]], chosen, count) > atMost) {
                return false;
            }
        }
        return true;
    }

    private int in(int group, int[] chosen, int count) {
        int in = 0;
        for (int i = 0; i < count; i++) {
            in += groupOf[chosen[i]] == group ? 1 : 0;
        }
        return in;
    }
}
