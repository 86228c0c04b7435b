package io.spillway.worker;

import io.spillway.core.engine.EngineItem;
import io.spillway.core.engine.EnginePartition;
import io.spillway.core.item.Lane;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ParsedRecord;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * An item that waits in this process or is being handled, with what its headers say of its past.
 *
 * @param home             the partition it was read from, as owned now
 * @param record           as it was read
 * @param read             what it is routed by
 * @param attempts         attempts made so far
 * @param moves            times it was moved on unattempted
 * @param attemptedBefore  whether its first attempt is over
 * @param freshSinceMillis from when its age counts: when it was made, or its replay when later
 */
record LaneItem(
        OwnedPartition home,
        ConsumerRecord<byte[], byte[]> record,
        ParsedRecord.Item read,
        int attempts,
        int moves,
        boolean attemptedBefore,
        long freshSinceMillis)
        implements EngineItem {

    @Override
    public EnginePartition partition() {
        return home.state;
    }

    Lane lane() {
        return home.state.lane();
    }

    @Override
    public long offset() {
        return record.offset();
    }

    @Override
    public String tenant() {
        return read.tenant();
    }

    @Override
    public long enqueuedAtMillis() {
        return read.enqueuedAtMillis();
    }

    /** Where it entered, {@code topic-partition-offset}: the router writes it, and what was put into a lane by hand entered there. */
    String origin() {
        Header origin = record.headers().lastHeader(ItemHeaders.ORIGIN);
        return origin == null || origin.value() == null
                ? record.topic() + "-" + record.partition() + "-" + record.offset()
                : new String(origin.value(), StandardCharsets.ISO_8859_1);
    }

    /** Roughly what it takes in memory. */
    @Override
    public int bytes() {
        return Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
    }
}
