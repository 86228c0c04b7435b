package io.spillway.worker;

import io.spillway.core.engine.EngineItem;
import io.spillway.core.engine.EnginePartition;
import io.spillway.core.hashing.TenantHash;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.Subscription;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.routing.ItemTimes;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.HeldBytes;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.tracing.AttemptFacts;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Item that waits in this worker or is being handled, with the history from its headers.
 *
 * @param owned            partition of the record
 * @param read             routing fields
 * @param times            since when its age counts
 * @param attempts         attempts that have ended
 * @param moves            moves to another lane since the last attempt
 * @param priority         urgency among the items of its workload, 0 to 9
 * @param blameThousandths failures that were its own, in thousandths of an attempt
 * @param waitMillis       last wait before a retry as it was drawn; 0 for none
 * @param attemptedBefore  whether its first attempt has ended
 * @param dueMillis        end of its last delay, epoch milliseconds, any value; 0 for none
 * @param waitsSinceMillis as {@link EngineItem#waitsSinceMillis}
 * @param bytes            {@link HeldBytes} of the record
 * @param unreadable       why the record contains no item; empty for an item
 */
record LaneItem(
        OwnedPartition owned, ConsumerRecord<byte[], byte[]> record, ParsedRecord.Item read, ItemTimes times,
        int attempts, int moves, int priority, int blameThousandths, long waitMillis, boolean attemptedBefore,
        long dueMillis, long waitsSinceMillis, int bytes, Optional<Route.DeadLetter> unreadable)
        implements EngineItem {
    private static final ItemDecoder DECODER = new ItemDecoder();

    @Override
    public EnginePartition partition() {
        return owned;
    }

    Lane lane() {
        return owned.lane();
    }

    @Override
    public long offset() {
        return record.offset();
    }

    /** Returns the {@link #origin}: no other item has it, and one has it in each lane and at each offset. */
    @Override
    public Object identity() {
        return origin();
    }

    @Override
    public String tenant() {
        return read.tenant();
    }

    @Override
    public String workload() {
        return read.workload();
    }

    /**
     * Returns since when the age of an attempt counts, epoch milliseconds: since the item's creation or the
     * time for its first attempt that its producer set, since its turn if it waited for one, and for a first attempt
     * since it was due if its handler put it off. The time in between is the application's wish.
     */
    long ageSinceMillis() {
        long startMillis =
                Math.max(times.enqueuedAtMillis(), Math.min(read.deliverAtMillis(), times.ageSinceMillis()));
        return Math.max(Math.max(startMillis, turnMillis()), attemptedBefore ? 0 : dueMillis);
    }

    private long turnMillis() {
        return read.isSequenced() ? ItemHeaders.number(record.headers(), ItemHeaders.TURN_AT).orElse(0) : 0;
    }

    @Override
    public int grantedBy() {
        return attempts == 0 ? AttemptCounts.UNKNOWN
                : Math.clamp(ItemHeaders.number(record.headers(), ItemHeaders.GRANTED_BY)
                        .orElse(AttemptCounts.UNKNOWN), AttemptCounts.UNKNOWN, Integer.MAX_VALUE);
    }

    @Override
    public int losses() {
        return ItemHeaders.losses(record.headers());
    }

    /**
     * Returns the {@code topic-partition-offset} at which the item entered: from the router's header, or of this record
     * when it was produced directly to the lane.
     */
    String origin() {
        Header origin = record.headers().lastHeader(ItemHeaders.ORIGIN);
        return origin == null || origin.value() == null
                ? record.topic() + "-" + record.partition() + "-" + record.offset()
                : new String(origin.value(), StandardCharsets.ISO_8859_1);
    }

    /** Returns a hash of the item of which this is a delivery: of the origin that all its deliveries have. */
    long hashOfItem() {
        return TenantHash.of(origin().split(Subscription.MARK, 2)[0], 0);
    }

    /**
     * Returns what the span of an attempt says.
     *
     * @param group       consumer group of the workers
     * @param startMillis begin of the attempt, epoch milliseconds
     */
    AttemptFacts facts(String group, long startMillis) {
        String reason = ItemHeaders.text(record.headers(), ItemHeaders.LANE_REASON).orElse(LaneReason.FRESH.label());
        return new AttemptFacts(
                record.topic(), record.partition(), record.offset(), group, tenant(), workload(), id(),
                record.value() == null ? 0 : record.value().length, lane().label(), reason, attempts + 1,
                Math.max(0, startMillis - ageSinceMillis()),
                Math.max(0, times.enteredAtMillis() - times.enqueuedAtMillis()),
                delayMillis(startMillis), laneMillis(startMillis));
    }

    /** After a failure it is known as it was drawn, and before the first attempt by the time that the item was due. */
    private OptionalLong delayMillis(long startMillis) {
        if (attempts > 0) {
            return waitMillis > 0 ? OptionalLong.of(waitMillis) : OptionalLong.empty();
        }
        OptionalLong due = dueMillis(startMillis);
        return due.isEmpty() ? due : OptionalLong.of(Math.max(0, due.getAsLong() - times.enteredAtMillis()));
    }

    /** A retry does not keep the time at which it was due. */
    private OptionalLong laneMillis(long startMillis) {
        return attempts > 0 ? OptionalLong.empty()
                : OptionalLong.of(Math.max(0, startMillis - dueMillis(startMillis).orElse(times.enteredAtMillis())));
    }

    private OptionalLong dueMillis(long startMillis) {
        return dueMillis != 0 && dueMillis <= startMillis ? OptionalLong.of(dueMillis) : OptionalLong.empty();
    }

    /** Returns the producer's id, or the origin. Decodes the item as far as this needs. */
    String id() {
        return DECODER.id(read, record.value(), record.headers(), origin());
    }
}
