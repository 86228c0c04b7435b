package io.spillway.deadletter;

import java.util.Optional;
import java.util.OptionalLong;

/** What a dead letter is chosen by. An interface, because telling the id can cost a decoding that most filters do without. */
public interface DeadLetterFacts {
    /** Whose it is; empty for one that cannot be read as an item. */
    Optional<String> tenant();

    /** The item's id, or where it entered; never null. */
    String id();

    /** The value of {@code spillway-dead-reason}; empty text where there is none. */
    String reason();

    /** When it became a dead letter, epoch milliseconds; empty where it does not say. */
    OptionalLong deadAtMillis();
}
