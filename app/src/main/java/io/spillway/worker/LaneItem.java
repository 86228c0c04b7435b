package io.spillway.worker;

import io.spillway.policy.Lane;
import io.spillway.topic.ItemReading;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * An item that waits in this process or is being handled, with what its headers say of its past.
 *
 * @param home             the partition it was read from, as owned now
 * @param lane             of that partition
 * @param record           as it was read
 * @param read             what it is routed by
 * @param origin           where it entered, {@code topic-partition-offset}
 * @param attempts         attempts made so far
 * @param moves            times it was moved on unattempted
 * @param attemptedBefore  whether its first attempt is over
 * @param freshSinceMillis from when its age counts: when it was made, or its replay when later
 */
record LaneItem(
        OwnedPartition home,
        Lane lane,
        ConsumerRecord<byte[], byte[]> record,
        ItemReading.Item read,
        String origin,
        int attempts,
        int moves,
        boolean attemptedBefore,
        long freshSinceMillis) {

    long offset() {
        return record.offset();
    }

    String tenant() {
        return read.tenant();
    }

    long enqueuedAtMillis() {
        return read.enqueuedAtMillis();
    }

    /** Roughly what it takes in memory. */
    int bytes() {
        return Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
    }
}
