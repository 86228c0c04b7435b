package io.spillway.router.delay;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.ledger.LedgerRecorder;
import io.spillway.router.route.Decider;
import io.spillway.router.route.Decision;
import io.spillway.router.route.PartitionedValue;
import io.spillway.router.route.RouteProcessor;
import io.spillway.router.route.RouterMetrics;
import io.spillway.router.stage.RunPacing;
import io.spillway.router.stage.SinkNames;
import io.spillway.router.stage.WakeUp;
import java.time.InstantSource;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;

/**
 * Processor of the delay stage: keeps each record of the delay lane until it is due, then forwards it to one lane or
 * drops it, as its {@link Decision} says. A record that is already due when it is read bypasses the store. Due times
 * therefore order only the records that one run takes from the store. Owner: one stream thread.
 */
public final class DelayProcessor implements Processor<byte[], byte[], byte[], PartitionedValue> {
    static final String STAGE = "delay";

    private final DelayReader reader;
    private final Decider decider;
    private final RouterMetrics metrics;
    private final DelayMetrics delays;
    private final int threads;
    private final InstantSource clock;
    private final String topic;
    private final LedgerRecorder recorder;
    private final LedgerOwner owners = new LedgerOwner();
    private LedgerRecorder.TaskLedger ledger = LedgerRecorder.TaskLedger.OFF;
    private ProcessorContext<byte[], PartitionedValue> context;
    private Timers timers;
    private WakeUp wakeUp;
    private long notBeforeMillis;

    /**
     * Creates the processor of one task.
     *
     * @param decider decides on due items
     * @param threads stream threads of this process
     * @param clock   measures how long a run takes; the current time comes from Kafka Streams
     * @param topics  has the name of the delay lane
     */
    public DelayProcessor(
            DelayReader reader, Decider decider, RouterMetrics metrics, DelayMetrics delays, int threads,
            InstantSource clock, Topics topics, LedgerRecorder recorder) {
        this.reader = reader;
        this.decider = decider;
        this.metrics = metrics;
        this.delays = delays;
        this.threads = threads;
        this.clock = clock;
        this.topic = topics.lane(Lane.DELAY);
        this.recorder = recorder;
    }

    /** Also called again on the same processor after Kafka Streams has restored a corrupted task. */
    @Override
    public void init(ProcessorContext<byte[], PartitionedValue> processorContext) {
        this.context = processorContext;
        this.timers = new Timers(processorContext.getStateStore(Topics.TIMER_STORE));
        this.wakeUp = new WakeUp(processorContext, this::onWakeUp);
        this.notBeforeMillis = 0;
        this.ledger.close();
        this.ledger = recorder.open(ItemState.DELAY);
        delays.started(timers);
        setWakeUp(processorContext.currentSystemTimeMs());
    }

    @Override
    public void close() {
        delays.stopped(timers);
        ledger.close();
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        long nowMillis = context.currentSystemTimeMs();
        RecordMetadata from = context.recordMetadata().orElseThrow();
        Origin position = new Origin(from.topic(), from.partition(), from.offset());
        switch (guarded(() -> reader.read(record, position, nowMillis), Arrival.Dead::new)) {
            case Arrival.Due due -> route(record, position, nowMillis);
            case Arrival.Dead dead -> toDeadLetter(record, position, dead.route(), nowMillis);
            case Arrival.Later later -> {
                if (later.wasClamped()) {
                    delays.clamped();
                }
                timers.put(later.dueMillis(), position.offset(), TimerCodec.encode(record));
                setWakeUp(nowMillis);
            }
        }
    }

    private void onWakeUp(long nowMillis) {
        long startMillis = clock.millis();
        if (timers.takeDue(nowMillis, (offset, timer) -> fire(offset, timer, nowMillis)) > 0) {
            notBeforeMillis = nowMillis + RunPacing.pauseMillis(clock.millis() - startMillis, delays.stages(), threads);
        }
        setWakeUp(nowMillis);
    }

    private void setWakeUp(long nowMillis) {
        if (timers.nextDueMillis() != Timers.NEVER) {
            wakeUp.set(Math.max(timers.nextDueMillis(), notBeforeMillis), nowMillis);
        }
    }

    private void fire(long offset, byte[] timer, long nowMillis) {
        Origin position = new Origin(topic, context.taskId().partition(), offset);
        Record<byte[], byte[]> record;
        try {
            record = TimerCodec.decode(timer);
        } catch (DamagedTimerException e) {
            metrics.ownError(e);
            Record<byte[], byte[]> raw = new Record<>(null, timer, nowMillis, new RecordHeaders());
            toDeadLetter(raw, position, new Route.DeadLetter(DeadReason.ROUTER_ERROR, e.getMessage()), nowMillis);
            return;
        }
        route(record, position, nowMillis);
    }

    /**
     * Makes an exception in Spillway itself a dead letter. Not used for the store and for forwarding, whose errors end
     * the task.
     */
    private <T> T guarded(Supplier<T> decision, Function<Route.DeadLetter, T> onError) {
        try {
            return decision.get();
        } catch (OutOfMemoryError e) {
            // Not caused by this record, which stays in the delay lane; the process must end.
            throw e;
        } catch (RuntimeException | Error e) {
            metrics.ownError(e);
            return onError.apply(new Route.DeadLetter(DeadReason.ROUTER_ERROR, e.toString()));
        }
    }

    private void route(Record<byte[], byte[]> record, Origin position, long nowMillis) {
        Decision decision = guarded(
                () -> decider.decide(record, nowMillis), dead -> Decision.unreadable(dead, true));
        switch (decision.route()) {
            case Route.ToLane to -> {
                toLane(record, to, decision);
                recordMove(decision.tenant(), ItemState.of(to.lane()));
            }
            case Route.Drop drop -> {
                metrics.dropped(drop.reason());
                recordMove(decision.tenant(), ItemState.DROPPED);
            }
            case Route.DeadLetter dead -> toDeadLetter(record, position, dead, nowMillis);
        }
    }

    private void toLane(Record<byte[], byte[]> record, Route.ToLane to, Decision decision) {
        Headers headers = record.headers();
        headers.remove(ItemHeaders.DUE);
        headers.remove(ItemHeaders.LANE_REASON);
        decision.correctEnqueuedAt(headers);
        headers.add(RouteProcessor.reasonHeader(to.reason()));
        context.forward(
                record.withValue(new PartitionedValue(record.value(), decision.partition())),
                SinkNames.ofDelay(to.lane()));
        metrics.routed(to);
    }

    private void toDeadLetter(Record<byte[], byte[]> record, Origin position, Route.DeadLetter dead, long nowMillis) {
        Headers headers = record.headers();
        String tenant = owners.of(record.key(), record.value(), headers);
        Origin origin = Origin.of(headers).orElse(position);
        ItemHeaders.removeDeadLetter(headers);
        ItemHeaders.addDeadLetter(headers, dead, STAGE, nowMillis, origin.topic(), origin.partition(), origin.offset());
        context.forward(record.withValue(PartitionedValue.anywhere(record.value())),
                SinkNames.ofDelay(Lane.DEAD_LETTER));
        metrics.deadLettered(dead.reason());
        recordMove(tenant, ItemState.DEAD_LETTER);
    }

    private void recordMove(String tenant, ItemState to) {
        if (ledger.record(tenant, to)) {
            context.commit();
        }
    }
}
