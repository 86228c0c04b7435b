package io.spillway.deadletter;

import io.spillway.core.item.ItemState;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Removal of dead letters without a successor. */
public record Discard() implements Disposal {
    @Override
    public String done() {
        return "discarded";
    }

    @Override
    public ItemState to() {
        return ItemState.DROPPED;
    }

    @Override
    public Optional<String> obstacle(DeadLetter letter) {
        return Optional.empty();
    }

    @Override
    public Optional<ProducerRecord<byte[], byte[]>> successor(DeadLetter letter, long index) {
        return Optional.empty();
    }
}
