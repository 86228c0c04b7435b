package io.spillway.kafka.codec;

import io.spillway.core.text.Printable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecordBase;

/**
 * Codec of one of Spillway's small records in Avro's single-object encoding, which reads every released version.
 *
 * @param <T> the generated class
 */
public final class RecordCodec<T extends SpecificRecordBase> {
    /** Spillway's own records are small; a larger value cannot be one. */
    private static final int MAX_BYTES = 256 * 1024;

    private final int maxBytes;
    private final BinaryMessageEncoder<T> encoder;
    private final BinaryMessageDecoder<GenericRecord> decoder;
    private final Map<Long, List<AvroSkip>> fieldsByFingerprint = new HashMap<>();

    /** Creates a codec from any instance, for its schema and its conversions of logical types. */
    public RecordCodec(T sample) {
        this(sample, MAX_BYTES);
    }

    /** Creates a codec whose {@link #decode} accepts values up to another size. */
    RecordCodec(T sample, int maxBytes) {
        this.maxBytes = maxBytes;
        SpecificData model = SpecificData.getForClass(sample.getClass());
        this.encoder = new BinaryMessageEncoder<>(model, sample.getSchema());
        // Avro loads generated classes only if a JVM-wide setting declares them trusted, so decode generic records.
        this.decoder = new BinaryMessageDecoder<>(new GenericData(), sample.getSchema());
        addVersion(sample.getSchema());
        ReleasedSchemas.of(sample.getSchema().getName()).forEach(this::addVersion);
    }

    private void addVersion(Schema version) {
        decoder.addSchema(version);
        fieldsByFingerprint.put(
                ItemSchemas.fingerprint(version),
                version.getFields().stream().map(field -> AvroSkip.ofOwn(field.schema())).toList());
    }

    /** Returns the encoded record. */
    public byte[] encode(T record) {
        try {
            ByteBuffer buffer = encoder.encode(record);
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            return bytes;
        } catch (IOException e) {
            throw new AvroRuntimeException("cannot encode " + record.getSchema().getName(), e);
        }
    }

    /**
     * Returns the decoded record, with Avro's plain types as fields: times are epoch milliseconds.
     *
     * @throws IllegalArgumentException if the bytes are not such a record
     */
    public GenericRecord decode(byte[] bytes) {
        if (bytes.length > maxBytes) {
            throw new IllegalArgumentException(bytes.length + " bytes; at most " + maxBytes);
        }
        try {
            requireComplete(bytes);
            return decoder.decode(bytes);
        } catch (UnreadableItem e) {
            throw new IllegalArgumentException("cannot decode: " + e.getMessage(), e);
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException("cannot decode: " + Printable.of(e.toString()), e);
        }
    }

    /** Avro allocates any declared length, up to 2 GB, before it checks that the bytes exist. */
    private void requireComplete(byte[] bytes) {
        if (!SingleObject.hasPrefix(bytes)) {
            throw UnreadableItem.malformed("not in single-object encoding");
        }
        List<AvroSkip> fields = fieldsByFingerprint.get(SingleObject.fingerprint(bytes));
        if (fields == null) {
            throw UnreadableItem.malformed("of a schema that this release does not know; if a later release wrote it,"
                    + " upgrade this process");
        }
        AvroCursor cursor = new AvroCursor(bytes, SingleObject.PREFIX_BYTES);
        fields.forEach(field -> field.over(cursor));
        cursor.requireEnd();
    }
}
