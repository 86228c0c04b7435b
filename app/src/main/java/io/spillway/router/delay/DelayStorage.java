package io.spillway.router.delay;

import io.spillway.core.delay.DelayStage;
import io.spillway.core.delay.DelayStore;
import io.spillway.core.delay.DelayedItem;
import io.spillway.core.retry.AttemptClasses;
import io.spillway.core.retry.RetryKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Items of one delay lane partition in the timer store: {@link Timers} and {@link ParkedItems}. Owner: the task of the
 * processor that created it, on one thread.
 */
final class DelayStorage implements DelayStore<DelayRecord> {
    /** Classes of groups of an earlier run that are indexed at a time. */
    static final int INDEXED_AT_ONCE = 1_000;

    final Timers timers;
    final ParkedItems parked;
    final ClaimIndex claims;
    private final Reader reader;
    private final Consumer<DelayRecord> claimDue;

    /** Reader of the fields of items in order. */
    @FunctionalInterface
    interface Reader {
        /** Returns the fields of an item; empty if the stage cannot keep it. */
        Optional<DelayedItem> read(DelayRecord item, long nowMillis);
    }

    /** @param claimDue gets claimed items that are due, and stores them again for a later time */
    DelayStorage(
            KeyValueStore<Bytes, byte[]> store, ParkedItems.Counts counts, Reader reader,
            Consumer<DelayRecord> claimDue) {
        this.timers = new Timers(store);
        this.parked = new ParkedItems(store, counts);
        this.claims = new ClaimIndex(store, timers);
        this.reader = reader;
        this.claimDue = claimDue;
    }

    /** Tells the stage of a part of what was parked in an earlier run. Returns the items that cannot be kept. */
    List<DelayRecord> restore(DelayStage<DelayRecord> stage, long nowMillis) {
        List<DelayRecord> leaving = new ArrayList<>();
        long bytes = 0;
        for (int i = 0; i < INDEXED_AT_ONCE && bytes < MOST_BYTES && !parked.isIndexed(); i++) {
            Optional<ParkedItems.Item> first = parked.seekClass();
            if (first.isEmpty()) {
                break;
            }
            Parked<DelayRecord> item = decoded(first.get());
            Optional<DelayedItem> fields = read(item.item(), nowMillis);
            if (fields.isEmpty()) {
                leaving.add(item.item());
                parked.removeSought();
                continue;
            }
            RetryKey sought = DelayStage.groupsOf(fields.get()).stream().filter(parked::isSought).findFirst()
                    .orElse(fields.get().key());
            RetryKey group = stage.restored(sought, item.endMillis());
            if (parked.isSought(group)) {
                parked.index(group);
            } else {
                // Stored under another key: of a group for which the gate has no room now, or by two groups with the
                // same hash.
                parked.removeSought();
                park(group, AttemptClasses.of(fields.get().attempts()), item.endMillis(), item.item());
                bytes += item.bytes();
            }
        }
        timers.areNoTimers(parked.count());
        return leaving;
    }

    @Override
    public Optional<DelayedItem> read(DelayRecord item, long nowMillis) {
        return item.damage().isPresent() ? Optional.empty() : reader.read(item, nowMillis);
    }

    @Override
    public void addTimer(long dueMillis, DelayRecord item) {
        timers.put(dueMillis, item.offset(), TimerCodec.encode(item.record()));
    }

    @Override
    public List<DelayRecord> takeDue(long nowMillis) {
        List<DelayRecord> due = new ArrayList<>();
        timers.takeDue(nowMillis, (offset, timer) -> {
            DelayRecord item = DelayRecord.decode(timer, offset, Optional.empty());
            if (item.claim().isPresent()) {
                claimDue.accept(item);
            } else {
                due.add(item);
            }
        });
        return due;
    }

    @Override
    public long nextDueMillis() {
        return timers.nextDueMillis();
    }

    @Override
    public void park(RetryKey group, int attemptClass, long endMillis, DelayRecord item) {
        timers.storeEnd();
        parked.put(group, attemptClass, endMillis, item.offset(), TimerCodec.encode(item.record()));
    }

    @Override
    public Optional<Parked<DelayRecord>> first(RetryKey group, boolean byEnd) {
        return (byEnd ? parked.firstToEnd(group) : parked.next(group)).map(DelayStorage::decoded);
    }

    @Override
    public OptionalLong remove(RetryKey group, Parked<DelayRecord> first) {
        return parked.remove(group, first.item().parkedKey().orElseThrow());
    }

    private static Parked<DelayRecord> decoded(ParkedItems.Item item) {
        return new Parked<>(DelayRecord.decode(item.value(), item.offset(), Optional.of(item.key())), item.endMillis(),
                item.value().length);
    }
}
