package io.spillway.worker;

import io.spillway.core.engine.Step;
import io.spillway.core.engine.WorkerEngine;
import io.spillway.core.retry.NextStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Attempts whose items are claimed, with what the next batch must tell the delay lane about them. Guarded by the lock
 * of {@link WorkerCore}.
 *
 * <p>Bound: a renewal, and the end, of each claimed attempt, which has a slot until then.
 */
final class ClaimedAttempts {
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long EXIT_PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final WorkerEngine<LaneItem, Attempt> engine;
    private final Outbox outbox;
    private List<CommitBatch.Notice> notices = new ArrayList<>();
    private boolean isInBatch;
    private boolean hasNew;
    private long checkedNanos;

    ClaimedAttempts(WorkerEngine<LaneItem, Attempt> engine, Outbox outbox) {
        this.engine = engine;
        this.outbox = outbox;
    }

    /** Lets claims follow their leases, and returns the claims of more attempts; call it before each batch. */
    List<Step<LaneItem, Attempt>> renew(long nowNanos) {
        if (nowNanos - checkedNanos < PERIOD_NANOS) {
            return List.of();
        }
        checkedNanos = nowNanos;
        engine.attempts().stream()
                .filter(attempt -> attempt.isClaimHeld() && attempt.coverNanos(nowNanos) > attempt.noticedNanos)
                .forEach(attempt -> notices.add(outbox.renewed(attempt, nowNanos)));
        return engine.claims().ofLong(nowNanos);
    }

    void claim(Attempt attempt, long nowNanos) {
        hasNew = true;
        outbox.claimed(attempt, nowNanos);
    }

    /** Returns the line for the log about an item whose attempt is stuck. */
    Optional<String> settle(Attempt attempt, NextStep next) {
        notices.add(outbox.settled(attempt, next));
        return Outbox.line(attempt, next);
    }

    /** Returns whether there is something to tell, in the next batch or in one in flight. */
    boolean hasNotices() {
        return isInBatch || !notices.isEmpty();
    }

    /**
     * Returns what a batch must tell, until {@link #committed} or {@link #notCommitted}. The delay lane would refuse
     * what it reads of a claim before the claim itself.
     *
     * @param inBatch partitions whose moves are in the batch
     * @param isOwned whether a partition can still be in one
     */
    List<CommitBatch.Notice> takeNotices(Set<OwnedPartition> inBatch, Predicate<OwnedPartition> isOwned) {
        Map<Boolean, List<CommitBatch.Notice>> byTold = notices.stream().collect(Collectors.partitioningBy(notice -> {
            OwnedPartition at = notice.attempt().item.owned();
            return inBatch.contains(at) || at.isCommitted(notice.attempt().claimBatch) || !isOwned.test(at);
        }));
        notices = new ArrayList<>(byTold.get(false));
        isInBatch = !byTold.get(true).isEmpty();
        return byTold.get(true);
    }

    /** Records which claims hold since the commit of a batch, and how long. */
    void committed(CommitBatch batch) {
        isInBatch = false;
        batch.notices().forEach(notice -> notice.attempt().holdsTo(notice.heldNanos()));
        if (hasNew) {
            engine.attempts().stream().filter(ClaimedAttempts::isNew)
                    .filter(attempt -> attempt.item.owned().isCommitted(attempt.claimBatch))
                    .forEach(attempt -> attempt.holdsTo(attempt.noticedNanos));
            hasNew = engine.attempts().stream().anyMatch(ClaimedAttempts::isNew);
        }
    }

    void notCommitted(CommitBatch batch) {
        isInBatch = false;
        notices.addAll(0, batch.notices());
    }

    private static boolean isNew(Attempt attempt) {
        return attempt.isClaimed() && !attempt.isClaimHeld();
    }

    /**
     * Waits, under the lock, for the attempts that have outlived their partitions, then interrupts all attempts and
     * waits a second.
     *
     * @param ended     is signalled when an attempt ends
     * @param canCommit whether their results can be committed; otherwise nothing is waited for
     */
    void drain(Condition ended, BooleanSupplier canCommit, LongSupplier nanoClock, long graceNanos)
            throws InterruptedException {
        long startNanos = nanoClock.getAsLong();
        long leftNanos = graceNanos;
        while (canCommit.getAsBoolean() && leftNanos > 0
                && engine.attempts().stream().anyMatch(ClaimedAttempts::isWorthWaiting)) {
            Guard.await(ended, () -> false, Math.min(leftNanos, EXIT_PERIOD_NANOS));
            leftNanos = graceNanos - (nanoClock.getAsLong() - startNanos);
        }
        interrupt(attempt -> true);
        Guard.await(ended, () -> engine.attempts().isEmpty(), TimeUnit.SECONDS.toNanos(1));
    }

    /** Interrupts attempts, because their partitions are lost. */
    void interrupt(Predicate<Attempt> which) {
        engine.attempts().stream().filter(which)
                .forEach(attempt -> attempt.interrupt(Attempt.Interruption.PARTITION_LEFT));
    }

    /** Returns whether a stop waits for an attempt. One in {@code System.exit} waits for the stop. */
    static boolean isWorthWaiting(Attempt attempt) {
        return attempt.isClaimHeld() && !attempt.isInterrupted() && attempt.exitCaller().isEmpty();
    }

    /**
     * Interrupts attempts that are in {@code System.exit}, so that they are not claimed: each leaves suspects. Returns
     * a line for the log about each.
     */
    List<String> interruptExiting(Predicate<Attempt> which) {
        List<String> lines = new ArrayList<>();
        engine.attempts().stream().filter(which).forEach(attempt -> attempt.exitCaller().ifPresent(caller -> {
            attempt.item.partition().endsProcess();
            attempt.interrupt(Attempt.Interruption.PARTITION_LEFT);
            lines.add(HandlerFailures.describeExit(attempt, caller));
        }));
        return lines;
    }
}
