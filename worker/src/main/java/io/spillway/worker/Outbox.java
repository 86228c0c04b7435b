package io.spillway.worker;

import io.spillway.core.engine.Step;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.retry.NextStep;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.TrailCodec;
import io.spillway.kafka.codec.Turn;
import io.spillway.kafka.metrics.Objectives;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Writer of what the next transaction must contain for an item that has left its partition, with its metrics. Called
 * under the lock of {@link WorkerCore}.
 */
final class Outbox {
    private static final TrailCodec.End DONE = new TrailCodec.End(ItemState.DONE, "");
    private static final TrailCodec.End CLAIMED = new TrailCodec.End(ItemState.DELAY, LaneReason.CLAIMED.label());
    private static final TrailCodec.End RETRIED = new TrailCodec.End(ItemState.DELAY, LaneReason.RETRY.label());

    private final LaneRecords records;
    private final WorkerMetrics metrics;
    private final InstantSource clock;
    private final String claimer;
    private Runnable onTurnEnded = () -> { };
    private long claims;

    /** @param claimer name of this worker process, which no other has had */
    Outbox(LaneRecords records, WorkerMetrics metrics, InstantSource clock, String claimer) {
        this.records = records;
        this.metrics = metrics;
        this.clock = clock;
        this.claimer = claimer;
    }

    /** Sets what to call when an item waits for the next transaction, because the one before it has ended. */
    Outbox awaitedBy(Runnable wanted) {
        onTurnEnded = wanted;
        return this;
    }

    LaneRecords records() {
        return records;
    }

    void done(Attempt attempt) {
        LaneItem item = attempt.item;
        item.owned().left(item.tenant(), ItemState.DONE);
        endTurn(item, Turn.Result.ENDED);
        if (records.keepsTrail()) {
            item.owned().produce(LaneRecords.taking(
                    records.finished(item, DONE, item.attempts() + 1), attempt));
        }
        metObjective(item);
    }

    void dropped(LaneItem item, DropReason reason) {
        item.owned().dropped(item.tenant(), reason);
        endTurn(item, Turn.Result.ENDED);
        if (records.keepsTrail()) {
            TrailCodec.End end = new TrailCodec.End(ItemState.DROPPED, reason.label());
            item.owned().produce(records.finished(item, end, item.attempts()));
        }
        metrics.departures.dropped(reason);
        if (reason == DropReason.TTL) {
            missedObjective(item);
        }
        metrics.setAside(item, clock.millis());
    }

    void moved(LaneItem item, Lane to, LaneReason reason, int moves, long dueMillis) {
        item.owned().moved(item.tenant(), to, records.unattempted(item, to, reason, moves, dueMillis));
        if (to != item.lane()) {
            records.tracked(item, new TrailCodec.End(ItemState.of(to), reason.label()), item.attempts())
                    .ifPresent(item.owned()::produce);
        }
        metrics.moved(to, reason).increment();
        if (reason != LaneReason.LATER && to != item.lane()) {
            metrics.setAside(item, clock.millis());
        }
    }

    void retried(Attempt attempt, NextStep.Delay next) {
        LaneItem item = attempt.item;
        item.owned().moved(item.tenant(), Lane.DELAY, records.retry(attempt, next));
        records.failed(attempt, RETRIED, next.attempts())
                .or(() -> records.tracked(item, RETRIED, next.attempts()))
                .ifPresent(item.owned()::produce);
        metrics.failed(item.tenant());
    }

    void claimed(Attempt attempt, long nowNanos) {
        LaneItem item = attempt.item;
        attempt.claim = claimer + "-" + ++claims;
        attempt.noticedNanos = attempt.coverNanos(nowNanos);
        item.owned().moved(item.tenant(), Lane.DELAY, records.claim(
                attempt, attempt.dueMillis(attempt.noticedNanos, clock.millis(), nowNanos)));
        attempt.claimBatch = item.owned().nextBatch();
        records.tracked(item, CLAIMED, item.attempts()).ifPresent(item.owned()::produce);
        metrics.moved(Lane.DELAY, LaneReason.CLAIMED).increment();
    }

    CommitBatch.Notice renewed(Attempt attempt, long nowNanos) {
        attempt.noticedNanos = attempt.coverNanos(nowNanos);
        return new CommitBatch.Notice(attempt, attempt.noticedNanos, records.renewal(
                attempt, attempt.dueMillis(attempt.noticedNanos, clock.millis(), nowNanos)));
    }

    /** The delay stage counts what becomes of the item. */
    CommitBatch.Notice settled(Attempt attempt, NextStep next) {
        switch (next) {
            case NextStep.Done done -> metObjective(attempt.item);
            case NextStep.DeadLetter dead -> missedObjective(attempt.item);
            case NextStep.Delay retried -> metrics.failed(attempt.item.tenant());
            case NextStep.GiveBack back -> { }
            case NextStep.PutOff later -> { }
        }
        return new CommitBatch.Notice(attempt, 0, records.settlement(attempt, next));
    }

    /** Returns the line for the log about an item whose attempts have cost a worker or a slot. */
    Optional<String> deadLettered(Step.DeadLetter<LaneItem, Attempt> dead) {
        LaneItem item = dead.item();
        DeadReason reason = dead.why().reason();
        long nowMillis = clock.millis();
        item.owned().deadLettered(item.tenant(), reason, records.dead(dead, nowMillis));
        endTurn(item, Turn.Result.DEAD);
        TrailCodec.End end = new TrailCodec.End(ItemState.DEAD_LETTER, reason.label());
        dead.attempt().flatMap(attempt -> records.failed(attempt, end, dead.attempts()))
                .or(() -> records.tracked(item, end, dead.attempts()))
                .ifPresent(item.owned()::produce);
        metrics.departures.deadLettered(reason);
        missedObjective(item);
        if (item.unreadable().isEmpty() && dead.attempts() == item.attempts()) {
            metrics.setAside(item, nowMillis);
        }
        return line(item, reason, dead.why().detail(), dead.attempt());
    }

    private void metObjective(LaneItem item) {
        metrics.objectives.done(
                item.tenant(), records.policyOf(item).doneWithinMillis(), clock.millis() - item.ageSinceMillis());
    }

    private void missedObjective(LaneItem item) {
        metrics.objectives.ended(
                item.tenant(), records.policyOf(item).doneWithinMillis(), Objectives.Result.FAILED);
    }

    private void endTurn(LaneItem item, Turn.Result result) {
        records.turnEnded(item, result).ifPresent(notice -> {
            item.owned().produce(notice);
            onTurnEnded.run();
        });
    }

    /** As {@link #deadLettered}, of a claimed item. */
    static Optional<String> line(Attempt attempt, NextStep next) {
        return next instanceof NextStep.DeadLetter dead
                ? line(attempt.item, dead.why().reason(), dead.why().detail(), Optional.of(attempt)) : Optional.empty();
    }

    private static Optional<String> line(LaneItem item, DeadReason reason, String detail, Optional<Attempt> stuck) {
        return reason != DeadReason.STUCK && reason != DeadReason.KILLED_WORKER ? Optional.empty()
                : Optional.of("An item is a dead letter, " + HandlerFailures.describe(item) + ": " + detail
                        + stuck.map(attempt -> ", and keeps its slot until it does. It is in "
                                + Printable.of(attempt.where())).orElse(""));
    }
}
