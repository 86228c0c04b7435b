package io.spillway.kafka.codec;

import io.spillway.schema.WorkItem;
import java.io.IOException;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageDecoder;

/** Reference result for the reader: Avro's own, slower decoder. */
final class ItemReaderOracle {
    // Generic, because Avro loads generated classes only if they are declared trusted.
    private static final BinaryMessageDecoder<GenericRecord> DECODER =
            new BinaryMessageDecoder<>(new GenericData(), WorkItem.getClassSchema());

    private ItemReaderOracle() {}

    /** Returns the decoded item; fails with the hint if Avro rejects the bytes. */
    static ParsedRecord.Item decode(byte[] bytes, String hint) {
        try {
            GenericRecord item = DECODER.decode(bytes);
            return new ParsedRecord.Item(
                    item.get("tenant").toString(), (Long) item.get("enqueuedAt"), item.get("workload").toString(),
                    false);
        } catch (IOException | AvroRuntimeException e) {
            throw new AssertionError("accepted by the reader, but Avro cannot decode it; " + hint, e);
        }
    }
}
