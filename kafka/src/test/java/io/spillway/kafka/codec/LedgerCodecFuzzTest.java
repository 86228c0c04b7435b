package io.spillway.kafka.codec;

import io.spillway.Fuzz;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemState;
import io.spillway.schema.LedgerEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.message.BinaryMessageDecoder;
import org.junit.jupiter.api.Test;

/** Ledger entries of any bytes. See {@link Fuzz}. */
class LedgerCodecFuzzTest {
    private static final BinaryMessageDecoder<GenericRecord> AVRO =
            new BinaryMessageDecoder<>(new GenericData(), LedgerEntry.getClassSchema());

    private record Line(String tenant, ItemState from, List<Long> counts) {}

    private record Entry(long atMillis, List<Line> lines) {}

    @Test
    void bytes_are_refused_as_a_whole_or_are_an_entry_that_is_encoded_to_the_same() {
        Fuzz.of("ledger entries", LedgerCodecFuzzTest::entry).afterPrefix(SingleObject.PREFIX_BYTES)
                .check(this::isEntry);
    }

    private boolean isEntry(byte[] bytes) {
        List<Line> lines = new ArrayList<>();
        long atMillis;
        try {
            atMillis = LedgerCodec.read(bytes, (tenant, from, counts) ->
                    lines.add(line(tenant, from, counts)));
        } catch (IllegalArgumentException refused) {
            Fuzz.require(lines.isEmpty(), "lines of an entry that is refused", lines);
            Fuzz.require(refused.getMessage().length() < 200, refused.getMessage());
            return false;
        }
        Entry entry = new Entry(atMillis, lines);
        // An entry without lines is never written.
        Fuzz.require(lines.isEmpty() || read(encoded(entry)).equals(entry), "encoded to another entry", entry);
        try {
            GenericRecord avro = AVRO.decode(bytes);
            Fuzz.require(((List<?>) avro.get("lines")).size() == lines.size(), "lines of Avro's decoder", avro, lines);
        } catch (IOException | AvroRuntimeException e) {
            throw new AssertionError("accepted, but Avro cannot decode it", e);
        }
        return true;
    }

    private static byte[] entry(SplittableRandom random) {
        List<Line> lines = new ArrayList<>();
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            String tenant = switch (random.nextInt(6)) {
                case 0 -> LedgerOwner.NONE;
                case 1 -> LedgerOwner.of(DeadReason.values()[random.nextInt(DeadReason.values().length)]);
                default -> "tenant-" + random.nextInt(1000);
            };
            long[] counts = new long[ItemState.COUNT];
            for (ItemState to : LedgerLines.COLUMNS) {
                counts[to.ordinal()] = random.nextInt(3) > 0 ? 0 : (1L << 40) >> random.nextInt(41);
            }
            lines.add(line(tenant, ItemState.LEFT.get(random.nextInt(ItemState.LEFT.size())), counts));
        }
        Entry entry = new Entry(random.nextLong() >> random.nextInt(64), lines);
        byte[] bytes = encoded(entry);
        Fuzz.require(read(bytes).equals(entry), "decoded to another entry", entry);
        return bytes;
    }

    private static Line line(String tenant, ItemState from, long[] counts) {
        return new Line(tenant, from, Arrays.stream(counts).boxed().toList());
    }

    private static Entry read(byte[] bytes) {
        List<Line> lines = new ArrayList<>();
        return new Entry(LedgerCodec.read(bytes, (tenant, from, counts) ->
                lines.add(line(tenant, from, counts))), lines);
    }

    private static byte[] encoded(Entry entry) {
        LedgerLines lines = new LedgerLines();
        entry.lines.forEach(line -> lines.add(
                line.tenant, line.from, line.counts.stream().mapToLong(Long::longValue).toArray()));
        return lines.take(entry.atMillis);
    }
}
