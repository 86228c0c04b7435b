package io.spillway.bench.jmh;

import io.spillway.bench.support.BenchItems;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.schema.WorkItem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Reading the routing fields of an item, beside decoding it whole. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ItemReaderBenchmark {
    private static final long TIMESTAMP_MILLIS = 1_800_000_000_000L;

    private final ItemReader reader = new ItemReader(ItemSchemas.load(), 1_114_112);
    private final BenchItems.Item item = new BenchItems(1000).next(Instant.ofEpochMilli(TIMESTAMP_MILLIS), 0);
    private final Headers none = new RecordHeaders();
    private final Headers fields = new RecordHeaders();
    private final byte[] foreign = new byte[BenchItems.VALUE_BYTES];
    private final BinaryMessageDecoder<WorkItem> decoder = WorkItem.getDecoder();
    private final BinaryMessageDecoder<GenericRecord> genericDecoder =
            new BinaryMessageDecoder<>(new GenericData(), WorkItem.getClassSchema());

    public ItemReaderBenchmark() {
        fields.add(ItemHeaders.TENANT, item.key());
        fields.add(ItemHeaders.ID, "item-000000000042".getBytes(StandardCharsets.US_ASCII));
        fields.add(ItemHeaders.ENQUEUED_AT, Long.toString(TIMESTAMP_MILLIS).getBytes(StandardCharsets.US_ASCII));
        foreign[0] = '{';
    }

    /** An Avro item without headers. */
    @Benchmark
    public ParsedRecord readAvro() {
        return reader.read(item.key(), item.value(), none, TIMESTAMP_MILLIS);
    }

    /** Tenant, id and time in headers on a value of another format. */
    @Benchmark
    public ParsedRecord readHeaders() {
        return reader.read(item.key(), foreign, fields, TIMESTAMP_MILLIS);
    }

    /** Avro's own decoder, the whole item into the generated class. */
    @Benchmark
    public WorkItem decodeWhole() throws IOException {
        return decoder.decode(item.value());
    }

    /** Avro's own decoder, the whole item into a generic record. */
    @Benchmark
    public GenericRecord decodeWholeGeneric() throws IOException {
        return genericDecoder.decode(item.value());
    }
}
