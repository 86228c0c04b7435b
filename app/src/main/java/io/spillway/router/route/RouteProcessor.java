package io.spillway.router.route;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.DeadLetterHeaders;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.view.ShardRequest;
import io.spillway.router.RouterTopology;
import io.spillway.router.ledger.LedgerRecorder;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;

/**
 * Carries out the decision on each ingress record: one forward to one lane, or none. Key, value and timestamp go on
 * as they came, to the partition that the decision names. Owned by one stream thread.
 */
public final class RouteProcessor implements Processor<byte[], byte[], byte[], PartitionedValue> {
    static final String STAGE = "router";

    private static final byte[] NO_ORIGIN = {};
    private static final Map<LaneReason, Header> REASON_HEADERS = reasonHeaders();

    private final Decider decider;
    private final RouterMetrics metrics;
    private final LedgerRecorder bookkeeping;
    private final LedgerOwner owners = new LedgerOwner();
    private LedgerRecorder.Book book = LedgerRecorder.Book.OFF;
    private ProcessorContext<byte[], PartitionedValue> context;
    private int originPartition = -1;
    private byte[] originPrefix = NO_ORIGIN;

    public RouteProcessor(Decider decider, RouterMetrics metrics, LedgerRecorder bookkeeping) {
        this.decider = decider;
        this.metrics = metrics;
        this.bookkeeping = bookkeeping;
    }

    @Override
    public void init(ProcessorContext<byte[], PartitionedValue> processorContext) {
        this.context = processorContext;
        this.book.close();
        this.book = bookkeeping.open(ItemState.OUTSIDE);
    }

    @Override
    public void close() {
        book.close();
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        long nowMillis = context.currentSystemTimeMs();
        Decision decision = decide(record, nowMillis);
        switch (decision.route()) {
            case Route.ToLane to -> {
                toLane(record, to, decision);
                book(decision.tenant(), ItemState.of(to.lane()));
            }
            case Route.Drop drop -> {
                metrics.dropped(drop.reason());
                book(decision.tenant(), ItemState.DROPPED);
            }
            case Route.DeadLetter dead -> {
                String tenant = owners.of(record.key(), record.value(), record.headers());
                toDeadLetter(record, dead, decision, nowMillis);
                book(tenant, ItemState.DEAD_LETTER);
            }
        }
        if (decision.ask().slots() > 0) {
            ask(decision.ask(), nowMillis);
        }
    }

    private void book(String tenant, ItemState to) {
        if (book.book(tenant, to)) {
            context.commit();
        }
    }

    private void ask(Decision.Ask ask, long nowMillis) {
        byte[] request = ShardRequest.encode(new ShardRequest.Assign(ask.slots()));
        context.forward(
                new Record<>(ascii(ask.tenant()), PartitionedValue.anywhere(request), nowMillis), RouterTopology.SHARD_REQUEST);
    }

    private Decision decide(Record<byte[], byte[]> record, long nowMillis) {
        try {
            return decider.decide(record, nowMillis);
        } catch (OutOfMemoryError e) {
            // Says nothing about this record; the process must go, and the record stays in ingress.
            throw e;
        } catch (RuntimeException | Error e) {
            metrics.ownError(e);
            return Decision.unreadable(new Route.DeadLetter(DeadReason.ROUTER_ERROR, e.toString()), true);
        }
    }

    private void toLane(Record<byte[], byte[]> record, Route.ToLane to, Decision decision) {
        Headers headers = record.headers();
        if (decision.hasInternalHeaders()) {
            stripInternal(headers);
        }
        if (decision.correctedAtMillis() != Decision.AS_IT_IS) {
            headers.remove(ItemHeaders.ENQUEUED_AT);
            headers.add(ItemHeaders.ENQUEUED_AT, ascii(Long.toString(decision.correctedAtMillis())));
        }
        headers.add(ItemHeaders.ORIGIN, origin());
        // Hot is where an item belongs: it needs no reason, and a header more costs a tenth of the throughput.
        if (to.reason() != LaneReason.FRESH) {
            headers.add(REASON_HEADERS.get(to.reason()));
        }
        context.forward(record.withValue(new PartitionedValue(record.value(), decision.partition())), RouterTopology.sinkOf(to.lane()));
        metrics.routed(to);
    }

    private void toDeadLetter(
            Record<byte[], byte[]> record, Route.DeadLetter dead, Decision decision, long nowMillis) {
        Headers headers = record.headers();
        if (decision.hasInternalHeaders()) {
            stripInternal(headers);
        }
        RecordMetadata from = from();
        DeadLetterHeaders.add(headers, dead, STAGE, nowMillis, from.topic(), from.partition(), from.offset());
        context.forward(record.withValue(PartitionedValue.anywhere(record.value())), RouterTopology.sinkOf(Lane.DEAD_LETTER));
        metrics.deadLettered(dead.reason());
    }

    private static void stripInternal(Headers headers) {
        for (Header header : headers.toArray()) {
            if (ItemHeaders.isInternal(header.key())) {
                headers.remove(header.key());
            }
        }
    }

    /** {@code topic-partition-offset} of entry, with the part that seldom changes kept as bytes. */
    private byte[] origin() {
        RecordMetadata from = from();
        if (from.partition() != originPartition) {
            originPartition = from.partition();
            originPrefix = ascii(from.topic() + "-" + originPartition + "-");
        }
        return withDecimal(originPrefix, from.offset());
    }

    private static byte[] withDecimal(byte[] prefix, long number) {
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        byte[] bytes = new byte[prefix.length + digits];
        System.arraycopy(prefix, 0, bytes, 0, prefix.length);
        long rest = number;
        for (int i = bytes.length - 1; i >= prefix.length; i--) {
            bytes[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return bytes;
    }

    private RecordMetadata from() {
        return context.recordMetadata()
                .orElseThrow(() -> new IllegalStateException("a record from a source always has its place"));
    }

    /** The header that tells why an item is in its lane. */
    public static Header reasonHeader(LaneReason reason) {
        return REASON_HEADERS.get(reason);
    }

    private static Map<LaneReason, Header> reasonHeaders() {
        Map<LaneReason, Header> headers = new EnumMap<>(LaneReason.class);
        for (LaneReason reason : LaneReason.values()) {
            headers.put(reason, new RecordHeader(ItemHeaders.LANE_REASON, ascii(reason.label())));
        }
        return headers;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
