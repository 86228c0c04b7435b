package io.spillway.router.delay;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.DeadLetterHeaders;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.RouterTopology;
import io.spillway.router.ledger.LedgerRecorder;
import io.spillway.router.route.Decider;
import io.spillway.router.route.Decision;
import io.spillway.router.route.PartitionedValue;
import io.spillway.router.route.RouteProcessor;
import io.spillway.router.route.RouterMetrics;
import io.spillway.router.stage.RunPacing;
import io.spillway.router.stage.WakeUp;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Keeps each record of the delay lane until it is due and then carries out the decision on it: one forward to one lane,
 * or none. What is due when it is read goes on at once, without a way through the store; so due times order what one
 * run takes out of the store, and nothing beyond that. Owned by one stream thread.
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
    private final LedgerRecorder bookkeeping;
    private final LedgerOwner owners = new LedgerOwner();
    private LedgerRecorder.Book book = LedgerRecorder.Book.OFF;
    private ProcessorContext<byte[], PartitionedValue> context;
    private Timers timers;
    private WakeUp alarm;
    private long notBeforeMillis;

    /**
     * Makes the processor of one task.
     *
     * @param decider on what is due
     * @param threads stream threads of this process
     * @param clock   for how long a run takes; what time it is comes from Kafka Streams
     * @param topics  for the name of the delay lane
     */
    public DelayProcessor(
            DelayReader reader, Decider decider, RouterMetrics metrics, DelayMetrics delays, int threads,
            InstantSource clock, Topics topics, LedgerRecorder bookkeeping) {
        this.reader = reader;
        this.decider = decider;
        this.metrics = metrics;
        this.delays = delays;
        this.threads = threads;
        this.clock = clock;
        this.topic = topics.lane(Lane.DELAY);
        this.bookkeeping = bookkeeping;
    }

    /** Also called again on the same processor, after its task was found corrupted and its store was restored. */
    @Override
    public void init(ProcessorContext<byte[], PartitionedValue> processorContext) {
        this.context = processorContext;
        this.timers = new Timers(processorContext.getStateStore(Topics.TIMER_STORE));
        this.alarm = new WakeUp(processorContext, this::onAlarm);
        this.notBeforeMillis = 0;
        this.book.close();
        this.book = bookkeeping.open(ItemState.DELAY);
        delays.started(timers);
        setAlarm(processorContext.currentSystemTimeMs());
    }

    @Override
    public void close() {
        delays.stopped(timers);
        book.close();
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        long nowMillis = context.currentSystemTimeMs();
        Origin place = place();
        switch (guarded(() -> reader.read(record, place, nowMillis), Arrival.Dead::new)) {
            case Arrival.Due due -> route(record, place, nowMillis);
            case Arrival.Dead dead -> toDeadLetter(record, place, dead.route(), nowMillis);
            case Arrival.Later later -> {
                if (later.wasClamped()) {
                    delays.clamped();
                }
                timers.put(later.dueMillis(), place.offset(), TimerCodec.encode(record));
                setAlarm(nowMillis);
            }
        }
    }

    private void onAlarm(long nowMillis) {
        long beganMillis = clock.millis();
        if (timers.takeDue(nowMillis, (offset, timer) -> ring(offset, timer, nowMillis)) > 0) {
            notBeforeMillis = nowMillis + RunPacing.pauseMillis(clock.millis() - beganMillis, delays.stages(), threads);
        }
        setAlarm(nowMillis);
    }

    private void setAlarm(long nowMillis) {
        if (timers.nextDueMillis() != Timers.NEVER) {
            alarm.set(Math.max(timers.nextDueMillis(), notBeforeMillis), nowMillis);
        }
    }

    private void ring(long offset, byte[] timer, long nowMillis) {
        Origin place = new Origin(topic, context.taskId().partition(), offset);
        Record<byte[], byte[]> record;
        try {
            record = TimerCodec.decode(timer);
        } catch (DamagedTimerException e) {
            metrics.ownError(e);
            Record<byte[], byte[]> raw = new Record<>(null, timer, nowMillis, new RecordHeaders());
            toDeadLetter(raw, place, new Route.DeadLetter(DeadReason.ROUTER_ERROR, e.getMessage()), nowMillis);
            return;
        }
        route(record, place, nowMillis);
    }

    /** What our own code throws is a dead letter. Not for the store and not for forwarding: what they throw ends the task. */
    private <T> T guarded(Supplier<T> decision, Function<Route.DeadLetter, T> onError) {
        try {
            return decision.get();
        } catch (OutOfMemoryError e) {
            // Says nothing about this record; the process must go, and the record stays where it is.
            throw e;
        } catch (RuntimeException | Error e) {
            metrics.ownError(e);
            return onError.apply(new Route.DeadLetter(DeadReason.ROUTER_ERROR, e.toString()));
        }
    }

    private void route(Record<byte[], byte[]> record, Origin place, long nowMillis) {
        Decision decision = guarded(
                () -> decider.decide(record, nowMillis), dead -> Decision.unreadable(dead, true));
        switch (decision.route()) {
            case Route.ToLane to -> {
                toLane(record, to, decision);
                book(decision.tenant(), ItemState.of(to.lane()));
            }
            case Route.Drop drop -> {
                metrics.dropped(drop.reason());
                book(decision.tenant(), ItemState.DROPPED);
            }
            case Route.DeadLetter dead -> toDeadLetter(record, place, dead, nowMillis);
        }
    }

    private void toLane(Record<byte[], byte[]> record, Route.ToLane to, Decision decision) {
        Headers headers = record.headers();
        headers.remove(ItemHeaders.DUE);
        headers.remove(ItemHeaders.LANE_REASON);
        if (decision.correctedAtMillis() != Decision.AS_IT_IS) {
            headers.remove(ItemHeaders.ENQUEUED_AT);
            headers.add(
                    ItemHeaders.ENQUEUED_AT,
                    Long.toString(decision.correctedAtMillis()).getBytes(StandardCharsets.ISO_8859_1));
        }
        headers.add(RouteProcessor.reasonHeader(to.reason()));
        context.forward(record.withValue(new PartitionedValue(record.value(), decision.partition())), RouterTopology.dueSinkOf(to.lane()));
        metrics.routed(to);
    }

    private void toDeadLetter(Record<byte[], byte[]> record, Origin place, Route.DeadLetter dead, long nowMillis) {
        Headers headers = record.headers();
        String tenant = owners.of(record.key(), record.value(), headers);
        Origin origin = Origin.of(headers).orElse(place);
        ItemHeaders.removeDeadLetter(headers);
        DeadLetterHeaders.add(headers, dead, STAGE, nowMillis, origin.topic(), origin.partition(), origin.offset());
        context.forward(record.withValue(PartitionedValue.anywhere(record.value())), RouterTopology.dueSinkOf(Lane.DEAD_LETTER));
        metrics.deadLettered(dead.reason());
        book(tenant, ItemState.DEAD_LETTER);
    }

    private void book(String tenant, ItemState to) {
        if (book.book(tenant, to)) {
            context.commit();
        }
    }

    private Origin place() {
        var from = context.recordMetadata()
                .orElseThrow(() -> new IllegalStateException("a record from a source always has its place"));
        return new Origin(from.topic(), from.partition(), from.offset());
    }
}
