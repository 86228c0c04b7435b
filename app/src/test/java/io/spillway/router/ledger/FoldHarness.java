package io.spillway.router.ledger;

import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.LedgerDeltas;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.GrowthRule;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Depths;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.MockProcessorContext.CapturedPunctuator;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** The stage that folds the ledger, with one partition of it, the depths that come of it, and a clock that is set. */
final class FoldHarness {
    private static final long STEP_MILLIS = 10;
    private static final Instant START = Instant.parse("2026-11-21T08:00:00Z");

    /** All that was ever in the ledger's one partition, by offset. */
    final List<byte[]> ledger = new ArrayList<>();
    final Depths depths = new Depths();
    /** Rows that were written: of tenants and of the mark. */
    int depthRows;
    /** Most rows that were written at one time, and the shortest time between two such times. Not those of a line that came. */
    int mostRowsAtOnce;
    long shortestPauseMillis = Long.MAX_VALUE;

    private final Topics topics = new Topics(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of()).queue());
    private final LedgerWriter writer = new LedgerWriter(topics);
    private final Map<CapturedPunctuator, Long> dueMillis = new HashMap<>();
    /** It outlives the stage, as a restored store does. */
    private final KeyValueStore<Bytes, byte[]> store = Stores.keyValueStoreBuilder(
                    Stores.inMemoryKeyValueStore(Topics.BOOKS_STORE), Serdes.Bytes(), Serdes.ByteArray())
            .withLoggingDisabled()
            .build();
    private Optional<GrowthRule> growth = Optional.empty();
    private long nowMillis = START.toEpochMilli();
    private long lastRowsAtMillis;
    private MockProcessorContext<byte[], byte[]> context;
    private FoldProcessor stage;

    FoldHarness() {
        restart();
    }

    /** From the next {@link #restart} on. */
    void growBy(GrowthRule rule) {
        growth = Optional.of(rule);
    }

    TenantBalance books(String tenant) {
        return depths.of(tenant).map(Depth::books).orElse(TenantBalance.EMPTY);
    }

    /** The mark: all of the ledger below it is in books that are written. */
    long mark() {
        return depths.foldedTo(0);
    }

    void append(String tenant, ItemState from, ItemState to, int count) {
        LedgerDeltas sums = new LedgerDeltas(from, 1);
        for (int i = 0; i < count; i++) {
            sums.add(tenant, to);
        }
        append(sums);
    }

    /** Puts the sums into as few entries as they fit into. */
    void append(LedgerDeltas sums) {
        List<ProducerRecord<byte[], byte[]>> entries = new ArrayList<>();
        writer.write(sums, 0, entries::add);
        writer.flush(0, entries::add);
        entries.forEach(entry -> pipe(entry.value()));
    }

    void pipe(byte[] entry) {
        context.setRecordMetadata(topics.ledger(), 0, ledger.size());
        ledger.add(entry);
        stage.process(new Record<>(null, entry, nowMillis));
        readDepths();
        noteAlarms();
    }

    /** Lets time pass, and the alarms go off that are set. */
    void advance(long millis) {
        for (long passed = 0; passed < millis; passed += STEP_MILLIS) {
            nowMillis += STEP_MILLIS;
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
            int rows = readDepths();
            if (rows > 0) {
                mostRowsAtOnce = Math.max(mostRowsAtOnce, rows);
                shortestPauseMillis = Math.min(shortestPauseMillis, nowMillis - lastRowsAtMillis);
                lastRowsAtMillis = nowMillis;
            }
        }
    }

    /** Ends the stage after a commit, without a chance to write; another begins with its store and that commit. */
    void restart() {
        context = new MockProcessorContext<>();
        context.setCurrentSystemTimeMs(nowMillis);
        dueMillis.clear();
        store.init(context.getStateStoreContext(), store);
        context.addStateStore(store);
        stage = new FoldProcessor((partition, from, reader) -> {
            for (int offset = (int) from; offset < ledger.size(); offset++) {
                reader.entry(offset, ledger.get(offset));
            }
        }, tenant -> growth, 1);
        stage.init(context);
        noteAlarms();
    }

    private void noteAlarms() {
        context.scheduledPunctuators().forEach(alarm -> {
            if (!alarm.cancelled()) {
                dueMillis.putIfAbsent(alarm, nowMillis + alarm.getInterval().toMillis());
            }
        });
    }

    private int readDepths() {
        List<MockProcessorContext.CapturedForward<? extends byte[], ? extends byte[]>> rows = context.forwarded();
        rows.forEach(row -> depths.put(new String(row.record().key(), StandardCharsets.UTF_8), row.record().value()));
        context.resetForwards();
        depthRows += rows.size();
        return rows.size();
    }
}
