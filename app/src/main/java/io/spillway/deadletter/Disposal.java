package io.spillway.deadletter;

import io.spillway.core.item.ItemState;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;

/** What is done with the dead letters that are meant. */
public sealed interface Disposal permits Replay, Discard {
    /** A word for what was done, such as {@code replayed}. */
    String done();

    /** Where it goes, as the books see it. */
    ItemState to();

    /** Why this cannot be done with a dead letter, so that it stays; empty when it can. */
    Optional<String> obstacle(DeadLetter letter);

    /**
     * The record that takes the dead letter's place; empty for none.
     *
     * @param letter without an obstacle
     * @param index  which one of this run, from 0
     */
    Optional<ProducerRecord<byte[], byte[]>> successor(DeadLetter letter, long index);
}
