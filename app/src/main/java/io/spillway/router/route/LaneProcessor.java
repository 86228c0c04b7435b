package io.spillway.router.route;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.codec.TrailCodec;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.LoweredLimits;
import io.spillway.router.ledger.CommitPacer;
import io.spillway.router.ledger.LedgerRecorder;
import io.spillway.router.stage.LaneStage;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Processor of a stage that forwards each record to one lane or drops it, by its {@link Decision}, and records the move
 * in the ledger. Key, value and timestamp stay unchanged. Owner: one stream thread.
 */
public abstract class LaneProcessor implements Processor<byte[], byte[], byte[], PartitionedValue> {
    private final LaneStage stage;
    private final Topics topics;
    private final LoweredLimits limits;
    private final String topic;
    private final Decider decider;
    private final RouterMetrics metrics;
    private final LedgerRecorder recorder;
    private final CommitPacer pacer;
    private final LedgerOwner owners = new LedgerOwner();
    private final TrailCodec trail = new TrailCodec();
    private final boolean keepsTrail;
    private LedgerRecorder.TaskLedger ledger;
    private ProcessorContext<byte[], PartitionedValue> context;

    /** Creates the processor of one task, which reads a partition of the topic. */
    protected LaneProcessor(
            LaneStage stage, Topics topics, LoweredLimits limits, String topic, Decider decider,
            RouterMetrics metrics, LedgerRecorder recorder, CommitPacer pacer) {
        this.stage = stage;
        this.topics = topics;
        this.limits = limits;
        this.topic = topic;
        this.keepsTrail = topics.keepsTrail();
        this.decider = decider;
        this.metrics = metrics;
        this.recorder = recorder;
        this.pacer = pacer;
    }

    /** Also called again on the same processor after Kafka Streams has restored a corrupted task. */
    @Override
    public void init(ProcessorContext<byte[], PartitionedValue> processorContext) {
        if (ledger != null) {
            ledger.close();
        }
        context = processorContext;
        ledger = recorder.open(stage.from());
    }

    @Override
    public void close() {
        ledger.close();
    }

    /** Returns the context of the task, since {@link #init}. */
    protected final ProcessorContext<byte[], PartitionedValue> context() {
        return context;
    }

    /** Returns the position of a record in the topic of the stage; a task reads the partition of its number. */
    protected final Origin position(long offset) {
        return new Origin(topic, context.taskId().partition(), offset);
    }

    /** Sets the headers of a record on its way to a lane other than dead-letter. */
    protected abstract void setLaneHeaders(Headers headers, Route.ToLane to, Decision decision, long offset);

    /** Removes the headers that a dead letter or a finished item must not have, and returns the item's origin. */
    protected abstract Origin toDeadLetter(Headers headers, Decision decision, long offset);

    /** Keeps a record that the dead-letter lane does not take now, and that it belongs into, for a minute. */
    protected abstract void keep(Record<byte[], byte[]> record, String tenant, long offset, long nowMillis);

    /** Decides on a record with this offset in the topic of the stage, and forwards it. */
    protected final Decision route(Record<byte[], byte[]> record, long offset, long nowMillis) {
        Decision decision = decide(record, nowMillis);
        forward(record, decision, offset, nowMillis);
        return decision;
    }

    private Decision decide(Record<byte[], byte[]> record, long nowMillis) {
        try {
            return decider.decide(record, nowMillis);
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
    protected final Decision ownError(Throwable fault, String detail) {
        if (fault instanceof OutOfMemoryError e) {
            throw e;
        }
        metrics.ownError(fault);
        return Decision.unreadable(new Route.DeadLetter(DeadReason.ROUTER_ERROR, detail), true);
    }

    /** Forwards a record as decided. */
    protected final void forward(Record<byte[], byte[]> record, Decision decision, long offset, long nowMillis) {
        pacer.moved(context);
        switch (decision.route()) {
            case Route.ToLane to -> {
                setLaneHeaders(record.headers(), to, decision, offset);
                Optional<String> refusal = refusal(record, to.lane());
                if (refusal.isPresent()) {
                    record.headers().remove(ItemHeaders.DUE);
                    forward(record, decision.with(new Route.DeadLetter(DeadReason.TOO_LARGE, refusal.get())), offset,
                            nowMillis);
                    return;
                }
                forward(record, to.lane(), decision.partition());
                metrics.routed(to);
                commitIf(ledger.record(decision.tenant(), ItemState.of(to.lane())));
            }
            case Route.Drop drop -> {
                metrics.dropped(drop.reason());
                commitIf(ledger.record(decision.tenant(), ItemState.DROPPED));
                if (keepsTrail) {
                    leaveTrail(record, decision, drop, offset, nowMillis);
                }
            }
            case Route.DeadLetter dead -> bury(record, decision, dead, offset, nowMillis);
        }
    }

    private void bury(
            Record<byte[], byte[]> record, Decision decision, Route.DeadLetter dead, long offset, long nowMillis) {
        String tenant = owners.of(record.key(), record.value(), record.headers());
        Record<byte[], byte[]> letter = record.withHeaders(new RecordHeaders(record.headers()));
        Origin origin = toDeadLetter(letter.headers(), decision, offset);
        ItemHeaders.addDeadLetter(letter.headers(), dead, stage.label(), nowMillis, origin.topic(), origin.partition(),
                origin.offset());
        if (refusal(letter, Lane.DEAD_LETTER).isPresent()) {
            keep(record, tenant, offset, nowMillis);
            return;
        }
        forward(letter, Lane.DEAD_LETTER, PartitionedValue.ANY);
        metrics.deadLettered(dead.reason());
        ledger.record(LedgerOwner.of(dead.reason()), ItemState.DEAD_LETTER);
        commitIf(ledger.record(tenant, ItemState.DEAD_LETTER));
    }

    /** Moves a record to the delay lane as it is; it is due at once. */
    protected final void delay(Record<byte[], byte[]> record, String tenant, long nowMillis) {
        forward(record, Lane.DELAY, PartitionedValue.ANY);
        commitIf(ledger.record(tenant, ItemState.DELAY));
    }

    private Optional<String> refusal(Record<byte[], byte[]> record, Lane lane) {
        return limits.areLower()
                ? limits.refusal(topics.lane(lane), record.key(), record.value(), record.headers())
                : Optional.empty();
    }

    private void leaveTrail(
            Record<byte[], byte[]> record, Decision decision, Route.Drop drop, long offset, long nowMillis) {
        Origin origin = toDeadLetter(record.headers(), decision, offset);
        Headers headers = trail.headers(record.key(), record.value(), record.headers(), record.timestamp(),
                new String(origin.bytes(), StandardCharsets.ISO_8859_1),
                ItemHeaders.number(record.headers(), ItemHeaders.ATTEMPT).orElse(0));
        byte[] end = new TrailCodec.End(ItemState.DROPPED, drop.reason().label()).encode();
        context.forward(new Record<>(null, PartitionedValue.anywhere(end), nowMillis, headers), stage.trailSink());
    }

    private void forward(Record<byte[], byte[]> record, Lane lane, int partition) {
        context.forward(record.withValue(new PartitionedValue(record.value(), partition)), stage.sink(lane));
    }

    private void commitIf(boolean isLedgerFull) {
        if (isLedgerFull) {
            context.commit();
        }
    }
}
