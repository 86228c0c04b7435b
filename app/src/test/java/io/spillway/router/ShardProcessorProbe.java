package io.spillway.router;

import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ShardAssignment;
import io.spillway.kafka.view.ShardRequest;
import io.spillway.router.shards.ShardProcessor;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** A shard processor started on a copy of a store. */
final class ShardProcessorProbe {
    private final MockProcessorContext<byte[], byte[]> context = new MockProcessorContext<>();
    private final ShardProcessor processor;

    ShardProcessorProbe(KeyValueStore<Bytes, byte[]> content, long capacity) {
        processor = new ShardProcessor(capacity, 100);
        KeyValueStore<Bytes, byte[]> copy = Stores.keyValueStoreBuilder(
                        Stores.inMemoryKeyValueStore(Topics.SHARD_STORE), Serdes.Bytes(), Serdes.ByteArray())
                .withCachingDisabled().withLoggingDisabled().build();
        copy.init(context.getStateStoreContext(), copy);
        try (KeyValueIterator<Bytes, byte[]> all = content.all()) {
            while (all.hasNext()) {
                KeyValue<Bytes, byte[]> entry = all.next();
                copy.put(entry.key, entry.value);
            }
        }
        context.addStateStore(copy);
        processor.init(context);
    }

    /** Requests a shard and returns the number that is written; empty if nothing is. */
    OptionalLong assign(String tenant) {
        context.resetForwards();
        processor.process(
                new Record<>(tenant.getBytes(StandardCharsets.UTF_8), ShardRequest.ASSIGN.encode(), 0));
        return context.forwarded().stream()
                .mapToLong(forwarded -> ShardAssignment.decode((byte[]) forwarded.record().value()).number())
                .findFirst();
    }
}
