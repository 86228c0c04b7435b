package io.spillway.router.route;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.view.ShardRequest;
import io.spillway.router.ledger.LedgerRecorder;
import io.spillway.router.stage.SinkNames;
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
 * Processor of the route stage: forwards each ingress record to one lane or drops it, as its {@link Decision} says.
 * Key, value and timestamp stay unchanged. Owner: one stream thread.
 */
public final class RouteProcessor implements Processor<byte[], byte[], byte[], PartitionedValue> {
    static final String STAGE = "router";

    private static final byte[] NO_ORIGIN = {};
    private static final Map<LaneReason, Header> REASON_HEADERS = reasonHeaders();

    private final Decider decider;
    private final RouterMetrics metrics;
    private final LedgerRecorder recorder;
    private final LedgerOwner owners = new LedgerOwner();
    private LedgerRecorder.TaskLedger ledger = LedgerRecorder.TaskLedger.OFF;
    private ProcessorContext<byte[], PartitionedValue> context;
    private int originPartition = -1;
    private byte[] originPrefix = NO_ORIGIN;

    public RouteProcessor(Decider decider, RouterMetrics metrics, LedgerRecorder recorder) {
        this.decider = decider;
        this.metrics = metrics;
        this.recorder = recorder;
    }

    @Override
    public void init(ProcessorContext<byte[], PartitionedValue> processorContext) {
        this.context = processorContext;
        this.ledger.close();
        this.ledger = recorder.open(ItemState.OUTSIDE);
    }

    @Override
    public void close() {
        ledger.close();
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        long nowMillis = context.currentSystemTimeMs();
        Decision decision = decide(record, nowMillis);
        switch (decision.route()) {
            case Route.ToLane to -> {
                toLane(record, to, decision);
                recordMove(decision.tenant(), ItemState.of(to.lane()));
            }
            case Route.Drop drop -> {
                metrics.dropped(drop.reason());
                recordMove(decision.tenant(), ItemState.DROPPED);
            }
            case Route.DeadLetter dead -> {
                String tenant = owners.of(record.key(), record.value(), record.headers());
                toDeadLetter(record, dead, decision, nowMillis);
                recordMove(tenant, ItemState.DEAD_LETTER);
            }
        }
        if (decision.requestedSlots() > 0) {
            requestShard(decision, nowMillis);
        }
    }

    private void recordMove(String tenant, ItemState to) {
        if (ledger.record(tenant, to)) {
            context.commit();
        }
    }

    private void requestShard(Decision decision, long nowMillis) {
        byte[] request = ShardRequest.encode(new ShardRequest.Assign(decision.requestedSlots()));
        context.forward(
                new Record<>(ascii(decision.tenant()), PartitionedValue.anywhere(request), nowMillis),
                SinkNames.SHARD_REQUEST);
    }

    private Decision decide(Record<byte[], byte[]> record, long nowMillis) {
        try {
            return decider.decide(record, nowMillis);
        } catch (OutOfMemoryError e) {
            // Not caused by this record, which stays in ingress; the process must end.
            throw e;
        } catch (RuntimeException | Error e) {
            metrics.ownError(e);
            return Decision.unreadable(new Route.DeadLetter(DeadReason.ROUTER_ERROR, e.toString()), true);
        }
    }

    private void toLane(Record<byte[], byte[]> record, Route.ToLane to, Decision decision) {
        Headers headers = record.headers();
        if (decision.hasInternalHeaders()) {
            ItemHeaders.removeInternal(headers);
        }
        decision.correctEnqueuedAt(headers);
        headers.add(ItemHeaders.ORIGIN, origin());
        // A new item in hot needs no reason; one more header costs a tenth of the throughput.
        if (to.reason() != LaneReason.FRESH) {
            headers.add(REASON_HEADERS.get(to.reason()));
        }
        context.forward(
                record.withValue(new PartitionedValue(record.value(), decision.partition())),
                SinkNames.ofRoute(to.lane()));
        metrics.routed(to);
    }

    private void toDeadLetter(
            Record<byte[], byte[]> record, Route.DeadLetter dead, Decision decision, long nowMillis) {
        Headers headers = record.headers();
        if (decision.hasInternalHeaders()) {
            ItemHeaders.removeInternal(headers);
        }
        RecordMetadata from = context.recordMetadata().orElseThrow();
        ItemHeaders.addDeadLetter(headers, dead, STAGE, nowMillis, from.topic(), from.partition(), from.offset());
        context.forward(record.withValue(PartitionedValue.anywhere(record.value())),
                SinkNames.ofRoute(Lane.DEAD_LETTER));
        metrics.deadLettered(dead.reason());
    }

    /** Returns {@code topic-partition-offset} in ingress. The prefix is cached because it seldom changes. */
    private byte[] origin() {
        RecordMetadata from = context.recordMetadata().orElseThrow();
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

    /** Returns the header that states why an item is in its lane. */
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
