package io.spillway.bench.router;

import io.spillway.bench.support.ClientSettings;
import io.spillway.bench.support.Scene;
import io.spillway.bench.support.TemporaryDirectory;
import io.spillway.core.item.LaneReason;
import io.spillway.kafka.codec.ItemHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** The least that Kafka Streams can do with exactly-once: a source, a processor that forwards, a sink. */
public final class PassThrough implements Contender {
    private final String group;
    private final TemporaryDirectory state = new TemporaryDirectory();
    private final KafkaStreams streams;

    PassThrough(Scene scene, boolean withOrigin, boolean withReason) {
        this.group = scene.prefix() + ".pass-through";
        Topology topology = new Topology();
        topology.addSource(
                AutoOffsetReset.earliest(), "in", new ByteArrayDeserializer(), new ByteArrayDeserializer(),
                scene.input());
        topology.addProcessor("forward", () -> new Forward(withOrigin, withReason), "in");
        topology.addSink("out", scene.output(), new ByteArraySerializer(), new ByteArraySerializer(), "forward");
        this.streams = new KafkaStreams(topology, new StreamsConfig(properties(scene)));
        streams.start();
    }

    @Override
    public String group() {
        return group;
    }

    @Override
    public void close() {
        streams.close(CloseOptions.timeout(Duration.ofSeconds(20))
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
        state.close();
    }

    private Map<String, Object> properties(Scene scene) {
        Map<String, Object> properties = new HashMap<>();
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, scene.bootstrapServers());
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, group);
        properties.put(StreamsConfig.STATE_DIR_CONFIG, state.path().toString());
        properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, Scene.THREADS);
        properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, scene.commitIntervalMillis());
        properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        ClientSettings.routerProducer(scene.topics())
                .forEach((key, value) -> properties.put(StreamsConfig.producerPrefix(key), value));
        return properties;
    }

    private static final class Forward extends ContextualProcessor<byte[], byte[], byte[], byte[]> {
        private static final Header REASON =
                new RecordHeader(ItemHeaders.LANE_REASON, LaneReason.FRESH.label().getBytes(StandardCharsets.US_ASCII));

        private final boolean withOrigin;
        private final boolean withReason;

        private Forward(boolean withOrigin, boolean withReason) {
            this.withOrigin = withOrigin;
            this.withReason = withReason;
        }

        @Override
        public void process(Record<byte[], byte[]> record) {
            if (withOrigin) {
                // As long as an origin is; what it says does not matter here.
                record.headers().add(ItemHeaders.ORIGIN, new byte[24]);
            }
            if (withReason) {
                record.headers().add(REASON);
            }
            context().forward(record);
        }
    }
}
