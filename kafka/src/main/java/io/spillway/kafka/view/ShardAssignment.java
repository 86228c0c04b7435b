package io.spillway.kafka.view;

import io.spillway.core.sharding.Shard;
import java.util.Optional;

/**
 * What the book of shards has answered for one tenant.
 *
 * @param asked slots that the tenant wanted, 1 or more
 * @param shard what it has; empty when no shard of that size was left
 */
public record ShardAssignment(int asked, Optional<Shard> shard) {
    public ShardAssignment {
        if (asked < 1) {
            throw new IllegalArgumentException("asked for " + asked + " slots: must be 1 or more");
        }
    }

    /** Whether the tenant has as many slots as it asked for. */
    public boolean isMet() {
        return shard.isPresent() && shard.get().size() == asked;
    }

    /**
     * @throws IllegalArgumentException when it has a slot that is not there
     */
    void requireSlots(int slots) {
        if (shard.isPresent() && shard.get().slot(shard.get().size() - 1) >= slots) {
            throw new IllegalArgumentException(
                    "slot " + shard.get().slot(shard.get().size() - 1) + ": there are " + slots + " slots");
        }
    }
}
