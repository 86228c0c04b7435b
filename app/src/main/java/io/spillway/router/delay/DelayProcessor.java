package io.spillway.router.delay;

import io.spillway.core.delay.DelayStage;
import io.spillway.core.delay.DelayedItem;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.RetryGate;
import io.spillway.core.retry.RetrySettings;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.Route;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.ClaimResult;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.Origin;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.codec.Turn;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.route.Decider;
import io.spillway.router.route.Decision;
import io.spillway.router.route.LaneForwarder;
import io.spillway.router.route.LaneServices;
import io.spillway.router.route.PartitionedValue;
import io.spillway.router.route.Sequenced;
import io.spillway.router.stage.LaneStage;
import io.spillway.router.stage.RunPacing;
import io.spillway.router.stage.WakeUp;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processor of the delay stage: keeps each record of the delay lane in the timer store as long as {@link DelayStage}
 * decides, then routes it. A record that is due when it is read bypasses the store. Due times therefore order only the
 * records that one run takes from the store.
 *
 * <p>After an aborted transaction Kafka Streams starts the task again, with a new stage and what the store has.
 */
public final class DelayProcessor implements Processor<byte[], byte[], byte[], PartitionedValue> {
    private static final Logger LOG = LoggerFactory.getLogger(DelayProcessor.class);
    private static final long KEPT_MILLIS = 60_000;

    private final LaneServices services;
    private final DelayReader reader;
    private final Decider decider;
    private final Rules rules;
    private final DelayMetrics delays;
    private final int threads;
    private final InstantSource clock;
    private ProcessorContext<byte[], PartitionedValue> context;
    private DueHeaders headers;
    private LaneForwarder forwarder;
    private DelayStorage storage;
    private DelayStage<DelayRecord> stage;
    private Sequencer sequencer;
    private Optional<AttemptMailboxes.Mailbox> mailbox = Optional.empty();
    private WakeUp wakeUp;
    private long notBeforeMillis;

    /**
     * What the delay stages of a process share.
     *
     * @param settings  of the retry budgets
     * @param policies  returns the policy in force of a tenant's items with a workload
     * @param mailboxes pass the workers' reports to the stages
     */
    public record Rules(
            RetrySettings settings, BiFunction<String, String, TenantPolicy> policies, ItemEnds ends,
            AttemptMailboxes mailboxes) {}

    /**
     * Creates the processor of one task.
     *
     * @param decider decides on due items
     * @param threads stream threads of this process
     * @param clock   measures how long a run takes; the current time comes from Kafka Streams
     */
    public DelayProcessor(
            LaneServices services, DelayReader reader, Decider decider, Rules rules, DelayMetrics delays, int threads,
            InstantSource clock) {
        this.services = services;
        this.reader = reader;
        this.decider = decider;
        this.rules = rules;
        this.delays = delays;
        this.threads = threads;
        this.clock = clock;
    }

    /** Also called again on the same processor after Kafka Streams has restored a corrupted task. */
    @Override
    public void init(ProcessorContext<byte[], PartitionedValue> processorContext) {
        close();
        context = processorContext;
        int partition = context.taskId().partition();
        headers = new DueHeaders(new Origin(services.topics().lane(Lane.DELAY), partition, 0));
        forwarder = new LaneForwarder(LaneStage.DELAY, services, headers, context);
        storage = new DelayStorage(
                context.getStateStore(Topics.TIMER_STORE), delays.parked(), this::readAgain, this::claimDue);
        stage = new DelayStage<>(
                storage,
                new RetryGate(rules.settings(), partition, services.topics().partitions(), RetryGate.MAX_GROUPS),
                rules.ends(), rules.policies());
        sequencer = new Sequencer(context.getStateStore(Topics.TIMER_STORE), partition,
                tenant -> rules.policies().apply(tenant, ""), delays, new Exit());
        mailbox = Optional.of(rules.mailboxes().open());
        wakeUp = new WakeUp(context, this::onWakeUp);
        notBeforeMillis = 0;
        delays.started(storage.timers);
        setWakeUp(context.currentSystemTimeMs());
    }

    @Override
    public void close() {
        mailbox.ifPresent(opened -> {
            rules.mailboxes().close(opened);
            delays.stopped(storage.timers);
            storage.parked.close();
            sequencer.close();
            forwarder.close();
        });
        mailbox = Optional.empty();
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        long nowMillis = context.currentSystemTimeMs();
        DelayRecord item = DelayRecord.of(record, context.recordMetadata().orElseThrow().offset());
        if (ClaimResult.isIn(record.headers()) && Origin.of(record.headers()).isPresent()) {
            settle(item, nowMillis);
            setWakeUp(nowMillis);
        } else if (Turn.isNotice(record.headers()) && Origin.of(record.headers()).isPresent()) {
            sequencer.told(record.headers(), nowMillis);
            setWakeUp(nowMillis);
        } else {
            arrive(item, nowMillis);
        }
    }

    private void arrive(DelayRecord item, long nowMillis) {
        Record<byte[], byte[]> record = item.record();
        switch (read(item, nowMillis)) {
            case DelayReader.Arrival.Dead dead -> forward(item, dead.decision(), nowMillis);
            case DelayReader.Arrival.Waits waits -> {
                if (waits.wasClamped()) {
                    delays.clamped();
                }
                tellStage(nowMillis);
                if (item.claim().isPresent()) {
                    // Even if it is due: its result may have been written before.
                    storage.claims.put(item.claim().get(), waits.item().times().dueMillis(), item.offset(),
                            TimerCodec.encode(record));
                } else if (refusal(record).isPresent()
                        || item.waitsForTurn(waits.item().times().dueMillis(), nowMillis)) {
                    leave(new DelayStage.Leaving<>(item, false), nowMillis);
                } else {
                    stage.place(item, waits.item(), nowMillis).ifPresent(leaving -> leave(leaving, nowMillis));
                }
                setWakeUp(nowMillis);
            }
        }
    }

    /**
     * Asks whether a claim has ended, by a record of this partition: what its worker has written in time is read
     * before that. If the record is lost, it asks again.
     */
    private void claimDue(DelayRecord item) {
        long againMillis = context.currentSystemTimeMs() + KEPT_MILLIS;
        storage.claims.put(item.claim().orElseThrow(), againMillis, item.offset(), TimerCodec.encode(item.record()));
        forwarder.again(ClaimRecords.expiry(item, againMillis), context.taskId().partition());
    }

    /** Carries out what a record says about a claimed item. */
    private void settle(DelayRecord notice, long nowMillis) {
        Headers said = notice.record().headers();
        String claim = notice.claim().orElse("");
        long dueMillis = ItemHeaders.number(said, ItemHeaders.DUE).orElse(0);
        Optional<ClaimResult> result = ClaimResult.of(said);
        if (result.filter(ClaimResult.EXPIRED::equals).isPresent() && !storage.claims.isDueAt(claim, dueMillis)) {
            // Its lease was extended, or its attempt has ended.
            return;
        }
        boolean isThere = result.isPresent() && (result.get() == ClaimResult.RENEWED
                ? storage.claims.move(claim, dueMillis)
                : storage.claims.take(claim).map(item -> settle(item, notice, result.get(), nowMillis)).isPresent());
        if (isThere) {
            delays.settled(result.get());
        } else {
            delays.refused();
            LOG.warn("The result {} of claim {} is refused: the item is settled already, or its lease has ended and it is"
                    + " attempted again", Printable.of(ItemHeaders.text(said, ItemHeaders.CLAIM_RESULT).orElse("")),
                    Printable.of(claim));
        }
    }

    private DelayRecord settle(DelayRecord item, DelayRecord notice, ClaimResult result, long nowMillis) {
        if (item.damage().isPresent()) {
            leave(new DelayStage.Leaving<>(item, false), nowMillis);
            return item;
        }
        switch (result) {
            case DONE -> forwarder.done(ClaimRecords.done(notice, item), nowMillis);
            case DEAD -> {
                if (!forwarder.deadLetter(ClaimRecords.with(notice, item).record(), nowMillis)) {
                    storage.addTimer(nowMillis + KEPT_MILLIS, ClaimRecords.free(item, false, nowMillis));
                }
            }
            case DELAYED -> {
                DelayRecord failed = ClaimRecords.with(notice, item);
                forwarder.waits(failed.record(), nowMillis);
                arrive(failed, nowMillis);
            }
            case RELEASED, EXPIRED -> {
                DelayRecord free = ClaimRecords.free(item, result == ClaimResult.EXPIRED, nowMillis);
                forwarder.waits(free.record(), nowMillis);
                arrive(free, nowMillis);
            }
            case RENEWED -> throw new IllegalStateException(result + ": does not end a claim");
        }
        return item;
    }

    private DelayReader.Arrival read(DelayRecord item, long nowMillis) {
        try {
            return reader.read(item.record(), headers.first().at(item.offset()), nowMillis);
        } catch (RuntimeException | Error e) {
            return new DelayReader.Arrival.Dead(forwarder.ownError(e, e.toString()));
        }
    }

    /** Returns what the stage needs to know of a stored item; empty if the decider has to dead-letter it. */
    private Optional<DelayedItem> readAgain(DelayRecord item, long nowMillis) {
        try {
            return refusal(item.record()).isPresent()
                    ? Optional.empty() : reader.readAgain(item.record(), nowMillis);
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    private void onWakeUp(long nowMillis) {
        long startMillis = clock.millis();
        tellStage(nowMillis);
        List<DelayStage.Leaving<DelayRecord>> leaving = new ArrayList<>();
        storage.restore(stage, nowMillis).forEach(item -> leaving.add(new DelayStage.Leaving<>(item, false)));
        leaving.addAll(stage.run(nowMillis));
        leaving.forEach(item -> leave(item, nowMillis));
        if (sequencer.nextRunMillis(nowMillis) <= nowMillis) {
            sequencer.run(nowMillis);
        }
        if (!leaving.isEmpty()) {
            notBeforeMillis = nowMillis + RunPacing.pauseMillis(clock.millis() - startMillis, delays.stages(), threads);
        }
        setWakeUp(nowMillis);
    }

    private void tellStage(long nowMillis) {
        mailbox.orElseThrow().drain().forEach(report -> stage.counted(report, nowMillis));
    }

    private void setWakeUp(long nowMillis) {
        long nextMillis = Math.min(Math.min(stage.nextRunMillis(nowMillis), sequencer.nextRunMillis(nowMillis)),
                storage.parked.isCounted() ? Timers.NEVER : nowMillis + DelayStage.BUSY_PERIOD_MILLIS);
        if (nextMillis != Timers.NEVER) {
            wakeUp.set(Math.max(nextMillis, notBeforeMillis), nowMillis);
        }
    }

    /** Routes an item that leaves. A granted one gets the number of this partition: its gate learns how it ends. */
    private void leave(DelayStage.Leaving<DelayRecord> leaving, long nowMillis) {
        DelayRecord item = leaving.item();
        Record<byte[], byte[]> record = item.record();
        if (item.damage().isPresent()) {
            forward(item, decide(item, nowMillis), nowMillis);
            return;
        }
        Optional<String> refusal = leaving.isGranted() ? Optional.empty() : refusal(record);
        if (refusal.isPresent()) {
            forward(item, Decision.unreadable(new Route.DeadLetter(DeadReason.TOO_LARGE, refusal.get()), false),
                    nowMillis);
            return;
        }
        if (leaving.isGranted()) {
            byte[] partition = Integer.toString(context.taskId().partition()).getBytes(StandardCharsets.US_ASCII);
            record.headers().remove(ItemHeaders.GRANTED_BY).add(ItemHeaders.GRANTED_BY, partition);
        }
        Optional<ParsedRecord.Item> inTurn =
                Sequenced.isInTurn(record.headers()) ? reader.item(record) : Optional.empty();
        if (inTurn.isPresent()) {
            sequencer.arrive(item, inTurn.get(), nowMillis);
        } else {
            forward(item, decide(item, nowMillis), nowMillis);
        }
    }

    private Decision decide(DelayRecord item, long nowMillis) {
        return item.damage().map(damage -> forwarder.ownError(damage, damage.getMessage()))
                .orElseGet(() -> forwarder.decide(decider, item.record(), nowMillis));
    }

    /** Where items go when their turn has come. */
    private final class Exit implements Sequencer.Exit {
        @Override
        public Decision decide(DelayRecord item, long nowMillis) {
            return DelayProcessor.this.decide(item, nowMillis);
        }

        @Override
        public void forward(DelayRecord item, Decision decision, long nowMillis) {
            DelayProcessor.this.forward(item, decision, nowMillis);
        }

        @Override
        public void waits(DelayRecord item, long nowMillis) {
            forwarder.waits(item.record(), nowMillis);
        }
    }

    /**
     * Forwards an item. One that the dead-letter lane refuses waits here, as a round through Kafka would be endless,
     * and so does one with more deliveries.
     */
    private void forward(DelayRecord leaving, Decision decision, long nowMillis) {
        DelayRecord item = leaving.damage().isEmpty() ? leaving : new DelayRecord(
                leaving.record().withTimestamp(nowMillis), leaving.offset(), leaving.damage(), leaving.parkedKey());
        long keptMillis = forwarder.forward(item.record(), decision, item.offset(), nowMillis);
        if (keptMillis > 0) {
            storage.addTimer(nowMillis + keptMillis, item);
            setWakeUp(nowMillis);
        }
    }

    /** Returns why the timers' changelog does not take a record at the moment; empty if it does. */
    private Optional<String> refusal(Record<byte[], byte[]> record) {
        return !services.limits().areLower() ? Optional.empty() : services.limits().refusal(
                services.topics().timersChangelog(), null, TimerCodec.encode(record), new RecordHeaders());
    }
}
