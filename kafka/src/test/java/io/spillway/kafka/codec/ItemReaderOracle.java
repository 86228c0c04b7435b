package io.spillway.kafka.codec;

import io.spillway.schema.WorkItem;
import java.io.IOException;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageDecoder;

/** What Avro's own decoder makes of an item: the slow truth that the reader must agree with. */
final class ItemReaderOracle {
    // Without the generated class, which Avro makes only where the process has declared it trusted.
    private static final BinaryMessageDecoder<GenericRecord> DECODER =
            new BinaryMessageDecoder<>(new GenericData(), WorkItem.getClassSchema());

    private ItemReaderOracle() {}

    /** The item as a full decode has it; an error with the hint when Avro does not take the bytes. */
    static ParsedRecord.Item decode(byte[] bytes, String hint) {
        try {
            GenericRecord item = DECODER.decode(bytes);
            return new ParsedRecord.Item(
                    item.get("tenant").toString(), (Long) item.get("enqueuedAt"), item.get("workload").toString(), false);
        } catch (IOException | AvroRuntimeException e) {
            throw new AssertionError("accepted by the reader, but Avro cannot decode it; " + hint, e);
        }
    }
}
