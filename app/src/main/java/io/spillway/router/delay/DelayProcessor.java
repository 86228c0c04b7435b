package io.spillway.router.delay;

import io.spillway.core.item.Lane;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.ledger.LedgerRecorder;
import io.spillway.router.route.Decider;
import io.spillway.router.route.Decision;
import io.spillway.router.route.LaneProcessor;
import io.spillway.router.route.PartitionedValue;
import io.spillway.router.route.RouteProcessor;
import io.spillway.router.route.RouterMetrics;
import io.spillway.router.stage.LaneStage;
import io.spillway.router.stage.RunPacing;
import io.spillway.router.stage.WakeUp;
import java.time.InstantSource;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Processor of the delay stage: keeps each record of the delay lane until it is due, then forwards it. A record that is
 * already due when it is read bypasses the store. Due times therefore order only the records that one run takes from
 * the store.
 */
public final class DelayProcessor extends LaneProcessor {
    private final DelayReader reader;
    private final DelayMetrics delays;
    private final int threads;
    private final InstantSource clock;
    private Timers timers;
    private WakeUp wakeUp;
    private long notBeforeMillis;

    /**
     * Creates the processor of one task.
     *
     * @param decider decides on due items
     * @param threads stream threads of this process
     * @param clock   measures how long a run takes; the current time comes from Kafka Streams
     */
    public DelayProcessor(
            Topics topics, DelayReader reader, Decider decider, RouterMetrics metrics, DelayMetrics delays, int threads,
            InstantSource clock, LedgerRecorder recorder) {
        super(LaneStage.DELAY, topics, topics.lane(Lane.DELAY), decider, metrics, recorder);
        this.reader = reader;
        this.delays = delays;
        this.threads = threads;
        this.clock = clock;
    }

    @Override
    public void init(ProcessorContext<byte[], PartitionedValue> processorContext) {
        super.init(processorContext);
        timers = new Timers(processorContext.getStateStore(Topics.TIMER_STORE));
        wakeUp = new WakeUp(processorContext, this::onWakeUp);
        notBeforeMillis = 0;
        delays.started(timers);
        setWakeUp(processorContext.currentSystemTimeMs());
    }

    @Override
    public void close() {
        delays.stopped(timers);
        super.close();
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        long nowMillis = context().currentSystemTimeMs();
        long offset = context().recordMetadata().orElseThrow().offset();
        switch (read(record, offset, nowMillis)) {
            case DelayReader.Arrival.Dead dead -> forward(record, dead.decision(), offset, nowMillis);
            case DelayReader.Arrival.Due due when due.dueMillis() <= nowMillis -> route(record, offset, nowMillis);
            case DelayReader.Arrival.Due due -> {
                if (due.wasClamped()) {
                    delays.clamped();
                }
                timers.put(due.dueMillis(), offset, TimerCodec.encode(record));
                setWakeUp(nowMillis);
            }
        }
    }

    private DelayReader.Arrival read(Record<byte[], byte[]> record, long offset, long nowMillis) {
        try {
            return reader.read(record, position(offset), nowMillis);
        } catch (RuntimeException | Error e) {
            return new DelayReader.Arrival.Dead(ownError(e, e.toString()));
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
        Record<byte[], byte[]> record;
        try {
            record = TimerCodec.decode(timer);
        } catch (DamagedTimerException e) {
            Record<byte[], byte[]> raw = new Record<>(null, timer, nowMillis, new RecordHeaders());
            forward(raw, ownError(e, e.getMessage()), offset, nowMillis);
            return;
        }
        route(record, offset, nowMillis);
    }

    @Override
    protected void setLaneHeaders(Headers headers, Route.ToLane to, Decision decision, long offset) {
        headers.remove(ItemHeaders.DUE);
        headers.remove(ItemHeaders.LANE_REASON);
        decision.correctEnqueuedAt(headers);
        headers.add(RouteProcessor.reasonHeader(to.reason()));
    }

    @Override
    protected Origin toDeadLetter(Headers headers, Decision decision, long offset) {
        Origin origin = Origin.of(headers).orElse(position(offset));
        ItemHeaders.removeDeadLetter(headers);
        return origin;
    }
}
