package io.spillway.router.route;

import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.LoweredLimits;
import io.spillway.kafka.view.ShardRequest;
import io.spillway.router.ledger.CommitPacer;
import io.spillway.router.ledger.LedgerRecorder;
import io.spillway.router.stage.LaneStage;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** Processor of the route stage: forwards each ingress record. */
public final class RouteProcessor extends LaneProcessor {
    /** Sink of the requests to the shard stage. */
    public static final String SHARD_REQUEST = "shard-request";

    private static final Map<LaneReason, Header> REASON_HEADERS = reasonHeaders();

    private byte[] originPrefix;

    public RouteProcessor(
            Topics topics, LoweredLimits limits, Decider decider, RouterMetrics metrics, LedgerRecorder recorder,
            CommitPacer pacer) {
        super(LaneStage.ROUTE, topics, limits, topics.ingress(), decider, metrics, recorder, pacer);
    }

    @Override
    public void init(ProcessorContext<byte[], PartitionedValue> processorContext) {
        super.init(processorContext);
        Origin first = position(0);
        originPrefix = ascii(first.topic() + "-" + first.partition() + "-");
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        long nowMillis = context().currentSystemTimeMs();
        Decision decision = route(record, context().recordMetadata().orElseThrow().offset(), nowMillis);
        if (decision.requestsShard()) {
            PartitionedValue request = PartitionedValue.anywhere(ShardRequest.ASSIGN.encode());
            context().forward(new Record<>(ascii(decision.tenant().name()), request, nowMillis), SHARD_REQUEST);
        }
    }

    @Override
    protected void setLaneHeaders(Headers headers, Route.ToLane to, Decision decision, long offset) {
        if (decision.hasInternalHeaders()) {
            ItemHeaders.removeInternal(headers);
        }
        decision.correctEnqueuedAt(headers);
        headers.add(ItemHeaders.ORIGIN, withDecimal(originPrefix, offset));
        // A new item in hot needs no reason; one more header costs a tenth of the throughput.
        if (to.reason() != LaneReason.FRESH) {
            headers.add(reasonHeader(to.reason()));
        }
        if (to.lane() == Lane.DELAY) {
            headers.add(ItemHeaders.DUE, to.reason() == LaneReason.SCHEDULED
                    ? headers.lastHeader(ItemHeaders.DELIVER_AT).value()
                    : ascii(Long.toString(context().currentSystemTimeMs())));
        }
    }

    @Override
    protected Origin toDeadLetter(Headers headers, Decision decision, long offset) {
        if (decision.hasInternalHeaders()) {
            ItemHeaders.removeInternal(headers);
        }
        return position(offset);
    }

    @Override
    protected void keep(Record<byte[], byte[]> record, String tenant, long offset, long nowMillis) {
        ItemHeaders.removeInternal(record.headers());
        record.headers()
                .add(ItemHeaders.ORIGIN, withDecimal(originPrefix, offset))
                .add(reasonHeader(LaneReason.LATER))
                .add(ItemHeaders.DUE, ascii(Long.toString(nowMillis)));
        delay(record, tenant, nowMillis);
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
