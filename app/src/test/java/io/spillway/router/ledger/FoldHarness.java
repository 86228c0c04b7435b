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

/** The fold of one ledger partition, with the depths it writes and a clock that is set. */
final class FoldHarness {
    private static final long STEP_MILLIS = 10;
    static final long IDLE_MILLIS = 3_600_000;
    private static final Instant START = Instant.parse("2026-11-21T08:00:00Z");

    /** All entries ever written to the partition, by offset. */
    final List<byte[]> ledger = new ArrayList<>();
    final Depths depths = new Depths();
    /** Rows written, for tenants and for the mark. */
    int depthRows;
    /**
     * Most rows written at one time, and the shortest time between two such times. Rows written in process() are
     * excluded.
     */
    int mostRowsAtOnce;
    long shortestPauseMillis = Long.MAX_VALUE;

    private final Topics topics = new Topics(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of()).queue());
    private final LedgerWriter writer = new LedgerWriter(topics);
    private final Map<CapturedPunctuator, Long> dueMillis = new HashMap<>();
    /** Outlives the processor, as a restored store does. */
    private final KeyValueStore<Bytes, byte[]> store = Stores.keyValueStoreBuilder(
                    Stores.inMemoryKeyValueStore(Topics.BALANCE_STORE), Serdes.Bytes(), Serdes.ByteArray())
            .withLoggingDisabled()
            .build();
    private Optional<GrowthRule> growth = Optional.empty();
    private long nowMillis = START.toEpochMilli();
    private long lastRowsAtMillis;
    private MockProcessorContext<byte[], byte[]> context;
    private FoldProcessor processor;

    FoldHarness() {
        restart();
    }

    /** Applies from the next {@link #restart} on. */
    void growBy(GrowthRule rule) {
        growth = Optional.of(rule);
    }

    TenantBalance balance(String tenant) {
        return depths.of(tenant).map(Depth::balance).orElse(TenantBalance.EMPTY);
    }

    /** Returns the offset below which the ledger is in written balances. */
    long mark() {
        return depths.foldedTo(0);
    }

    /** Returns the number of balances in the store, without the mark. */
    long storedTenants() {
        return store.approximateNumEntries() - 1;
    }

    void append(String tenant, ItemState from, ItemState to, int count) {
        LedgerDeltas sums = new LedgerDeltas(from);
        for (int i = 0; i < count; i++) {
            sums.add(tenant, to);
        }
        append(sums);
    }

    /** Writes the sums to as few entries as possible. */
    void append(LedgerDeltas sums) {
        List<ProducerRecord<byte[], byte[]>> entries = new ArrayList<>();
        writer.write(List.of(sums), 0, entries::add);
        entries.forEach(entry -> pipe(entry.value()));
    }

    void pipe(byte[] entry) {
        context.setRecordMetadata(topics.ledger(), 0, ledger.size());
        ledger.add(entry);
        processor.process(new Record<>(null, entry, nowMillis));
        readDepths();
        noteTimers();
    }

    /** Advances the clock in steps of 10 ms and fires the timers that are due. Skips steps at which none is due. */
    void advance(long millis) {
        long steps = Math.ceilDiv(millis, STEP_MILLIS);
        for (long idle = idleSteps(steps); steps > 0; idle = idleSteps(steps)) {
            steps -= idle + 1;
            nowMillis += (idle + 1) * STEP_MILLIS;
            context.setCurrentSystemTimeMs(nowMillis);
            List.copyOf(dueMillis.entrySet()).forEach(timer -> {
                if (timer.getKey().cancelled()) {
                    dueMillis.remove(timer.getKey());
                } else if (timer.getValue() <= nowMillis) {
                    dueMillis.put(timer.getKey(), nowMillis + timer.getKey().getInterval().toMillis());
                    timer.getKey().getPunctuator().punctuate(nowMillis);
                }
            });
            noteTimers();
            int rows = readDepths();
            if (rows > 0) {
                mostRowsAtOnce = Math.max(mostRowsAtOnce, rows);
                shortestPauseMillis = Math.min(shortestPauseMillis, nowMillis - lastRowsAtMillis);
                lastRowsAtMillis = nowMillis;
            }
        }
    }

    /** Changes the clock without time going by: timers still wait for the times that they were set to. */
    void stepClock(long millis) {
        nowMillis += millis;
        context.setCurrentSystemTimeMs(nowMillis);
    }

    /** Returns how many of the next steps end before the first timer is due, all but one at most. */
    private long idleSteps(long steps) {
        if (!context.forwarded().isEmpty()) {
            return 0; // Rows of a start are read at the next step.
        }
        long waitMillis = dueMillis.values().stream().mapToLong(due -> due - nowMillis).min().orElse(Long.MAX_VALUE);
        return Math.clamp((waitMillis - 1) / STEP_MILLIS, 0, Math.max(0, steps - 1));
    }

    /** Ends the processor after a commit, before it can write, and starts another with its store and commit. */
    void restart() {
        context = new MockProcessorContext<>();
        context.setCurrentSystemTimeMs(nowMillis);
        dueMillis.clear();
        store.init(context.getStateStoreContext(), store);
        context.addStateStore(store);
        processor = new FoldProcessor((partition, from, reader) -> {
            for (int offset = (int) from; offset < ledger.size(); offset++) {
                reader.entry(offset, ledger.get(offset));
            }
        }, tenant -> growth, IDLE_MILLIS);
        processor.init(context);
        noteTimers();
    }

    /** Changes the schema of the stored balances, as a later release would. */
    void storeOfLaterRelease() {
        List<Bytes> keys = new ArrayList<>();
        store.all().forEachRemaining(each -> keys.add(each.key));
        keys.forEach(key -> {
            byte[] stored = store.get(key).clone();
            stored[2] ^= 1; // the first byte of the fingerprint
            store.put(key, stored);
        });
    }

    private void noteTimers() {
        context.scheduledPunctuators().forEach(timer -> {
            if (!timer.cancelled()) {
                dueMillis.putIfAbsent(timer, nowMillis + timer.getInterval().toMillis());
            }
        });
    }

    private int readDepths() {
        List<MockProcessorContext.CapturedForward<? extends byte[], ? extends byte[]>> rows = context.forwarded();
        rows.forEach(row -> {
            String key = new String(row.record().key(), StandardCharsets.UTF_8);
            if (row.record().value() == null) {
                depths.remove(key);
            } else {
                depths.put(key, row.record().value());
            }
        });
        context.resetForwards();
        depthRows += rows.size();
        return rows.size();
    }
}
