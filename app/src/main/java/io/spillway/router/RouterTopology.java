package io.spillway.router;

import io.spillway.policy.Lane;
import io.spillway.topic.Topics;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;

/** The shape of the router, every node named. Everything travels as bytes: there is nothing to fail in a serializer. */
final class RouterTopology {
    private static final String INGRESS = "ingress";
    private static final String ROUTE = "route";
    private static final Lane[] LANES = {Lane.HOT, Lane.OVERFLOW, Lane.AGED, Lane.DEAD_LETTER};

    private RouterTopology() {}

    /**
     * Builds it.
     *
     * @param topics     names of the topics
     * @param processors makes one processor a task
     */
    static Topology build(Topics topics, Supplier<RouteProcessor> processors) {
        Topology topology = new Topology();
        topology.addSource(
                AutoOffsetReset.none(),
                INGRESS,
                // A negative timestamp would be passed over in silence; an absurd one is ours to judge.
                (record, partitionTimeMillis) -> Math.max(0, record.timestamp()),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer(),
                topics.ingress());
        topology.addProcessor(ROUTE, processors::get, INGRESS);
        for (Lane lane : LANES) {
            topology.addSink(
                    sinkOf(lane), topics.lane(lane), new ByteArraySerializer(), new ByteArraySerializer(), ROUTE);
        }
        return topology;
    }

    /** Name of the node that writes to a lane. */
    static String sinkOf(Lane lane) {
        return lane.label();
    }
}
