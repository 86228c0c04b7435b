package io.spillway.kafka.codec;

import io.spillway.core.ledger.IngressAccount;
import io.spillway.core.ledger.IngressAccount.Range;
import io.spillway.schema.CommittedOffsets;
import io.spillway.schema.OffsetRange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.generic.GenericRecord;

/** Codec of the ledger's entries of committed offsets. Thread-safe. */
public final class CommittedOffsetsCodec {
    private static final RecordCodec<CommittedOffsets> CODEC = new RecordCodec<>(new CommittedOffsets());
    private static final long FINGERPRINT = ItemSchemas.fingerprint(CommittedOffsets.getClassSchema());

    private CommittedOffsetsCodec() {}

    /** Returns an entry. */
    public static byte[] encode(List<Range> ranges, long atMillis) {
        return CODEC.encode(new CommittedOffsets(Instant.ofEpochMilli(atMillis), ranges.stream()
                .map(range -> new OffsetRange(range.partition(), range.from(), range.to())).toList()));
    }

    /** Returns whether an entry of the ledger, which may be null, is one of committed offsets. */
    public static boolean isOne(byte[] entry) {
        return entry != null && SingleObject.hasPrefix(entry) && SingleObject.fingerprint(entry) == FINGERPRINT;
    }

    /** @throws IllegalArgumentException if the bytes are not such an entry */
    public static List<Range> decode(byte[] entry) {
        List<Range> ranges = new ArrayList<>();
        for (Object element : (List<?>) CODEC.decode(entry).get("partitions")) {
            GenericRecord read = (GenericRecord) element;
            Range range = new Range((Integer) read.get("partition"), (Long) read.get("from"), (Long) read.get("to"));
            if (range.partition() < 0 || range.partition() >= IngressAccount.MOST_PARTITIONS
                    || range.from() < IngressAccount.UNKNOWN || range.to() < Math.max(0, range.from())) {
                throw new IllegalArgumentException("invalid range of offsets " + range);
            }
            ranges.add(range);
        }
        return ranges;
    }
}
