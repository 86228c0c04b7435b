package io.spillway.kafka.view;

import io.spillway.core.sharding.Shard;
import java.util.Optional;

/**
 * Answer of the shard registry for one tenant.
 *
 * @param asked number of slots requested, 1 or more
 * @param shard the assigned shard; empty if no shard of that size was available
 */
public record ShardAssignment(int asked, Optional<Shard> shard) {
    public ShardAssignment {
        if (asked < 1) {
            throw new IllegalArgumentException("invalid request for " + asked + " slots: must be 1 or more");
        }
    }

    /** Returns whether the tenant has the requested number of slots. */
    public boolean isMet() {
        return shard.isPresent() && shard.get().size() == asked;
    }

    /** @throws IllegalArgumentException if the shard has a slot that does not exist */
    void requireSlots(int slots) {
        shard.map(assigned -> assigned.slot(assigned.size() - 1)).filter(last -> last >= slots).ifPresent(last -> {
            throw new IllegalArgumentException("slot " + last + " does not exist: there are " + slots + " slots");
        });
    }
}
