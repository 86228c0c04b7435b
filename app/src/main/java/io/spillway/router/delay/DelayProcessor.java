package io.spillway.router.delay;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.Lane;
import io.spillway.core.item.LaneReason;
import io.spillway.core.retry.RetryGate;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.LoweredLimits;
import io.spillway.router.ledger.CommitPacer;
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
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Processor of the delay stage: keeps each record of the delay lane until it is due, then forwards it. A record that is
 * already due when it is read bypasses the store. Due times therefore order only the records that one run takes from
 * the store.
 *
 * <p>A due item that is paused, and a retry that the retry budget refuses, are parked in the same store:
 * {@link DelayedRetries}. An item that reaches its end while it waits is passed on at once, and the routing rules make
 * it a dead letter.
 */
public final class DelayProcessor extends LaneProcessor {
    private static final Set<String> MEASURED_FROM_DUE =
            Set.of(LaneReason.LATER.label(), LaneReason.SCHEDULED.label());

    private static final long KEPT_MILLIS = 60_000;

    private final Topics topics;
    private final LoweredLimits limits;
    private final DelayReader reader;
    private final RetryRules rules;
    private final DelayMetrics delays;
    private final int threads;
    private final InstantSource clock;
    private Timers timers;
    private ParkedItems parked;
    private DelayedRetries retries;
    private Optional<AttemptMailboxes.Mailbox> mailbox = Optional.empty();
    private WakeUp wakeUp;
    private long notBeforeMillis;

    /**
     * Creates the processor of one task.
     *
     * @param decider decides on due items
     * @param rules   of retries
     * @param threads stream threads of this process
     * @param clock   measures how long a run takes; the current time comes from Kafka Streams
     */
    public DelayProcessor(
            Topics topics, LoweredLimits limits, DelayReader reader, Decider decider, RetryRules rules,
            RouterMetrics metrics, DelayMetrics delays, int threads, InstantSource clock, LedgerRecorder recorder,
            CommitPacer pacer) {
        super(LaneStage.DELAY, topics, limits, topics.lane(Lane.DELAY), decider, metrics, recorder, pacer);
        this.topics = topics;
        this.limits = limits;
        this.reader = reader;
        this.rules = rules;
        this.delays = delays;
        this.threads = threads;
        this.clock = clock;
    }

    @Override
    public void init(ProcessorContext<byte[], PartitionedValue> processorContext) {
        super.init(processorContext);
        stop();
        KeyValueStore<Bytes, byte[]> store = processorContext.getStateStore(Topics.TIMER_STORE);
        AttemptMailboxes.Mailbox opened = rules.mailboxes().open();
        mailbox = Optional.of(opened);
        timers = new Timers(store);
        parked = new ParkedItems(store, delays.parked());
        retries = new DelayedRetries(
                gate(processorContext.taskId().partition()), parked, timers, opened, rules.policies());
        wakeUp = new WakeUp(processorContext, this::onWakeUp);
        notBeforeMillis = 0;
        delays.started(timers);
        setWakeUp(processorContext.currentSystemTimeMs());
    }

    private RetryGate gate(int partition) {
        return new RetryGate(rules.settings(), partition, topics.partitions(), RetryGate.MAX_GROUPS);
    }

    @Override
    public void close() {
        stop();
        super.close();
    }

    private void stop() {
        mailbox.ifPresent(opened -> {
            rules.mailboxes().close(opened);
            delays.stopped(timers);
            parked.close();
        });
        mailbox = Optional.empty();
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        long nowMillis = context().currentSystemTimeMs();
        long offset = context().recordMetadata().orElseThrow().offset();
        switch (read(record, offset, nowMillis)) {
            case DelayReader.Arrival.Dead dead -> forward(record, dead.decision(), offset, nowMillis);
            case DelayReader.Arrival.Waits waits -> {
                if (waits.item().wasClamped()) {
                    delays.clamped();
                }
                place(record, waits.item(), offset, nowMillis);
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

    /** Keeps an item that is not due, parks one that is paused and a retry that is refused, and forwards all others. */
    private void place(Record<byte[], byte[]> record, DelayedItem item, long offset, long nowMillis) {
        Optional<String> refusal = !limits.areLower() ? Optional.empty() : limits.refusal(
                topics.timersChangelog(), null, TimerCodec.encode(record), new RecordHeaders());
        if (refusal.isPresent()) {
            forward(record, Decision.unreadable(new Route.DeadLetter(DeadReason.TOO_LARGE, refusal.get()), false),
                    offset, nowMillis);
            return;
        }
        long endMillis = rules.endMillis(item, nowMillis);
        long untilMillis = Math.min(item.dueMillis(), endMillis);
        if (untilMillis > nowMillis) {
            timers.put(untilMillis, offset, TimerCodec.encode(record));
        } else if (endMillis <= nowMillis) {
            route(record, offset, nowMillis);
        } else if (!retries.hold(item, endMillis, offset, () -> TimerCodec.encode(record), nowMillis)) {
            placeDue(record, item, endMillis, offset, nowMillis);
        }
    }

    private void placeDue(
            Record<byte[], byte[]> record, DelayedItem item, long endMillis, long offset, long nowMillis) {
        if (!item.isRetry()) {
            route(record, offset, nowMillis);
        } else if (retries.mayGo(item, nowMillis)) {
            routeGranted(record, offset, nowMillis);
        } else {
            retries.park(item, endMillis, offset, TimerCodec.encode(record));
        }
    }

    /** Routes a retry with the number of this partition: the gate is to learn how the attempt ends. */
    private void routeGranted(Record<byte[], byte[]> record, long offset, long nowMillis) {
        byte[] partition = Integer.toString(context().taskId().partition()).getBytes(StandardCharsets.US_ASCII);
        record.headers().remove(ItemHeaders.GRANTED_BY).add(ItemHeaders.GRANTED_BY, partition);
        route(record, offset, nowMillis);
    }

    private void onWakeUp(long nowMillis) {
        long startMillis = clock.millis();
        // Before the timers, because older retries go first.
        int taken = nowMillis < retries.nextRunMillis(nowMillis) ? 0 : retries.run(new Parked(nowMillis), nowMillis);
        taken += timers.takeDue(nowMillis, (offset, timer) -> due(offset, timer, nowMillis));
        if (taken > 0) {
            notBeforeMillis = nowMillis + RunPacing.pauseMillis(clock.millis() - startMillis, delays.stages(), threads);
        }
        setWakeUp(nowMillis);
    }

    private void setWakeUp(long nowMillis) {
        long nextMillis = Math.min(timers.nextDueMillis(), retries.nextRunMillis(nowMillis));
        if (nextMillis != Timers.NEVER) {
            wakeUp.set(Math.max(nextMillis, notBeforeMillis), nowMillis);
        }
    }

    /** Takes a due timer. It waits on if its end is the reason, and the policy has changed since it was stored. */
    private void due(long offset, byte[] timer, long nowMillis) {
        decode(timer, offset, nowMillis).ifPresent(record -> {
            Optional<DelayedItem> item = readAgain(record, nowMillis);
            if (item.isPresent()) {
                place(record, item.get(), offset, nowMillis);
            } else {
                route(record, offset, nowMillis);
            }
        });
    }

    /**
     * Returns the record of a stored item; a damaged one is forwarded as it is, as a dead letter.
     *
     * @throws LaterTimerException if a later release wrote it, which ends the task: the item is in order
     */
    private Optional<Record<byte[], byte[]>> decode(byte[] stored, long offset, long nowMillis) {
        try {
            return Optional.of(TimerCodec.decode(stored));
        } catch (LaterTimerException e) {
            throw e;
        } catch (DamagedTimerException e) {
            Record<byte[], byte[]> raw = new Record<>(null, stored, nowMillis, new RecordHeaders());
            forward(raw, ownError(e, e.getMessage()), offset, nowMillis);
            return Optional.empty();
        }
    }

    /** Returns what the stage needs to know of a stored item; empty if the decider has to dead-letter it. */
    private Optional<DelayedItem> readAgain(Record<byte[], byte[]> record, long nowMillis) {
        try {
            return reader.readAgain(record, nowMillis);
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    /** What happens to parked items at a time. */
    private final class Parked implements DelayedRetries.Handler {
        private final long nowMillis;

        Parked(long nowMillis) {
            this.nowMillis = nowMillis;
        }

        @Override
        public Optional<DelayedItem> read(byte[] item) {
            try {
                return readAgain(TimerCodec.decode(item), nowMillis);
            } catch (DamagedTimerException e) {
                return Optional.empty();
            }
        }

        @Override
        public boolean paid(long offset, byte[] value) {
            Optional<Record<byte[], byte[]>> record = decode(value, offset, nowMillis);
            Optional<DelayedItem> item = record.flatMap(decoded -> readAgain(decoded, nowMillis));
            if (item.isPresent() && retries.hold(
                    item.get(), rules.endMillis(item.get(), nowMillis), offset, () -> value, nowMillis)) {
                return false;
            }
            record.ifPresent(granted -> routeGranted(granted, offset, nowMillis));
            return true;
        }

        @Override
        public void over(long offset, byte[] item) {
            due(offset, item, nowMillis);
        }
    }

    @Override
    protected void setLaneHeaders(Headers headers, Route.ToLane to, Decision decision, long offset) {
        // An item that its handler or producer put off keeps it: the worker measures from then how long it waits. So
        // does one that is paused at this moment.
        boolean isMeasuredFromDue =
                ItemHeaders.text(headers, ItemHeaders.LANE_REASON).filter(MEASURED_FROM_DUE::contains).isPresent();
        if (to.lane() != Lane.DELAY && !isMeasuredFromDue) {
            headers.remove(ItemHeaders.DUE);
        }
        headers.remove(ItemHeaders.LANE_REASON);
        decision.correctEnqueuedAt(headers);
        headers.add(RouteProcessor.reasonHeader(to.reason()));
    }

    /** Without a round through Kafka, which would be endless. */
    @Override
    protected void keep(Record<byte[], byte[]> record, String tenant, long offset, long nowMillis) {
        timers.put(nowMillis + KEPT_MILLIS, offset, TimerCodec.encode(record));
        setWakeUp(nowMillis);
    }

    @Override
    protected Origin toDeadLetter(Headers headers, Decision decision, long offset) {
        Origin origin = Origin.of(headers).orElse(position(offset));
        ItemHeaders.removeDeadLetter(headers);
        headers.remove(ItemHeaders.GRANTED_BY);
        return origin;
    }
}
