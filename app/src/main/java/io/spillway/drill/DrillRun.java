package io.spillway.drill;

import io.spillway.audit.Census;
import io.spillway.audit.StoredItem;
import io.spillway.cli.terminal.PeriodicNote;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Depths;
import io.spillway.producer.ItemBuilder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A drill on the running system: sends its items, and watches what becomes of them. Owner: the thread of
 * {@link #run}. Bound: a sample a second, and the ages of the drill's items.
 */
public final class DrillRun {
    private static final long TICK_MILLIS = 10;
    private static final long SAMPLE_MILLIS = 1_000;
    private static final long NOTE_MILLIS = 5_000;
    /** Most items that are sent before the next look at the signal. */
    private static final int MOST_AT_ONCE = 10_000;

    private final DrillPlan plan;
    private final Configuration configuration;
    private final Depths depths;
    private final InstantSource clock;
    private final Topics topics;
    private final KafkaClients clients;
    private final Map<String, TenantBalance> before = new HashMap<>();
    private final Map<String, Long> sent = new HashMap<>();
    private final List<DrillResult.Sample> samples = new ArrayList<>();
    private final Set<String> workersSeen = new HashSet<>();
    private Set<String> workers = Set.of();
    private final AtomicReference<Exception> firstFailure = new AtomicReference<>();
    private long startMillis;

    /**
     * Creates a drill that has sent nothing yet.
     *
     * @param depths of the system, followed by the caller
     */
    public DrillRun(DrillPlan plan, Configuration configuration, Depths depths, InstantSource clock) {
        this.plan = plan;
        this.configuration = configuration;
        this.depths = depths;
        this.clock = clock;
        this.topics = new Topics(configuration.queue());
        this.clients = new KafkaClients(configuration.queue());
        plan.traffic().forEach(each -> before.put(each.tenant(), balance(each.tenant())));
    }

    /**
     * Sends the items, and waits until all have ended, the limit is over or a signal stops it.
     *
     * @param limitMillis longest time after the last item
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster does not answer
     */
    public DrillResult run(long limitMillis, StopSignal stop, Printer printer) {
        startMillis = clock.millis();
        PeriodicNote note = new PeriodicNote(clock, NOTE_MILLIS, printer::note);
        long lastMillis = plan.durationMillis() + limitMillis;
        try (Producer<byte[], byte[]> producer = clients.producer(); Admin admin = clients.admin()) {
            QueueAdmin queues = new QueueAdmin(admin, clients.commands());
            long sampleMillis = 0;
            for (long elapsed = 0; elapsed < lastMillis && !stop.isStopped() && !isOver(elapsed);
                    elapsed = clock.millis() - startMillis) {
                send(producer, elapsed);
                if (elapsed >= sampleMillis) {
                    sampleMillis = elapsed + SAMPLE_MILLIS;
                    sample(queues, elapsed, printer);
                    note.offer(this::state);
                }
                stop.pause(TICK_MILLIS);
            }
            producer.flush();
            sample(queues, clock.millis() - startMillis, printer);
        }
        return result();
    }

    /** Returns what the first item that Kafka did not store failed with; empty if it stored all. */
    public Optional<Exception> failure() {
        return Optional.ofNullable(firstFailure.get());
    }

    private boolean isOver(long elapsedMillis) {
        return firstFailure.get() != null || elapsedMillis > plan.durationMillis() && unfinished() == 0;
    }

    private void send(Producer<byte[], byte[]> producer, long elapsedMillis) {
        for (DrillPlan.Traffic traffic : plan.traffic()) {
            long first = sent.getOrDefault(traffic.tenant(), 0L);
            long due = Math.min(plan.due(traffic, elapsedMillis), first + MOST_AT_ONCE);
            byte[] drill = plan.drill(traffic, startMillis).toString().getBytes(StandardCharsets.US_ASCII);
            for (long number = first; number < due; number++) {
                ProducerRecord<byte[], byte[]> item = ItemBuilder.of(traffic.tenant())
                        .id(idStart() + number).enqueuedAt(Instant.ofEpochMilli(clock.millis()))
                        .workload("drill").toRecord(topics.ingress());
                item.headers().add(ItemHeaders.DRILL, drill);
                producer.send(item, (stored, failure) -> {
                    if (failure != null) {
                        firstFailure.compareAndSet(null, failure);
                    }
                });
            }
            sent.put(traffic.tenant(), Math.max(first, due));
        }
    }

    /** Returns what the ids of this drill begin with. */
    private String idStart() {
        return "drill-" + startMillis + "-";
    }

    private void sample(QueueAdmin queues, long elapsedMillis, Printer printer) {
        long others = ItemState.WAITING.stream().mapToLong(depths::in).sum()
                - plan.traffic().stream().mapToLong(each -> balance(each.tenant()).waiting()).sum();
        samples.add(new DrillResult.Sample(elapsedMillis, unfinished() + Math.max(0, others)));
        try {
            workers = queues.members(topics.workerGroup()).stream()
                    .map(member -> member.groupInstanceId().orElseGet(member::consumerId)).collect(Collectors.toSet());
            workersSeen.addAll(workers);
        } catch (KafkaFailure e) {
            // What the drill is for may be what the cluster does not answer for.
            printer.note("The workers cannot be counted now: " + e.getMessage());
        }
    }

    private String state() {
        DrillResult.Sample last = samples.getLast();
        return String.format(Locale.ROOT, "%3d s of %d s: %,d items sent, %,d not finished, %s",
                last.atMillis() / 1_000, plan.durationMillis() / 1_000,
                sent.values().stream().mapToLong(Long::longValue).sum(), last.unfinished(),
                Printer.count(workers.size(), "worker"));
    }

    private long unfinished() {
        return plan.traffic().stream().mapToLong(each -> ends(each.tenant()).unfinished()).sum();
    }

    private DrillResult.Ends ends(String tenant) {
        TenantBalance then = before.get(tenant);
        TenantBalance now = balance(tenant);
        long items = sent.getOrDefault(tenant, 0L);
        return new DrillResult.Ends(tenant, items,
                now.entered(ItemState.DONE) - then.entered(ItemState.DONE),
                now.entered(ItemState.DROPPED) - then.entered(ItemState.DROPPED),
                now.entered(ItemState.DEAD_LETTER) - then.entered(ItemState.DEAD_LETTER),
                Math.max(0, items - (now.accepted() - then.accepted())) + Math.max(0, now.waiting()));
    }

    private TenantBalance balance(String tenant) {
        return depths.of(tenant).map(Depth::balance).orElse(TenantBalance.EMPTY);
    }

    private DrillResult result() {
        List<DrillResult.Ends> ends = plan.traffic().stream().map(each -> ends(each.tenant())).toList();
        return DrillResult.of(plan, DrillResult.waits(plan, ages()), ends, samples,
                workersSeen.size() - workers.size());
    }

    /** Reads the ages at the first attempt from the trail, by tenant and phase. */
    private Map<String, Map<String, List<Long>>> ages() {
        Map<String, Map<String, List<Long>>> ages = new HashMap<>();
        try (Census census = new Census(configuration, clock, OptionalLong.of(startMillis))) {
            census.forEachOnTrail(item -> {
                if (before.containsKey(item.owner()) && item.id().startsWith(idStart())) {
                    add(ages, item);
                }
            });
        }
        return ages;
    }

    private void add(Map<String, Map<String, List<Long>>> ages, StoredItem item) {
        OptionalLong enqueued = item.enqueuedAtMillis();
        OptionalLong first = item.number(ItemHeaders.FIRST_ATTEMPT_AT);
        if (item.place() != ItemState.DONE || enqueued.isEmpty() || first.isEmpty()) {
            return;
        }
        long atMillis = enqueued.getAsLong() - startMillis;
        plan.phases().stream().filter(phase -> atMillis < phase.window().toMillis()).findFirst().ifPresent(phase ->
                ages.computeIfAbsent(item.owner(), none -> new HashMap<>())
                        .computeIfAbsent(phase.name(), none -> new ArrayList<>())
                        .add(Math.max(0, first.getAsLong() - enqueued.getAsLong())));
    }
}
