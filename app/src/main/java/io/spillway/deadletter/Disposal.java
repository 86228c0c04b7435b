package io.spillway.deadletter;

import io.spillway.core.item.ItemState;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Action on the selected dead letters. */
public sealed interface Disposal permits Replay, Discard {
    /** Returns the past participle for messages, such as {@code replayed}. */
    String done();

    /** Returns the item's next state in the ledger. */
    ItemState to();

    /** Returns the reason why the action is impossible for a dead letter, which then stays; empty if it is possible. */
    default Optional<String> obstacle(DeadLetter letter) {
        return Optional.empty();
    }

    /**
     * Returns the records that are written for the dead letter.
     *
     * @param letter dead letter without an obstacle
     * @param index  its index in this run, from 0
     */
    List<ProducerRecord<byte[], byte[]>> successors(DeadLetter letter, long index);
}
