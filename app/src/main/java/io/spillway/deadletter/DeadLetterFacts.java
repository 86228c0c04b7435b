package io.spillway.deadletter;

import java.util.Optional;
import java.util.OptionalLong;

/** Properties of a dead letter that filters use. An interface, because the id can require decoding the whole item. */
public interface DeadLetterFacts {
    /** Returns the tenant; empty if the record is not a readable item. */
    Optional<String> tenant();

    /** Returns the item's id, or its origin if it has none; never null. */
    String id();

    /** Returns the value of {@code spillway-dead-reason}; empty text if absent. */
    String reason();

    /** Returns the time at which it was dead-lettered, epoch milliseconds; empty if absent. */
    OptionalLong deadAtMillis();
}
