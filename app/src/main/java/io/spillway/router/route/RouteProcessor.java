package io.spillway.router.route;

import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.view.ShardRequest;
import io.spillway.router.stage.LaneStage;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** Processor of the route stage: forwards each record of ingress, or of a source. */
public final class RouteProcessor implements Processor<byte[], byte[], byte[], PartitionedValue> {
    /** Sink of the requests to the shard stage. */
    public static final String SHARD_REQUEST = "shard-request";

    private final String topic;
    private final LaneServices services;
    private final Decider decider;
    private final ShardDemand demand;
    private ProcessorContext<byte[], PartitionedValue> context;
    private IngressHeaders headers;
    private LaneForwarder forwarder;

    /** Creates the processor of one partition of this topic. */
    public RouteProcessor(String topic, LaneServices services, Decider decider, ShardDemand demand) {
        this.topic = topic;
        this.services = services;
        this.decider = decider;
        this.demand = demand;
    }

    /** Also called again on the same processor after Kafka Streams has restored a corrupted task. */
    @Override
    public void init(ProcessorContext<byte[], PartitionedValue> processorContext) {
        if (forwarder != null) {
            forwarder.close();
        }
        context = processorContext;
        headers = new IngressHeaders(new Origin(topic, context.taskId().partition(), 0));
        forwarder = new LaneForwarder(LaneStage.ROUTE, services, headers, context);
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        long nowMillis = context.currentSystemTimeMs();
        long offset = context.recordMetadata().orElseThrow().offset();
        Decision decision = forwarder.decide(decider, record, nowMillis);
        if (forwarder.forward(record, decision, offset, nowMillis) > 0) {
            headers.toDelay(record.headers(), offset, nowMillis);
            forwarder.delay(record);
        }
        if (decision.route() instanceof Route.ToLane && demand.isToRequest(decision.tenant().name(), nowMillis)) {
            byte[] tenant = decision.tenant().name().getBytes(StandardCharsets.ISO_8859_1);
            PartitionedValue request = PartitionedValue.anywhere(ShardRequest.ASSIGN.encode());
            context.forward(new Record<>(tenant, request, nowMillis), SHARD_REQUEST);
        }
    }

    @Override
    public void close() {
        forwarder.close();
    }
}
