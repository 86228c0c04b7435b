package io.spillway.router.source;

import io.spillway.core.item.DeadReason;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.kafka.codec.SingleObject;
import io.spillway.kafka.codec.UnreadableItem;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.kafka.common.header.Headers;

/** Reader of Avro values in single-object encoding (Avro specification, section "Single object encoding"). */
final class WrittenSchemas implements RecordFields {
    private final Map<Long, Schema> byFingerprint;

    /**
     * Reads the schemas of the writers.
     *
     * @param files with commas between them
     * @throws InvalidSettingException if one cannot be read
     */
    WrittenSchemas(String files) {
        this.byFingerprint = Arrays.stream(files.split(",", -1)).map(String::strip).map(WrittenSchemas::read)
                .collect(Collectors.toMap(SchemaNormalization::parsingFingerprint64, schema -> schema,
                        (one, same) -> one));
    }

    private static Schema read(String file) {
        try {
            return new Schema.Parser().parse(new File(file));
        } catch (IOException | AvroRuntimeException e) {
            throw new InvalidSettingException("schemas", file, "must be a readable file with an Avro schema (" + e
                    + ")");
        }
    }

    @Override
    public Fields read(byte[] value, Headers headers) {
        if (!SingleObject.hasPrefix(value)) {
            throw new UnreadableItem(DeadReason.MALFORMED, "the value is not in Avro's single-object encoding");
        }
        long fingerprint = SingleObject.fingerprint(value);
        Schema schema = byFingerprint.get(fingerprint);
        if (schema == null) {
            throw new UnreadableItem(DeadReason.UNKNOWN_SCHEMA, "fingerprint "
                    + HexFormat.of().toHexDigits(fingerprint) + " is of none of the schemas of the source");
        }
        return RecordFields.avro(schema, value, SingleObject.PREFIX_BYTES);
    }
}
