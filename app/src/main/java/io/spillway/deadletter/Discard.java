package io.spillway.deadletter;

import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.kafka.codec.TrailCodec;
import io.spillway.kafka.codec.Turn;
import io.spillway.kafka.topics.Topics;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;

/** Removal of dead letters, which leaves at most a record on the trail, and lets an order key go on. */
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
    public List<ProducerRecord<byte[], byte[]>> successors(DeadLetter letter, long index) {
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        Headers headers = letter.record().headers();
        Turn.of(headers, topics.partitions()).ifPresent(turn -> records.add(turn.noticeTo(topics.lane(Lane.DELAY),
                letter.owner(), headers, letter.record().timestamp(), Turn.Result.ENDED)));
        if (topics.keepsTrail()) {
            byte[] end = new TrailCodec.End(to(), TrailCodec.DISCARDED).encode();
            records.add(new ProducerRecord<>(topics.trail(), null, null, null, end, TRAIL.headers(
                    letter.reading(), letter.record().value(), headers, letter.originText(), letter.attempts())));
        }
        return records;
    }
}
