package io.spillway.core.delay;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptClasses;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.RetryGate;
import io.spillway.core.retry.RetryKey;
import io.spillway.core.routing.ItemEnds;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.function.BiFunction;

/**
 * Decision of the delay stage for one partition of the delay lane: an item waits until it is due or at its end
 * ({@link ItemEnds}), then while it is paused ({@link PausedGroups}), and a retry until its budget allows it
 * ({@link RetryGate}). What leaves is routed by the caller, whose rules end what is over.
 *
 * <p>Items are in the caller's {@link DelayStore}; this class remembers groups of parked ones only. The gate has full
 * budgets at a start, so each start may allow as many retries as can be saved up.
 *
 * <p>Not thread-safe. Owner: the task of the partition. Bound: {@link RetryGate#MAX_GROUPS} groups of retries and as
 * many paused ones, about 500 bytes each.
 *
 * @param <R> a stored item
 */
public final class DelayStage<R> {
    /** Pause between two looks at parked items while there is more to do than one run may do. */
    public static final long BUSY_PERIOD_MILLIS = 50;

    private static final long MOST_PAUSED_BYTES = 1024 * 1024;
    private static final long LOOK_AGAIN_MILLIS = 60_000;
    private static final long PRUNE_EVERY_MILLIS = 60_000;

    private final DelayStore<R> store;
    private final RetryGate gate;
    private final PausedGroups paused;
    private final ItemEnds ends;
    private final BiFunction<String, String, TenantPolicy> policies;
    private long nextLookMillis;
    private long prunedAtMillis;

    /**
     * Item that leaves.
     *
     * @param isGranted whether the retry budget has paid for it
     */
    public record Leaving<R>(R item, boolean isGranted) {}

    /**
     * Creates the stage of a partition.
     *
     * @param policies returns the policy in force of a tenant's items with a workload, which may be empty
     */
    public DelayStage(
            DelayStore<R> store, RetryGate gate, ItemEnds ends, BiFunction<String, String, TenantPolicy> policies) {
        this.store = store;
        this.gate = gate;
        this.paused = new PausedGroups(policies);
        this.ends = ends;
        this.policies = policies;
    }

    /** Adds what a worker reported. */
    public void counted(Collection<AttemptCounts> counts, long nowMillis) {
        gate.counted(counts, nowMillis);
    }

    /** Places an item: stores it, or returns it if it leaves now. */
    public Optional<Leaving<R>> place(R item, DelayedItem fields, long nowMillis) {
        TenantPolicy policy = policies.apply(fields.key().tenant(), fields.workload());
        long endMillis = ends.endMillis(fields.times(), policy, nowMillis);
        long untilMillis = Math.min(fields.times().dueMillis(), endMillis);
        if (untilMillis > nowMillis) {
            store.addTimer(untilMillis, item);
            return Optional.empty();
        }
        if (endMillis <= nowMillis) {
            return Optional.of(new Leaving<>(item, false));
        }
        if (policy.isPaused(fields.workload())) {
            hold(item, fields, policy, endMillis, nowMillis);
            return Optional.empty();
        }
        if (!fields.isRetry() || gate.mayGo(fields.key(), policy, nowMillis)) {
            return Optional.of(new Leaving<>(item, fields.isRetry()));
        }
        store.park(gate.parked(fields.key(), policy, endMillis), AttemptClasses.of(fields.attempts()), endMillis, item);
        return Optional.empty();
    }

    private void hold(R item, DelayedItem fields, TenantPolicy policy, long endMillis, long nowMillis) {
        RetryKey group = PausedGroups.group(fields, !policy.paused());
        if (paused.hasRoomFor(group)) {
            paused.parked(group, endMillis);
            store.park(group, AttemptClasses.of(fields.attempts()), endMillis, item);
        } else {
            store.addTimer(Math.min(endMillis, nowMillis + LOOK_AGAIN_MILLIS), item);
        }
    }

    /** Returns the groups that an item of an earlier run may be parked in. */
    public static List<RetryKey> groupsOf(DelayedItem fields) {
        return List.of(PausedGroups.group(fields, false), PausedGroups.group(fields, true), RetryKey.OTHERS,
                fields.key());
    }

    /**
     * Records that a group has items of an earlier run.
     *
     * @param endMillis end of the first of one class
     * @return the group to keep it in: another one when the gate has no room for its own
     */
    public RetryKey restored(RetryKey group, long endMillis) {
        if (PausedGroups.isGroup(group)) {
            paused.parked(group, endMillis);
            return group;
        }
        return gate.parked(group, policies.apply(group.tenant(), ""), endMillis);
    }

    /**
     * Returns what leaves now: items at their end, those no longer paused, retries that are granted, and due ones. At
     * most about {@link DelayStore#MOST} parked ones and as many timers; if there are more, {@link #nextRunMillis} is
     * soon. Parked items come first, because older retries go first.
     */
    public List<Leaving<R>> run(long nowMillis) {
        List<Leaving<R>> leaving = new ArrayList<>();
        if (Math.abs(nowMillis - prunedAtMillis) >= PRUNE_EVERY_MILLIS) {
            gate.prune(nowMillis);
            prunedAtMillis = nowMillis;
        }
        if (nowMillis >= nextLookMillis(nowMillis)) {
            boolean isBusy = resume(leaving, nowMillis) | release(leaving, nowMillis);
            nextLookMillis = nowMillis + (isBusy ? BUSY_PERIOD_MILLIS : RetryGate.LOOK_MILLIS);
        }
        for (R item : store.takeDue(nowMillis)) {
            placeAgain(item, leaving, nowMillis);
        }
        return leaving;
    }

    /** Returns when to call {@link #run} next, epoch milliseconds; {@link Long#MAX_VALUE} for never. */
    public long nextRunMillis(long nowMillis) {
        return Math.min(store.nextDueMillis(), nextLookMillis(nowMillis));
    }

    private long nextLookMillis(long nowMillis) {
        // The clock may have been set back.
        nextLookMillis = Math.min(nextLookMillis, nowMillis + RetryGate.LOOK_MILLIS);
        return gate.parked() == 0 && paused.isEmpty() ? Long.MAX_VALUE : nextLookMillis;
    }

    /** Takes paused items that may leave, one of each group in turn. Returns whether there may be more. */
    private boolean resume(List<Leaving<R>> leaving, long nowMillis) {
        Queue<RetryKey> ready = paused.ready(nowMillis);
        long bytes = 0;
        for (int taken = 0; !ready.isEmpty() && taken < PausedGroups.MOST && bytes < MOST_PAUSED_BYTES; taken++) {
            RetryKey group = ready.remove();
            boolean isPaused = paused.isPaused(group);
            Optional<DelayStore.Parked<R>> first = store.first(group, isPaused);
            boolean leaves = first.isPresent() && (!isPaused || first.get().endMillis() <= nowMillis);
            paused.taken(group, leaves ? store.remove(group, first.get())
                    : first.map(parked -> OptionalLong.of(parked.endMillis())).orElse(OptionalLong.empty()));
            if (leaves) {
                bytes += first.get().bytes();
                placeAgain(first.get().item(), leaving, nowMillis);
            }
            if (paused.mayLeave(group, nowMillis)) {
                ready.add(group);
            }
        }
        return !ready.isEmpty();
    }

    /** Takes retries at their end, and those that are granted. Returns whether there may be more. */
    private boolean release(List<Leaving<R>> leaving, long nowMillis) {
        long bytes = 0;
        for (int taken = 0; taken < DelayStore.MOST && bytes < DelayStore.MOST_BYTES; taken++) {
            Optional<RetryKey> over = gate.over(nowMillis);
            Optional<RetryKey> group = over.isPresent() ? over : gate.next(nowMillis);
            if (group.isEmpty()) {
                return false;
            }
            bytes += release(group.get(), over.isEmpty(), leaving, nowMillis);
        }
        return true;
    }

    /** Takes the next item of a group, or the first one to end if none is paid, and returns its bytes. */
    private int release(RetryKey group, boolean isPaid, List<Leaving<R>> leaving, long nowMillis) {
        Optional<DelayStore.Parked<R>> first = store.first(group, !isPaid);
        if (first.isEmpty() || !isPaid && first.get().endMillis() > nowMillis) {
            gate.removed(group, first.map(parked -> OptionalLong.of(parked.endMillis())).orElse(OptionalLong.empty()));
            if (isPaid) {
                gate.refund(group, nowMillis);
            }
            return 0;
        }
        R item = first.get().item();
        gate.removed(group, store.remove(group, first.get()));
        if (!isPaid) {
            placeAgain(item, leaving, nowMillis);
        } else if (!holdsPaid(item, nowMillis)) {
            leaving.add(new Leaving<>(item, true));
        } else {
            gate.refund(group, nowMillis);
        }
        return first.get().bytes();
    }

    /** Holds a granted item if it is paused meanwhile. */
    private boolean holdsPaid(R item, long nowMillis) {
        Optional<DelayedItem> fields = store.read(item, nowMillis);
        if (fields.isEmpty()) {
            return false;
        }
        TenantPolicy policy = policies.apply(fields.get().key().tenant(), fields.get().workload());
        if (!policy.isPaused(fields.get().workload())) {
            return false;
        }
        hold(item, fields.get(), policy, ends.endMillis(fields.get().times(), policy, nowMillis), nowMillis);
        return true;
    }

    /** Places an item that was stored. It waits on if its policy has changed since then. */
    private void placeAgain(R item, List<Leaving<R>> leaving, long nowMillis) {
        Optional<DelayedItem> fields = store.read(item, nowMillis);
        if (fields.isEmpty()) {
            leaving.add(new Leaving<>(item, false));
        } else {
            place(item, fields.get(), nowMillis).ifPresent(leaving::add);
        }
    }
}
