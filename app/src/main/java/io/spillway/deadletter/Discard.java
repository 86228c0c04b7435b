package io.spillway.deadletter;

import io.spillway.core.item.ItemState;
import io.spillway.kafka.codec.TrailCodec;
import io.spillway.kafka.topics.Topics;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Removal of dead letters, which leaves at most a record on the trail. */
public record Discard(Topics topics) implements Disposal {
    private static final TrailCodec TRAIL = new TrailCodec();

    @Override
    public String done() {
        return "discarded";
    }

    @Override
    public ItemState to() {
        return ItemState.DROPPED;
    }

    @Override
    public Optional<ProducerRecord<byte[], byte[]>> successor(DeadLetter letter, long index) {
        if (!topics.keepsTrail()) {
            return Optional.empty();
        }
        byte[] end = new TrailCodec.End(to(), TrailCodec.DISCARDED).encode();
        return Optional.of(new ProducerRecord<>(topics.trail(), null, null, null, end, TRAIL.headers(
                letter.reading(), letter.record().value(), letter.record().headers(), letter.originText(),
                letter.attempts())));
    }
}
