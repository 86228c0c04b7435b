package io.spillway.router.delay;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptClasses;
import io.spillway.core.retry.RetryGate;
import io.spillway.core.retry.RetryKey;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Items of one delay lane partition whose delay is over and that wait on: {@link PausedItems}, and retries of which the
 * {@link RetryGate} decides when they go on. The items that it refuses are parked in the store, and move nowhere until
 * they go on or end.
 *
 * <p>The gate is in memory only. After an aborted transaction Kafka Streams starts the task again, with a new gate and
 * the parked items that the store has. A new gate has full budgets, so each start of a task may allow as many retries
 * as can be saved up.
 *
 * <p>Owner: the task of the processor that created it, on one thread. Bound: {@link RetryGate#MAX_GROUPS}
 * groups of tenant and destination, about 1 KB each with the index of their items; the items of further ones share a
 * group.
 */
final class DelayedRetries {
    /** Pause between two looks at parked items while there is more to do than one run may do. */
    static final long BUSY_PERIOD_MILLIS = 50;
    /** Classes of groups of an earlier run that are indexed at a time. */
    static final int INDEXED_AT_ONCE = 1_000;

    private static final long PRUNE_EVERY_MILLIS = 60_000;

    private final RetryGate gate;
    private final PausedItems paused;
    private final ParkedItems items;
    private final Timers timers;
    private final AttemptMailboxes.Mailbox mailbox;
    private final Function<String, TenantPolicy> policies;
    private long nextRunMillis;
    private long prunedAtMillis;

    /** Creates the retries of a restored store. The first {@link #run} finds what is parked. */
    DelayedRetries(
            RetryGate gate, ParkedItems items, Timers timers, AttemptMailboxes.Mailbox mailbox,
            Function<String, TenantPolicy> policies) {
        this.gate = gate;
        this.paused = new PausedItems(items, timers, policies);
        this.items = items;
        this.timers = timers;
        this.mailbox = mailbox;
        this.policies = policies;
    }

    /** What the processor does with parked items. If it throws, or if the transaction is aborted, they stay parked. */
    interface Handler {
        /** Decodes an item; empty if it is damaged. */
        Optional<DelayedItem> read(byte[] item);

        /** Takes an item whose retry is paid; returns false if it does not go, because it is paused. */
        boolean paid(long offset, byte[] item);

        /** Takes an item that is no longer paused, has reached its end, or is damaged. */
        void over(long offset, byte[] item);
    }

    /** Holds a paused item, until its end at most, epoch milliseconds; returns false for any other. */
    boolean hold(DelayedItem item, long endMillis, long offset, Supplier<byte[]> value, long nowMillis) {
        if (!paused.isPaused(item)) {
            return false;
        }
        paused.hold(item, endMillis, offset, value.get(), nowMillis);
        return true;
    }

    /** Returns whether an item whose backoff is over may go on, and pays for it. */
    boolean mayGo(DelayedItem item, long nowMillis) {
        tellGate(nowMillis);
        return gate.mayGo(item.key(), policies.apply(item.key().tenant()), nowMillis);
    }

    /** Parks an item that may not go on until its end, epoch milliseconds. */
    void park(DelayedItem item, long endMillis, long offset, byte[] value) {
        put(gate.parked(item.key(), policies.apply(item.key().tenant()), endMillis), item, endMillis, offset, value);
    }

    /**
     * Passes on parked items that are over or may go now: at most {@link Timers#MOST} and about {@link
     * Timers#MOST_BYTES}. Returns their number.
     */
    int run(Handler handler, long nowMillis) {
        tellGate(nowMillis);
        index(handler);
        timers.areNoTimers(items.count());
        int resumed = paused.run(handler, nowMillis);
        int taken = 0;
        long bytes = 0;
        boolean hasMore = true;
        while (hasMore && taken < Timers.MOST && bytes < Timers.MOST_BYTES) {
            Optional<RetryKey> over = gate.over(nowMillis);
            Optional<RetryKey> next = over.isPresent() ? over : gate.next(nowMillis);
            hasMore = next.isPresent();
            if (hasMore) {
                bytes += take(next.get(), over.isEmpty(), handler, nowMillis);
                taken++;
            }
        }
        boolean isBusy = hasMore || resumed == PausedItems.MOST || !items.isCounted();
        nextRunMillis = nowMillis + (isBusy ? BUSY_PERIOD_MILLIS : RetryGate.LOOK_MILLIS);
        return resumed + taken;
    }

    /** Returns when to run again, epoch milliseconds; {@link Timers#NEVER} while nothing is parked. */
    long nextRunMillis(long nowMillis) {
        // The clock may have been set back.
        return items.isEmpty() && items.isCounted()
                ? Timers.NEVER : Math.min(nextRunMillis, nowMillis + RetryGate.LOOK_MILLIS);
    }

    private void tellGate(long nowMillis) {
        mailbox.drain().forEach(report -> gate.counted(report, nowMillis));
        if (Math.abs(nowMillis - prunedAtMillis) >= PRUNE_EVERY_MILLIS) {
            gate.prune(nowMillis);
            prunedAtMillis = nowMillis;
        }
    }

    /** Tells the gate of groups that were parked in an earlier run. */
    private void index(Handler handler) {
        long bytes = 0;
        for (int i = 0; i < INDEXED_AT_ONCE && bytes < Timers.MOST_BYTES && !items.isIndexed(); i++) {
            Optional<ParkedItems.Item> first = items.seekClass();
            if (first.isEmpty()) {
                return;
            }
            ParkedItems.Item item = first.get();
            Optional<DelayedItem> read = handler.read(item.value());
            if (read.isEmpty()) {
                handler.over(item.offset(), item.value());
                items.removeSought();
                continue;
            }
            if (paused.index(read.get(), item.endMillis())) {
                continue;
            }
            RetryKey key = items.isSought(RetryKey.OTHERS) ? RetryKey.OTHERS : read.get().key();
            RetryKey group = gate.parked(key, policies.apply(key.tenant()), item.endMillis());
            if (items.isSought(group)) {
                items.index(group);
            } else {
                // Stored under another key: of a group for which the gate has no room now, or by two groups with the
                // same hash.
                items.removeSought();
                put(group, read.get(), item.endMillis(), item.offset(), item.value());
                bytes += item.value().length;
            }
        }
    }

    private void put(RetryKey group, DelayedItem item, long endMillis, long offset, byte[] value) {
        timers.storeEnd();
        items.put(group, AttemptClasses.of(item.attempts()), endMillis, offset, value);
    }

    /** Takes the next item of a group, or the first one to end if none is paid, and returns its bytes. */
    private long take(RetryKey group, boolean isPaid, Handler handler, long nowMillis) {
        Optional<ParkedItems.Item> first = isPaid ? items.next(group) : items.firstToEnd(group);
        if (first.isEmpty()) {
            gate.removed(group, OptionalLong.empty());
            return 0;
        }
        ParkedItems.Item item = first.get();
        if (isPaid) {
            if (!handler.paid(item.offset(), item.value())) {
                gate.refund(group, nowMillis);
            }
        } else if (item.endMillis() <= nowMillis) {
            handler.over(item.offset(), item.value());
        } else {
            gate.removed(group, OptionalLong.of(item.endMillis()));
            return 0;
        }
        gate.removed(group, items.remove(group, item));
        return item.value().length;
    }
}
