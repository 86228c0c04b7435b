package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.config.ConfigurationLoader;
import io.spillway.policy.Depth;
import io.spillway.policy.GrowthRule;
import io.spillway.policy.Place;
import io.spillway.policy.TenantBooks;
import io.spillway.policy.TenantSums;
import io.spillway.topic.Depths;
import io.spillway.topic.LedgerWriter;
import io.spillway.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.MockProcessorContext.CapturedPunctuator;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;

/** The stage that folds the ledger, over its ends and beginnings, on a clock that is set. */
class FoldTest {
    private static final Instant START = Instant.parse("2026-11-21T08:00:00Z");

    private final Topics topics = new Topics(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of()));
    private final LedgerWriter writer = new LedgerWriter(topics);
    /** All that was ever in the ledger's one partition of this test, by offset. */
    private final List<byte[]> ledger = new ArrayList<>();
    private final Depths depths = new Depths();
    private int depthRows;
    private Optional<GrowthRule> growth = Optional.empty();
    private final Map<CapturedPunctuator, Long> dueMillis = new HashMap<>();
    /** It outlives the stage, as a restored store does. */
    private final KeyValueStore<Bytes, byte[]> store = Stores.keyValueStoreBuilder(
                    Stores.inMemoryKeyValueStore(Topics.BOOKS_STORE), Serdes.Bytes(), Serdes.ByteArray())
            .withLoggingDisabled()
            .build();
    private long nowMillis = START.toEpochMilli();
    private MockProcessorContext<byte[], byte[]> context;
    private FoldProcessor stage;

    FoldTest() {
        restart();
    }

    @Test
    void books_are_written_a_second_after_their_first_change_and_once_for_all_lines_by_then() {
        for (int i = 0; i < 50; i++) {
            append("a", Place.OUTSIDE, Place.HOT, 2);
            advance(10);
        }
        assertThat(depths.of("a")).isEmpty();
        advance(600);
        assertThat(books("a").in(Place.HOT)).isEqualTo(100);
        assertThat(depthRows).as("the tenant's and the mark").isEqualTo(2);
        advance(60_000);
        assertThat(depthRows).isEqualTo(2);
    }

    @Test
    void long_term_use_is_measured_without_a_rule_and_a_limit_grows_from_it_with_one_over_restarts() {
        useForAMinute(100);
        double use = depths.of("a").orElseThrow().growing().usePerSecond();
        assertThat(use).as("a minute of 100 a second in 7 days").isCloseTo(100 / (7 * 1_440.0), within(0.001));
        assertThat(depths.of("a").orElseThrow().growing().limitPerSecond()).isZero();

        growth = Optional.of(new GrowthRule(3, 10, 1_000, 1.5, 1));
        restart();
        useForAMinute(100);
        assertThat(depths.of("a").orElseThrow().growing().limitPerSecond()).as("the floor").isEqualTo(10);
        double more = depths.of("a").orElseThrow().growing().usePerSecond() - use;
        assertThat(more).as("of 100 a second 10 count").isCloseTo(use / 10, within(0.001));
    }

    private void useForAMinute(int perSecond) {
        for (int second = 0; second < 60; second++) {
            append("a", Place.OUTSIDE, Place.HOT, perSecond);
            append("a", Place.HOT, Place.DONE, perSecond);
            advance(1_000);
        }
        advance(2_000);
    }

    @Test
    void books_add_up_over_writes() {
        append("a", Place.OUTSIDE, Place.HOT, 10);
        advance(2_000);
        append("a", Place.HOT, Place.DONE, 4);
        append("a", Place.HOT, Place.DELAY, 1);
        advance(2_000);
        assertThat(books("a")).isEqualTo(sum("a"));
        assertThat(books("a").waiting()).isEqualTo(6);
        assertThat(depths.of("a").orElseThrow().rates().inPerSecond()).isPositive();
    }

    @Test
    void a_stage_that_begins_again_reads_what_was_committed_and_not_written() {
        append("a", Place.OUTSIDE, Place.HOT, 10);
        advance(2_000);
        append("a", Place.HOT, Place.DONE, 3);
        append("b", Place.OUTSIDE, Place.AGED, 1);
        restart();
        append("b", Place.AGED, Place.DROPPED, 1);
        advance(2_000);
        assertThat(books("a")).isEqualTo(sum("a"));
        assertThat(books("b")).isEqualTo(sum("b"));
    }

    @Test
    void with_more_tenants_than_one_write_takes_all_are_written_in_turn() {
        int tenants = 3 * FoldProcessor.MOST_AT_ONCE - 1;
        for (int i = 0; i < tenants; i++) {
            append("t" + i, Place.OUTSIDE, Place.HOT, 1);
        }
        advance(1_050);
        assertThat(depths.size()).isEqualTo(FoldProcessor.MOST_AT_ONCE);
        assertThat(depths.foldedTo(0)).isEqualTo(FoldProcessor.MOST_AT_ONCE);
        advance(200);
        advance(200);
        assertThat(depths.size()).isEqualTo(tenants);
        assertThat(depths.foldedTo(0)).isEqualTo(ledger.size());
    }

    @Test
    void a_backlog_that_has_changed_by_a_lot_is_written_before_all_that_changed_earlier() {
        int tenants = 3 * FoldProcessor.MOST_AT_ONCE - 1;
        for (int i = 0; i < tenants; i++) {
            append("t" + i, Place.OUTSIDE, Place.HOT, FoldProcessor.URGENT_ITEMS - 1);
        }
        append("noisy", Place.OUTSIDE, Place.HOT, FoldProcessor.URGENT_ITEMS);
        advance(1_050);
        assertThat(books("noisy")).isEqualTo(sum("noisy"));
        assertThat(depths.of("t" + (tenants - 1))).isEmpty();
        append("noisy", Place.OUTSIDE, Place.HOT, 5 * FoldProcessor.URGENT_ITEMS);
        advance(1_050);
        assertThat(books("noisy")).isEqualTo(sum("noisy"));
    }

    @Test
    void whatever_the_moves_and_whenever_it_ends_the_books_are_the_sum_of_the_ledger() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int step = 0; step < 1_000; step++) {
            switch (random.nextInt(20)) {
                case 0 -> restart();
                case 1, 2 -> advance(random.nextInt(1_500));
                case 3 -> pipe(new byte[] {1, 2, 3});
                default -> append("t" + random.nextInt(30), Place.LEFT.get(random.nextInt(6)),
                        Place.values()[1 + random.nextInt(Place.COUNT - 1)], 1 + random.nextInt(5));
            }
        }
        advance(3_000);
        advance(3_000);
        for (int i = 0; i < 30; i++) {
            assertThat(books("t" + i)).as("seed %d, t%d", seed, i).isEqualTo(sum("t" + i));
        }
    }

    /** The sum of the ledger without any folding in between. */
    private TenantBooks sum(String of) {
        TenantBooks[] sum = {TenantBooks.EMPTY};
        for (byte[] entry : ledger) {
            if (entry.length > 3) {
                io.spillway.topic.LedgerCodec.read(entry, (tenant, from, counts, offset) -> {
                    if (tenant.equals(of)) {
                        sum[0] = sum[0].plus(from, counts, offset);
                    }
                });
            }
        }
        return sum[0];
    }

    private TenantBooks books(String tenant) {
        return depths.of(tenant).map(Depth::books).orElse(TenantBooks.EMPTY);
    }

    private void append(String tenant, Place from, Place to, int count) {
        TenantSums sums = new TenantSums(from, 1);
        for (int i = 0; i < count; i++) {
            sums.add(tenant, to);
        }
        List<ProducerRecord<byte[], byte[]>> entries = new ArrayList<>();
        writer.write(sums, 0, entries::add);
        writer.flush(0, entries::add);
        entries.forEach(entry -> pipe(entry.value()));
    }

    private void pipe(byte[] entry) {
        context.setRecordMetadata(topics.ledger(), 0, ledger.size());
        ledger.add(entry);
        stage.process(new Record<>(null, entry, nowMillis));
        noteAlarms();
    }

    /** Lets time pass, and the alarms go off that are set. */
    private void advance(long millis) {
        for (long passed = 0; passed < millis; passed += 10) {
            nowMillis += 10;
            context.setCurrentSystemTimeMs(nowMillis);
            List.copyOf(dueMillis.entrySet()).forEach(alarm -> {
                if (alarm.getKey().cancelled()) {
                    dueMillis.remove(alarm.getKey());
                } else if (alarm.getValue() <= nowMillis) {
                    dueMillis.put(alarm.getKey(), nowMillis + alarm.getKey().getInterval().toMillis());
                    alarm.getKey().getPunctuator().punctuate(nowMillis);
                }
            });
            noteAlarms();
        }
        readDepths();
    }

    private void noteAlarms() {
        context.scheduledPunctuators().forEach(alarm -> {
            if (!alarm.cancelled()) {
                dueMillis.putIfAbsent(alarm, nowMillis + alarm.getInterval().toMillis());
            }
        });
    }

    private void readDepths() {
        context.forwarded().forEach(forward -> {
            depthRows++;
            depths.put(new String(forward.record().key(), StandardCharsets.UTF_8), forward.record().value());
        });
        context.resetForwards();
    }

    /** Ends the stage after a commit, without a chance to write; another begins with its store and that commit. */
    private void restart() {
        if (context != null) {
            readDepths();
        }
        context = new MockProcessorContext<>();
        context.setCurrentSystemTimeMs(nowMillis);
        dueMillis.clear();
        store.init(context.getStateStoreContext(), store);
        context.addStateStore(store);
        stage = new FoldProcessor((partition, from, reader) -> {
            for (int offset = (int) from; offset < ledger.size(); offset++) {
                reader.entry(offset, ledger.get(offset));
            }
        }, tenant -> growth);
        stage.init(context);
        noteAlarms();
    }
}
