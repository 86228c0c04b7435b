package io.spillway.core.engine;

/** An item as the engine reads it: the position of its record and what the record's headers say of its past. */
public interface EngineItem {
    /** The partition that its record was read from, as owned when it was read. */
    EnginePartition partition();

    /** Offset of its record in that partition. */
    long offset();

    /** Its tenant, never null. */
    String tenant();

    /** Attempts made before, 0 or more. */
    int attempts();

    /** Moves to another lane without an attempt since the last attempt, 0 or more. */
    int moves();

    /** When its producer made it, epoch milliseconds. */
    long enqueuedAtMillis();

    /** When its age starts to count: {@link #enqueuedAtMillis}, or the time of its replay when that is later. */
    default long freshSinceMillis() {
        return enqueuedAtMillis();
    }

    /** Its size in memory, for the read-ahead limit; 0 or more. */
    int bytes();
}
