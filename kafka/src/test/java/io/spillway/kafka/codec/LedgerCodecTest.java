package io.spillway.kafka.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Depths;
import io.spillway.schema.LedgerEntry;
import io.spillway.schema.LedgerLine;
import io.spillway.schema.LedgerPlace;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.avro.specific.SpecificData;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class LedgerCodecTest {
    private static final long AT = 1_795_248_000_123L;
    private static final SpecificData MODEL = SpecificData.getForClass(LedgerEntry.class);

    private final Topics topics = new Topics(new SettingsBinder(Map.of()).bind(QueueSettings.class));
    private final LedgerWriter writer = new LedgerWriter(topics);
    private final List<ProducerRecord<byte[], byte[]>> sent = new ArrayList<>();

    @Test
    void avro_reads_what_the_writer_writes() throws Exception {
        LedgerDeltas sums = new LedgerDeltas(ItemState.DELAY);
        sums.add("acme", ItemState.HOT);
        sums.add("acme", ItemState.DROPPED);
        for (int i = 0; i < 300; i++) {
            sums.add("acme", ItemState.DEAD_LETTER);
        }
        write(sums);

        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().topic()).isEqualTo("spillway.ledger");
        assertThat(sent.getFirst().partition()).isEqualTo(Topics.ledgerPartition("acme"));
        GenericRecord entry = new BinaryMessageDecoder<GenericRecord>(new GenericData(), LedgerEntry.getClassSchema())
                .decode(sent.getFirst().value());
        assertThat(entry.toString()).isEqualTo(
                "{\"at\": " + AT + ", \"lines\": [{\"tenant\": \"acme\", \"from\": \"DELAY\","
                + " \"toHot\": 1, \"toOverflow\": 0, \"toAged\": 0, \"toDelay\": 0, \"toDeadLetter\": 300,"
                + " \"toDone\": 0, \"toDropped\": 1}]}");
    }

    @Test
    void lines_of_reasons_and_of_sources_have_entries_of_their_own_which_older_versions_skip() {
        LedgerDeltas sums = new LedgerDeltas(ItemState.HOT);
        sums.add("acme", ItemState.DEAD_LETTER);
        sums.add(LedgerOwner.of(DeadReason.FINAL_FAILURE), ItemState.DEAD_LETTER);
        sums.add(LedgerOwner.of(DeadReason.KILLED_WORKER), ItemState.DEAD_LETTER);
        sums.add(LedgerOwner.ofSource("orders"), ItemState.DEAD_LETTER);
        write(sums);

        assertThat(sent).hasSize(3);
        List<Map<String, Long>> entries = sent.stream().map(entry -> {
            Map<String, Long> lines = new HashMap<>();
            read(entry.value(), lines);
            return lines;
        }).toList();
        assertThat(entries).containsExactly(
                Map.of("acme/HOT/DEAD_LETTER", 1L),
                Map.of("(dead:final-failure)/HOT/DEAD_LETTER", 1L, "(dead:killed-worker)/HOT/DEAD_LETTER", 1L),
                Map.of("(source:orders)/HOT/DEAD_LETTER", 1L));
        assertThat(sent.get(1).partition()).isZero();
        assertThat(sent.getLast().partition()).isOne();
    }

    @Test
    void the_decoder_reads_what_avro_writes() throws Exception {
        byte[] bytes = avro(new LedgerEntry(Instant.ofEpochMilli(AT), List.of(
                new LedgerLine("a", LedgerPlace.OUTSIDE, 1L, 2L, 3L, 4L, 5L, 6L, 7L),
                new LedgerLine("(none)", LedgerPlace.DEAD_LETTER, 0L, 0L, 0L, 0L, 0L, 0L, 1L << 39))));
        Map<String, Long> read = new HashMap<>();
        assertThat(read(bytes, read)).isEqualTo(AT);
        assertThat(read).isEqualTo(Map.of(
                "a/OUTSIDE/HOT", 1L, "a/OUTSIDE/OVERFLOW", 2L, "a/OUTSIDE/AGED", 3L, "a/OUTSIDE/DELAY", 4L,
                "a/OUTSIDE/DEAD_LETTER", 5L, "a/OUTSIDE/DONE", 6L, "a/OUTSIDE/DROPPED", 7L,
                "(none)/DEAD_LETTER/DROPPED", 1L << 39));
    }

    @Test
    void counts_are_those_of_one_line() throws Exception {
        byte[] bytes = avro(new LedgerEntry(Instant.ofEpochMilli(AT), List.of(
                new LedgerLine("a", LedgerPlace.DEAD_LETTER, 63L, 0L, 0L, 0L, 0L, 0L, 63L),
                new LedgerLine("(none)", LedgerPlace.OUTSIDE, 64L, 0L, 0L, 0L, 1L << 40, 0L, 7L))));
        List<String> lines = new ArrayList<>();
        assertThat(LedgerCodec.read(bytes, (tenant, from, counts) ->
                lines.add(tenant + from + Arrays.toString(counts)))).isEqualTo(AT);
        assertThat(lines).containsExactly(
                "aDEAD_LETTER[0, 63, 0, 0, 0, 0, 0, 63]", "(none)OUTSIDE[0, 64, 0, 0, 0, " + (1L << 40) + ", 0, 7]");
    }

    /** Covers lines whose numbers have one byte each and are validated together. */
    @Test
    void each_number_out_of_range_is_detected_among_small_ones() throws Exception {
        byte[] good = avro(new LedgerEntry(Instant.ofEpochMilli(AT), List.of(
                new LedgerLine("acme", LedgerPlace.HOT, 1L, 1L, 1L, 1L, 1L, 1L, 1L))));
        int places = good.length - 1 - 8;
        for (int number = 0; number < 8; number++) {
            for (int only = 0; only < 256; only++) {
                byte[] bytes = good.clone();
                bytes[places + number] = (byte) only;
                if (only % 2 == 0 && only < (number == 0 ? 2 * ItemState.LEFT.size() : 128)) {
                    read(bytes, new HashMap<>());
                } else {
                    assertRejected(bytes);
                }
            }
        }
    }

    @Test
    void any_sums_are_read_back_from_entries_that_fit_their_topic() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Map<String, Long> expected = new HashMap<>();
        List<LedgerDeltas> all = ItemState.LEFT.stream().map(from -> new LedgerDeltas(from)).toList();
        for (int i = 0; i < 60_000; i++) {
            LedgerDeltas sums = all.get(random.nextInt(all.size()));
            String tenant = "t".repeat(1 + random.nextInt(100)) + random.nextInt(100);
            ItemState to = LedgerLines.COLUMNS[random.nextInt(LedgerLines.COLUMNS.length)];
            sums.add(tenant, to);
            expected.merge(tenant + "/" + sums.from() + "/" + to, 1L, Long::sum);
        }
        write(all.toArray(LedgerDeltas[]::new));

        Map<String, Long> read = new HashMap<>();
        sent.forEach(record -> {
            read(record.value(), read);
            assertThat(record.value()).hasSizeLessThan(LedgerLines.FULL_BYTES + 1_000);
        });
        assertThat(read).as("seed %d", seed).isEqualTo(expected);
        assertThat(sent).as("several entries per partition").hasSizeGreaterThan(Topics.LEDGER_PARTITIONS);
    }

    /** Entries of other versions are in the same partition, so its rule must not change. */
    @Test
    void the_partition_of_a_tenant_follows_from_its_name() {
        assertThat(List.of("acme", "initech", "org:42", "(none)")).extracting(Topics::ledgerPartition)
                .containsExactly(3, 3, 0, 1);
    }

    @Test
    void corrupt_entries_are_rejected_before_any_line_is_visited() throws Exception {
        byte[] good = avro(new LedgerEntry(Instant.ofEpochMilli(AT), List.of(
                new LedgerLine("acme", LedgerPlace.HOT, 0L, 0L, 0L, 0L, 0L, 9L, 0L),
                new LedgerLine("b", LedgerPlace.AGED, 0L, 0L, 0L, 0L, 0L, 0L, 1L))));
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int length = 0; length < good.length; length++) {
            assertRejected(Arrays.copyOf(good, length));
        }
        assertRejected(Arrays.copyOf(good, good.length + 1));
        assertRejected(avro(new LedgerEntry(Instant.EPOCH, List.of(
                new LedgerLine("a b", LedgerPlace.HOT, 1L, 0L, 0L, 0L, 0L, 0L, 0L)))));
        assertRejected(avro(new LedgerEntry(Instant.EPOCH, List.of(
                new LedgerLine("a", LedgerPlace.HOT, -1L, 0L, 0L, 0L, 0L, 0L, 0L)))));
        for (int i = 0; i < 20_000; i++) {
            byte[] bad = good.clone();
            bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            try {
                LedgerCodec.read(bad, (tenant, from, counts) -> { });
            } catch (IllegalArgumentException rejected) {
                assertThat(rejected).as("seed %d", seed).hasMessageStartingWith("not a ledger entry: ");
            }
        }
    }

    @Test
    void there_is_only_the_version_that_the_decoder_supports() {
        assertThat(ReleasedSchemas.of("LedgerEntry")).hasSize(1);
    }

    @Test
    void a_balance_is_decoded_to_what_was_encoded() {
        long[] entered = {0, 10, 20, 30, 40, 50, 60, 70};
        long[] left = {280, 1, 2, 3, 4, 5, 0, 0};
        Depth depth = new Depth(
                TenantBalance.of(entered, left), new FlowRates(1.5, 2.5, AT, AT - 5), new GrowingLimit(3.5, 10.5), 17);
        assertThat(Depths.decode(Depths.encode("acme", depth))).isEqualTo(depth);
    }

    @Test
    void waiting_and_entered_items_are_read_from_every_version() throws Exception {
        for (Schema version : ReleasedSchemas.of("TenantDepth")) {
            GenericRecord old = new GenericRecordBuilder(version).set("tenant", "acme")
                    .set("accepted", 9L).set("done", 2L)
                    .set("waiting", Map.of("hot", 3L, "delay", 4L)).set("entered", Map.of("hot", 5L, "delay", 4L))
                    .set("dropped", 0L).set("deadLettered", 0L).set("at", AT).build();
            var buffer = new BinaryMessageEncoder<GenericRecord>(GenericData.get(), version).encode(old);
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);

            TenantBalance books = Depths.decode(bytes).balance();
            assertThat(books.in(ItemState.HOT)).isEqualTo(3);
            assertThat(books.entered(ItemState.HOT)).isEqualTo(5);
            assertThat(books.in(ItemState.DELAY)).isEqualTo(4);
            assertThat(books.in(ItemState.AGED)).isZero();
            assertThat(books.difference()).isZero();
        }
    }

    private void write(LedgerDeltas... all) {
        writer.write(List.of(all), AT, sent::add);
    }

    private static byte[] avro(LedgerEntry entry) throws Exception {
        var buffer = new BinaryMessageEncoder<LedgerEntry>(MODEL, LedgerEntry.getClassSchema()).encode(entry);
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static long read(byte[] bytes, Map<String, Long> into) {
        return LedgerCodec.read(bytes, (tenant, from, counts) -> {
            for (ItemState to : ItemState.values()) {
                if (counts[to.ordinal()] > 0) {
                    into.merge(tenant + "/" + from + "/" + to, counts[to.ordinal()], Long::sum);
                }
            }
        });
    }

    private static void assertRejected(byte[] bytes) {
        assertThatThrownBy(() -> LedgerCodec.read(bytes, (tenant, from, counts) -> {
            throw new AssertionError("a line was visited");
        })).isInstanceOf(IllegalArgumentException.class);
    }
}
