package io.spillway.demo;

import io.spillway.audit.Audit;
import io.spillway.audit.Census;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Printable;
import io.spillway.core.ledger.AuditedTenant;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.routing.Sweep;
import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.runtime.CompactedTopics;
import io.spillway.runtime.Role;
import io.spillway.runtime.RunningSystem;
import io.spillway.runtime.Shutdown;
import io.spillway.runtime.StartOptions;
import io.spillway.runtime.ViewProgress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Run of the plan on a running system and on the FIFO queue. Owner of the threads of the traffic and the FIFO queue,
 * which end with the shutdown. Bound: one sample per second.
 */
public final class DemoRun {
    private static final long TICK_MILLIS = 1_000;
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long FIRST_ITEM_IN_MILLIS = 500;
    private static final long APPLIED_WITHIN_MILLIS = 30_000;

    private final DemoPlan plan;
    private final Shutdown shutdown;
    private final StopSignal stop;
    private final InstantSource wall;
    private final DemoClock clock;
    private final DemoDestination destination;
    private final DemoTally spillway;
    private final DemoTally fifo;
    private final RunningSystem system;
    private final Topics topics;
    private final KafkaClients clients;
    private final Depths depths = new Depths();
    private final List<Future<?>> running = new ArrayList<>();
    private final List<DemoSample> samples = new ArrayList<>();

    /** Starts the system, which ends with the shutdown. */
    public DemoRun(
            DemoPlan plan, Configuration configured, Path data, Shutdown shutdown, StopSignal stop,
            InstantSource wall) {
        this.plan = plan;
        this.shutdown = shutdown;
        this.stop = stop;
        this.wall = wall;
        this.clock = new DemoClock(wall);
        this.destination = new DemoDestination(plan, clock);
        this.spillway = new DemoTally(plan, clock);
        this.fifo = new DemoTally(plan, clock);
        this.system = RunningSystem.start(configured,
                new StartOptions(data, Set.of(Role.ROUTER, Role.WORKER), false, ""), shutdown,
                configuration -> this::handle);
        this.topics = new Topics(system.configuration().queue());
        this.clients = new KafkaClients(system.configuration().queue());
    }

    private Outcome handle(Delivery delivery) throws InterruptedException {
        destination.take(delivery.tenant(), delivery.id(), delivery.enqueuedAt().toEpochMilli(), delivery.attempt(),
                spillway);
        return Outcome.done();
    }

    /** Runs the demo to its end. */
    public DemoResult run(DemoView view) {
        String fifoTopic = system.configuration().kafka().prefix() + ".demo-fifo";
        try (Admin admin = clients.admin()) {
            new TopicAdmin(admin).createMissing(List.of(new TopicSpec(fifoTopic, 1, 1, Map.of())));
        }
        setPolicies();
        shutdown.closing(new CompactedView(clients, topics.depths(), depths,
                system.configuration().router().maxTenants(), Optional.empty(), wall)).start(Duration.ofSeconds(30));
        Producer<byte[], byte[]> producer = shutdown.closing(clients.producer());
        DemoTraffic traffic = new DemoTraffic(producer, List.of(topics.ingress(), fifoTopic), plan, clock);
        DemoFifo queue =
                new DemoFifo(clients, new TopicPartition(fifoTopic, 0), topics.ingressMaxBytes(), destination, fifo);
        ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().name("demo-", 1).factory());
        shutdown.closing(() -> end(threads));
        clock.startIn(FIRST_ITEM_IN_MILLIS);
        running.add(threads.submit(queue::run));
        running.add(threads.submit(traffic::run));
        boolean isFinished = follow(traffic, threads, view);
        view.print(isFinished ? "All items are finished. Comparing the ledger with the topics ..."
                : "Not all items are finished " + plan.maxWaitMillis() / 1_000
                        + " s after the last one was sent. State now:");
        return result(traffic, isFinished);
    }

    private boolean follow(DemoTraffic traffic, ExecutorService threads, DemoView view) {
        boolean sweeping = false;
        for (long nextMillis = 0; ; nextMillis += TICK_MILLIS) {
            await(nextMillis);
            if (!sweeping && clock.elapsedMillis() >= plan.sweepAtMillis()) {
                sweeping = true;
                running.add(threads.submit(this::recordSweep));
            }
            DemoSample sample = sample(traffic);
            samples.add(sample);
            view.show(sample);
            if (traffic.isComplete() && sample.accepted() == traffic.sent() && sample.waiting() == 0
                    && fifo.finished() == traffic.sent()) {
                return true;
            }
            if (sample.elapsedMillis() > plan.endMillis() + plan.maxWaitMillis()) {
                return false;
            }
        }
    }

    /** Waits until a time of the demo. */
    private void await(long elapsedMillis) {
        do {
            if (stop.isStopped()) {
                throw CommandFailure.failed("The demo was stopped.");
            }
            if (system.ended().getCount() == 0) {
                throw CommandFailure.failed("A role has stopped because of an error that it cannot recover from. See "
                        + "the log.");
            }
            for (Future<?> each : running) {
                if (each.state() == Future.State.FAILED) {
                    throw each.exceptionNow() instanceof RuntimeException known ? known
                            : CommandFailure.failed(Printable.of(each.exceptionNow().toString()));
                }
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        } while (clock.elapsedMillis() < elapsedMillis);
    }

    private void setPolicies() {
        PolicySettings limited = PolicySettings.NONE_SET.with(PolicyField.RATE, Integer.toString(DemoPlan.NOISY_RATE));
        Map<String, PolicySettings> settings = Map.of(
                DemoPlan.NOISY, limited, DemoPlan.WARM_UP, limited,
                // One machine has one clock. One slot at a time leaves work for the sweep on the fastest machine too.
                DemoPlan.SWEPT, PolicySettings.NONE_SET.with(PolicyField.SWEEPABLE, "true")
                        .with(PolicyField.SWEEP_MARGIN, "0s").with(PolicyField.CONCURRENCY, "1"),
                DemoPlan.POISONED, PolicySettings.NONE_SET
                        .with(PolicyField.ATTEMPTS, Integer.toString(DemoPlan.ATTEMPTS))
                        .with(PolicyField.BACKOFF_BASE, DemoPlan.BACKOFF_MILLIS + "ms")
                        .with(PolicyField.BACKOFF_CAP, "1s"));
        try (CompactedTopics compacted = new CompactedTopics(system.configuration(), wall)) {
            RecordMetadata last = null;
            for (Map.Entry<String, PolicySettings> each : settings.entrySet()) {
                String tenant = each.getKey();
                last = compacted.write(topics.policies(), tenant, TenantPolicies.encode(tenant, each.getValue()));
            }
            awaitApplied(last);
        }
    }

    private void recordSweep() {
        long nowMillis = wall.millis();
        try (CompactedTopics compacted = new CompactedTopics(system.configuration(), wall)) {
            awaitApplied(compacted.write(topics.sweeps(), DemoPlan.SWEPT, Sweeps.encode(
                    DemoPlan.SWEPT, "demo", new Sweep(nowMillis, nowMillis))));
        }
    }

    /** Waits until the instance has applied the record; it is known only after its first report. */
    private void awaitApplied(RecordMetadata stored) {
        long deadlineMillis = wall.millis() + APPLIED_WITHIN_MILLIS;
        try (Admin admin = clients.admin()) {
            ViewProgress progress = new ViewProgress(admin, wall);
            TopicPartition partition = new TopicPartition(stored.topic(), stored.partition());
            while (progress.await(partition, stored.offset(), APPLIED_WITHIN_MILLIS) == 0) {
                if (stop.isStopped() || wall.millis() > deadlineMillis) {
                    throw CommandFailure.failed("No instance has reported that it applied a record of " + stored.topic()
                            + ". Run the demo again.");
                }
                LockSupport.parkNanos(LOOK_EVERY_NANOS);
            }
        }
    }

    private DemoSample sample(DemoTraffic traffic) {
        Map<ItemState, Long> states =
                Arrays.stream(ItemState.values()).collect(Collectors.toMap(state -> state, depths::in));
        return new DemoSample(
                clock.elapsedMillis(), states, depths.left(ItemState.OUTSIDE),
                Math.max(0, traffic.sent() - fifo.begun()), spillway.takeRecentP99Millis(), fifo.takeRecentP99Millis(),
                traffic.sent(DemoPlan.NOISY), spillway.done(DemoPlan.NOISY), fifo.done(DemoPlan.NOISY),
                spillway.running(DemoPlan.SLOW), fifo.running(DemoPlan.SLOW));
    }

    private DemoResult result(DemoTraffic traffic, boolean isFinished) {
        List<AuditedTenant> audited;
        List<DemoResult.DeadPill> pills = new ArrayList<>();
        try (Census census = new Census(system.configuration(), wall)) {
            audited = Audit.confirmed(census);
            census.forEach(false, item -> {
                if (item.place() == ItemState.DEAD_LETTER && item.id().startsWith(DemoPlan.POISON_PILL)) {
                    pills.add(new DemoResult.DeadPill(
                            Printable.of(item.text(ItemHeaders.DEAD_REASON).orElse("")),
                            Printable.of(item.text(ItemHeaders.DEAD_DETAIL).orElse(""))));
                }
            });
        }
        Map<String, Long> sent = new HashMap<>();
        plan.streams().forEach(stream -> sent.put(stream.tenant(), traffic.sent(stream.tenant())));
        return new DemoResult(plan, spillway, fifo, sent, samples, isFinished, audited, pills.stream().findFirst());
    }

    private static void end(ExecutorService threads) throws InterruptedException {
        threads.shutdownNow();
        if (!threads.awaitTermination(10, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the threads of the demo have not ended within 10 s");
        }
    }
}
