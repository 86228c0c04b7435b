package io.spillway.router;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.sharding.Shard;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ShardAssignment;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.ShardRequest;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.router.shards.ShardProcessor;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** A shard processor started on the content of a store. */
final class ShardProcessorProbe {
    private final MockProcessorContext<byte[], byte[]> context = new MockProcessorContext<>();
    private final Map<String, ShardAssignment> assignments = new TreeMap<>();
    private final ShardProcessor processor;

    private ShardProcessorProbe(KeyValueStore<Bytes, byte[]> content, String overlap) {
        Configuration configuration = ConfigurationLoader.load(
                Optional.empty(), Map.of(), Map.of("topics.partitions", "8", "shards.overlap", overlap));
        processor = new ShardProcessor(
                new PlacementView(configuration.queue(), new TenantPolicies(configuration.defaults()),
                        ShardAssignments.none()), 0, 100);
        KeyValueStore<Bytes, byte[]> copy = Stores.keyValueStoreBuilder(
                        Stores.inMemoryKeyValueStore(Topics.SHARD_STORE), Serdes.Bytes(), Serdes.ByteArray())
                .withCachingDisabled().withLoggingDisabled().build();
        copy.init(context.getStateStoreContext(), copy);
        try (KeyValueIterator<Bytes, byte[]> all = content.all()) {
            while (all.hasNext()) {
                KeyValue<Bytes, byte[]> entry = all.next();
                copy.put(entry.key, entry.value);
                assignments.put(
                        new String(entry.key.get(), StandardCharsets.UTF_8), ShardAssignment.decode(entry.value));
            }
        }
        context.addStateStore(copy);
        processor.init(context);
    }

    static ShardProcessorProbe over(KeyValueStore<Bytes, byte[]> content, String overlap) {
        return new ShardProcessorProbe(content, overlap);
    }

    /** Requests a shard and returns the assignment that is written. */
    Optional<Shard> assign(String tenant, int size) {
        processor.process(new Record<>(
                tenant.getBytes(StandardCharsets.UTF_8), ShardRequest.encode(new ShardRequest.Assign(size)), 0));
        applyForwarded();
        return assignments.get(tenant).shard();
    }

    /** Fires its timer. */
    void punctuate() {
        context.scheduledPunctuators().forEach(scheduled -> scheduled.getPunctuator().punctuate(0));
        applyForwarded();
    }

    /** Returns the assignments as a view of the topic has them. */
    Map<String, ShardAssignment> assignments() {
        return assignments;
    }

    private void applyForwarded() {
        context.forwarded().forEach(forwarded -> assignments.put(
                new String((byte[]) forwarded.record().key(), StandardCharsets.UTF_8),
                ShardAssignment.decode((byte[]) forwarded.record().value())));
        context.resetForwards();
    }
}
