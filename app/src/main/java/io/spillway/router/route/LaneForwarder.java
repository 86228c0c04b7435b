package io.spillway.router.route;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.DropReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.policy.Subscription;
import io.spillway.core.routing.ItemPlacement.Placed;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.codec.TrailCodec;
import io.spillway.kafka.codec.Turn;
import io.spillway.router.ledger.LedgerRecorder;
import io.spillway.router.stage.LaneStage;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Forwarder of one task: sends each record to one lane or drops it, by its {@link Decision}, and records the move in
 * the ledger. Key, value and timestamp stay unchanged. Owner: one stream thread.
 */
public final class LaneForwarder implements AutoCloseable {
    /**
     * What entered before its task began, by clocks that differ by up to this time, may have been moved before, by a
     * process that died with it: it starts after the commit, where its deaths count.
     */
    private static final long STRICT_MILLIS = 10_000;
    /** How long the caller keeps a record that the dead-letter lane does not take. */
    private static final long REFUSED_MILLIS = 60_000;

    private static final TrailCodec.End SCHEDULED =
            new TrailCodec.End(ItemState.DELAY, LaneReason.SCHEDULED.label());

    private final LaneStage stage;
    private final LaneServices services;
    private final ProcessorContext<byte[], PartitionedValue> context;
    private final Moves own;
    private final Moves deliveries;
    private final Optional<String> source;
    private final long strictUntilMillis;
    private final LedgerOwner owners = new LedgerOwner();
    private final TrailCodec trail = new TrailCodec();

    /** How records leave: the changes of their headers, and the ledger of the state that they were in. */
    private record Moves(LaneHeaders headers, LedgerRecorder.TaskLedger ledger) {}

    /** Creates the forwarder of a task and opens its ledger. */
    public LaneForwarder(
            LaneStage stage, LaneServices services, LaneHeaders headers,
            ProcessorContext<byte[], PartitionedValue> context) {
        this.stage = stage;
        this.services = services;
        this.context = context;
        this.own = new Moves(headers, services.recorder().open(stage.from()));
        this.deliveries = new Moves(new FanOut.DeliveryHeaders(), services.recorder().open(ItemState.OUTSIDE));
        this.source = services.source().map(LedgerOwner::ofSource);
        this.strictUntilMillis = context.currentSystemTimeMs() + STRICT_MILLIS;
    }

    /**
     * Returns the decision on a record; a dead letter if the decider fails.
     *
     * @throws SourceUnavailableException if what the decision needs cannot be had now
     */
    public Decision decide(Decider decider, Record<byte[], byte[]> record, long nowMillis) {
        try {
            return decider.decide(record, nowMillis);
        } catch (SourceUnavailableException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            return ownError(e, e.toString());
        }
    }

    /**
     * Returns the decision for a record on which Spillway itself failed: a dead letter. Not for failures of the store
     * and of forwarding, which end the task.
     *
     * @param detail cause in the dead letter
     * @throws OutOfMemoryError if that is the error; the record did not cause it and stays where it is
     */
    public Decision ownError(Throwable fault, String detail) {
        if (fault instanceof OutOfMemoryError e) {
            throw e;
        }
        services.metrics().ownError(fault);
        return Decision.unreadable(new Route.DeadLetter(DeadReason.ROUTER_ERROR, detail), true);
    }

    /**
     * Forwards a record as decided, or the next deliveries of it. Returns for how many milliseconds the caller keeps
     * it, because the dead-letter lane, to which it belongs, does not take it now, or because more deliveries follow; 0
     * if it is gone.
     *
     * @param offset in the topic of the stage
     */
    public long forward(Record<byte[], byte[]> record, Decision decision, long offset, long nowMillis) {
        if (decision.fanOut().isPresent()) {
            return deliver(record, decision, decision.fanOut().get(), offset, nowMillis);
        }
        return forward(record, decision, own, offset, nowMillis) ? 0 : REFUSED_MILLIS;
    }

    /** Forwards the deliveries of one step. After the last one the item is done. */
    private long deliver(
            Record<byte[], byte[]> record, Decision decision, FanOut fanOut, long offset, long nowMillis) {
        Headers ended = new RecordHeaders(record.headers());
        Origin origin = own.headers.toDeadLetter(ended, decision, offset);
        Record<byte[], byte[]> whole = record.withHeaders(ended);
        String id = fanOut.idOf(whole, origin);
        Record<byte[], byte[]> common = fanOut.common(whole);
        for (FanOut.Delivery delivery : fanOut.deliveries()) {
            Record<byte[], byte[]> made = FanOut.record(delivery, common, origin, id);
            if (!forward(made, delivery.decision(), deliveries, offset, nowMillis)) {
                FanOut.DeliveryHeaders.later(made.headers(), nowMillis);
                delay(made, deliveries);
            }
        }
        services.metrics().delivered(fanOut.deliveries().size());
        if (fanOut.next().isPresent()) {
            fanOut.next().get().set(record.headers());
            return FanOut.PAUSE_MILLIS;
        }
        done(whole, () -> origin, 0, nowMillis);
        return 0;
    }

    private boolean forward(
            Record<byte[], byte[]> record, Decision decision, Moves moves, long offset, long nowMillis) {
        switch (decision.route()) {
            case Route.ToLane to -> {
                moves.headers.toLane(record.headers(), to, decision, offset, nowMillis);
                Optional<String> refusal = refusal(record, to.lane());
                if (refusal.isPresent()) {
                    record.headers().remove(ItemHeaders.DUE);
                    return bury(record, decision, new Route.DeadLetter(DeadReason.TOO_LARGE, refusal.get()), moves,
                            offset, nowMillis);
                }
                send(record, to.lane(), decision.partition());
                services.metrics().routed(to);
                services.commitRequester().moved(context, startsEarly(record, to, decision.partition()));
                recordMove(decision.tenant().name(), ItemState.of(to.lane()), moves);
                // The delay stage knows whether an id is new, and tells then where the item waits.
                if (decision.tenant().policy().isTracked()
                        && (to.reason() != LaneReason.ORDER || !Sequenced.isDeduped(record))) {
                    track(record, decision.tenant().name(),
                            new TrailCodec.End(ItemState.of(to.lane()), to.reason().label()),
                            Origin.of(record.headers()), nowMillis);
                }
                return true;
            }
            case Route.Drop drop -> {
                services.commitRequester().moved(context, false);
                services.metrics().dropped(drop.reason());
                if (drop.reason() == DropReason.TTL) {
                    services.metrics().missedObjective(decision.tenant());
                }
                moves.ledger.record(LedgerOwner.of(drop.reason()), ItemState.DROPPED);
                recordMove(decision.tenant().name(), ItemState.DROPPED, moves);
                endTurn(record.headers(), decision.tenant().name(), Turn.Result.ENDED, record.timestamp());
                if (services.topics().keepsTrail()) {
                    Origin origin = moves.headers.toDeadLetter(record.headers(), decision, offset);
                    leaveTrail(record, new TrailCodec.End(ItemState.DROPPED, drop.reason().label()), origin,
                            ItemHeaders.number(record.headers(), ItemHeaders.ATTEMPT).orElse(0), nowMillis);
                }
                return true;
            }
            case Route.DeadLetter dead -> {
                return bury(record, decision, dead, moves, offset, nowMillis);
            }
        }
    }

    private boolean bury(
            Record<byte[], byte[]> record, Decision decision, Route.DeadLetter dead, Moves moves, long offset,
            long nowMillis) {
        services.commitRequester().moved(context, false);
        services.metrics().missedObjective(decision.tenant());
        String tenant = ownerOf(record);
        if (dead.reason() == DeadReason.RETRY_TIME_OVER && decision.tenant().policy().pausesWhenDown()) {
            ItemHeaders.text(record.headers(), ItemHeaders.WORKLOAD).filter(Subscription::isDelivery)
                    .filter(workload -> !decision.tenant().policy().isPaused(workload))
                    .ifPresent(workload -> services.unreachable().over(tenant, workload, nowMillis));
        }
        Record<byte[], byte[]> letter = record.withHeaders(new RecordHeaders(record.headers()));
        Origin origin = moves.headers.toDeadLetter(letter.headers(), decision, offset);
        ItemHeaders.addDeadLetter(letter.headers(), dead, stage.label(), nowMillis, origin.topic(), origin.partition(),
                origin.offset());
        return bury(letter, dead.reason(), tenant, moves, Optional.of(origin), nowMillis);
    }

    private boolean bury(
            Record<byte[], byte[]> letter, DeadReason reason, String readable, Moves moves, Optional<Origin> origin,
            long nowMillis) {
        // A record of a source may have a tenant where its source has none.
        String tenant = reason == DeadReason.BAD_TENANT ? LedgerOwner.NONE : readable;
        Record<byte[], byte[]> fitting = CutLetter.fitting(letter, services.topics().deadLetterMaxBytes());
        if (refusal(fitting, Lane.DEAD_LETTER).isPresent()) {
            return false;
        }
        send(fitting, Lane.DEAD_LETTER, Placed.ANYWHERE);
        services.metrics().deadLettered(reason);
        moves.ledger.record(LedgerOwner.of(reason), ItemState.DEAD_LETTER);
        recordMove(tenant, ItemState.DEAD_LETTER, moves);
        endTurn(letter.headers(), tenant, Turn.Result.DEAD, letter.timestamp());
        track(letter, tenant, new TrailCodec.End(ItemState.DEAD_LETTER, reason.label()), origin, nowMillis);
        return true;
    }

    /** Tells the partition that gave an item its turn that it has ended; nothing for one without. */
    private void endTurn(Headers headers, String tenant, Turn.Result result, long timestampMillis) {
        // A producer cannot give an item a turn.
        if (stage == LaneStage.DELAY) {
            Turn.of(headers, services.topics().partitions()).ifPresent(turn -> send(
                    new Record<>(null, null, timestampMillis, turn.notice(tenant, headers, result)), Lane.DELAY,
                    turn.partition()));
        }
    }

    /** Moves a record to the dead-letter lane with the headers that it has; returns false as {@link #forward}. */
    public boolean deadLetter(Record<byte[], byte[]> letter, long nowMillis) {
        services.commitRequester().moved(context, false);
        return bury(letter, ItemHeaders.text(letter.headers(), ItemHeaders.DEAD_REASON).flatMap(DeadReason::of)
                .orElse(DeadReason.ROUTER_ERROR), ownerOf(letter), own, Origin.of(letter.headers()), nowMillis);
    }

    /** Records that an item is done. */
    public void done(Record<byte[], byte[]> record, long nowMillis) {
        done(record, () -> Origin.of(record.headers()).orElseThrow(),
                ItemHeaders.number(record.headers(), ItemHeaders.ATTEMPT).orElse(0) + 1, nowMillis);
    }

    /** @param origin asked for only if finished items are recorded */
    private void done(Record<byte[], byte[]> record, Supplier<Origin> origin, long attempts, long nowMillis) {
        services.commitRequester().moved(context, false);
        String tenant = ownerOf(record);
        recordMove(tenant, ItemState.DONE, own);
        endTurn(record.headers(), tenant, Turn.Result.ENDED, record.timestamp());
        if (services.topics().keepsTrail()) {
            leaveTrail(record, new TrailCodec.End(ItemState.DONE, ""), origin.get(), attempts, nowMillis);
        }
    }

    /** Writes a record, which is no item, to a partition of the delay lane. */
    public void again(Record<byte[], byte[]> notice, int partition) {
        services.commitRequester().moved(context, false);
        send(notice, Lane.DELAY, partition);
    }

    /** Moves a record to the delay lane as it is. */
    void delay(Record<byte[], byte[]> record) {
        delay(record, own);
    }

    private void delay(Record<byte[], byte[]> record, Moves moves) {
        send(record, Lane.DELAY, Placed.ANYWHERE);
        recordMove(ownerOf(record), ItemState.DELAY, moves);
    }

    /** Returns whether the worker of this process has started an item that was sent to its lane. */
    private boolean startsEarly(Record<byte[], byte[]> record, Route.ToLane to, int partition) {
        return to.lane() == Lane.HOT && to.reason() == LaneReason.FRESH && stage == LaneStage.ROUTE
                && partition != Placed.ANYWHERE && record.timestamp() > strictUntilMillis
                && services.early().start(
                        partition, record.timestamp(), record.key(), record.value(), record.headers());
    }

    private String ownerOf(Record<byte[], byte[]> record) {
        return owners.of(record.key(), record.value(), record.headers());
    }

    private Optional<String> refusal(Record<byte[], byte[]> record, Lane lane) {
        return services.limits().areLower()
                ? services.limits().refusal(
                        services.topics().lane(lane), record.key(), record.value(), record.headers())
                : Optional.empty();
    }

    /** Tells on the trail that an item waits in the delay stage, if its tenant is tracked. */
    public void waits(Record<byte[], byte[]> record, long nowMillis) {
        if (services.topics().keepsTrail()) {
            String reason = ItemHeaders.text(record.headers(), ItemHeaders.LANE_REASON).orElse("");
            track(record, ownerOf(record), new TrailCodec.End(ItemState.DELAY, reason), Origin.of(record.headers()),
                    nowMillis);
        }
    }

    /** A delivery to a subscription is not what the producer sent. */
    private void track(
            Record<byte[], byte[]> record, String tenant, TrailCodec.End end, Optional<Origin> origin,
            long nowMillis) {
        Headers headers = record.headers();
        if (services.topics().keepsTrail() && services.tracked().test(tenant) && origin.isPresent()
                && ItemHeaders.text(headers, ItemHeaders.WORKLOAD).filter(Subscription::isDelivery).isEmpty()) {
            leaveTrail(
                    record, end, origin.get(), ItemHeaders.number(headers, ItemHeaders.ATTEMPT).orElse(0), nowMillis);
        }
    }

    private void leaveTrail(
            Record<byte[], byte[]> record, TrailCodec.End end, Origin origin, long attempts, long nowMillis) {
        Headers trailed = trail.headers(record.key(), record.value(), record.headers(), record.timestamp(),
                new String(origin.bytes(), StandardCharsets.ISO_8859_1), attempts);
        if (end.equals(SCHEDULED) && Sequenced.isDeduped(record) && !Turn.hasPassed(record.headers())) {
            ItemHeaders.set(trailed, ItemHeaders.DEDUPE, "true");
        }
        context.forward(new Record<>(null, PartitionedValue.anywhere(end.encode()), nowMillis, trailed),
                stage.trailSink());
    }

    private void send(Record<byte[], byte[]> record, Lane lane, int partition) {
        context.forward(record.withValue(new PartitionedValue(record.value(), partition)), stage.sink(lane));
    }

    /** Records a move for its tenant, and for the source that the item came from, which sent no deliveries. */
    private void recordMove(String tenant, ItemState to, Moves moves) {
        if (source.isPresent() && moves == own) {
            moves.ledger.record(source.get(), to);
        }
        if (moves.ledger.record(tenant, to)) {
            context.commit();
        }
    }

    @Override
    public void close() {
        services.commitRequester().closed(context);
        own.ledger.close();
        deliveries.ledger.close();
    }
}
