package io.spillway.core.engine;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.ItemHistory;
import io.spillway.core.routing.ItemTimes;
import io.spillway.core.routing.Route;
import java.util.Optional;

/** Item as the engine reads it: the position of its record and the history in the record's headers. */
public interface EngineItem extends ItemHistory {
    /** Value of {@link #waitsSinceMillis} for an item that was attempted. */
    long ATTEMPTED = Long.MAX_VALUE;

    /** Returns the partition of its record, in the ownership in which it was read. */
    EnginePartition partition();

    /** Returns the offset of its record in that partition; negative before its record is committed. */
    long offset();

    /** Returns what its committed record and the item before the commit have in common; equal for no other item. */
    default Object identity() {
        return offset();
    }

    /** Returns its tenant, never null. */
    String tenant();

    /** Returns its workload within the tenant, empty for none; the same object for equal names where that is cheap. */
    default String workload() {
        return "";
    }

    /** Returns its urgency among the items of its workload, 0 to {@link ItemLimits#MAX_PRIORITY}. */
    default int priority() {
        return ItemLimits.NORMAL_PRIORITY;
    }

    /** Returns the moves to another lane since the last attempt, 0 or more. */
    int moves();

    /** Returns how many workers were lost while an attempt of it ran, or may have run, beside others; 0 or more. */
    default int losses() {
        return 0;
    }

    /** Returns when it was created and entered, and since when its age counts. */
    ItemTimes times();

    /** Returns the start of its age, epoch milliseconds. */
    default long freshSinceMillis() {
        return times().ageSinceMillis();
    }

    /** Returns since when it waits for its first attempt, epoch milliseconds; {@link #ATTEMPTED} if one was made. */
    default long waitsSinceMillis() {
        return attempts() > 0 ? ATTEMPTED : freshSinceMillis();
    }

    /** Returns the partition of the delay lane that granted this retry; {@link AttemptCounts#UNKNOWN} for none. */
    default int grantedBy() {
        return AttemptCounts.UNKNOWN;
    }

    /** Returns why its record contains no item, which makes it a dead letter; empty for an item. */
    default Optional<Route.DeadLetter> unreadable() {
        return Optional.empty();
    }

    /** Returns its size in memory with everything that is kept for it, for the read-ahead limit; 0 or more. */
    int bytes();
}
