package io.spillway.demo;

import io.spillway.audit.Audit;
import io.spillway.audit.Census;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemState;
import io.spillway.core.routing.Sweep;
import io.spillway.handler.Outcome;
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
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Run of the scenario on a running system and on a plain consumer. Owner of the threads of the load and of the
 * consumer, which end with the shutdown. Bound: one sample a second.
 */
public final class DemoRun {
    private static final long TICK_MILLIS = 1_000;
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long BACKOFF_MILLIS = 200;

    private final DemoScenario scenario;
    private final Printer printer;
    private final Shutdown shutdown;
    private final StopSignal stop;
    private final InstantSource clock;
    private final DemoTally spillway = new DemoTally();
    private final DemoTally fifo = new DemoTally();
    private final RunningSystem system;
    private final Topics topics;
    private final KafkaClients clients;
    private final CompactedTopics compacted;
    private final Depths depths = new Depths();
    private final List<DemoReport.Sample> samples = new ArrayList<>();

    /** Starts the system, which ends with the shutdown. */
    public DemoRun(
            DemoScenario scenario, Configuration configured, Path data, Printer printer, Shutdown shutdown,
            StopSignal stop, InstantSource clock) {
        this.scenario = scenario;
        this.printer = printer;
        this.shutdown = shutdown;
        this.stop = stop;
        this.clock = clock;
        this.system = RunningSystem.start(configured,
                new StartOptions(data, Set.of(Role.ROUTER, Role.WORKER), false, ""), shutdown,
                configuration -> {
                    // Here, so that the views of router and worker begin with them.
                    writePolicies(configuration);
                    return delivery -> scenario.handle(delivery.tenant(), delivery.id(),
                            delivery.enqueuedAt().toEpochMilli(), delivery.attempt(), spillway)
                            ? Outcome.done() : Outcome.retry("the destination rejects this item every time");
                });
        this.topics = new Topics(system.configuration().queue());
        this.clients = new KafkaClients(system.configuration().queue());
        this.compacted = shutdown.closing(new CompactedTopics(system.configuration(), clock));
    }

    /** Runs the demo to its end. */
    public DemoReport run() {
        TopicPartition queue = new TopicPartition(system.configuration().kafka().prefix() + ".demo-fifo", 0);
        try (Admin admin = clients.admin()) {
            new TopicAdmin(admin).createMissing(List.of(new TopicSpec(queue.topic(), 1, 1, Map.of())));
        }
        shutdown.closing(new CompactedView(clients, topics.depths(), depths,
                system.configuration().router().maxTenants(), Optional.empty(), clock)).start(Duration.ofSeconds(30));
        Producer<byte[], byte[]> producer = shutdown.closing(clients.producer());
        start(() -> consume(queue));
        start(() -> scenario.send(producer, topics.ingress(), queue.topic()));
        follow(producer);
        printer.note("All items are finished. Comparing the ledger with the topics ...");
        try (Census census = new Census(system.configuration(), clock)) {
            return new DemoReport(scenario, spillway, fifo, samples, Audit.confirmed(census));
        }
    }

    private void writePolicies(Configuration configuration) {
        String topic = new Topics(configuration.queue()).policies();
        try (CompactedTopics writing = new CompactedTopics(configuration, clock)) {
            scenario.policies().forEach((tenant, settings) ->
                    writing.write(topic, tenant, TenantPolicies.encode(tenant, settings)));
        }
    }

    private void start(Runnable task) {
        Thread thread = Thread.ofPlatform().daemon().name("demo").unstarted(() -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                scenario.fail(e);
            }
        });
        shutdown.closing(thread::interrupt);
        thread.start();
    }

    /**
     * Plain consumer for comparison, until its thread is interrupted. It hands items in order to as many threads as the
     * worker has slots and retries a failed item. It commits nothing, which makes it faster.
     */
    private void consume(TopicPartition partition) {
        Semaphore free = new Semaphore(scenario.slots());
        try (Consumer<byte[], byte[]> consumer = clients.follower(Map.of())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            while (true) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                    free.acquire();
                    Thread.ofVirtual().start(() -> handle(record, free));
                }
            }
        } catch (InterruptedException | InterruptException e) {
            // The normal stop.
        }
    }

    private void handle(ConsumerRecord<byte[], byte[]> record, Semaphore free) {
        String id = new String(record.key(), StandardCharsets.UTF_8);
        String tenant = id.substring(0, id.lastIndexOf('-'));
        int attempts = scenario.groupOf(tenant).policy().attempts();
        try {
            for (int attempt = 1; !scenario.handle(tenant, id, record.timestamp(), attempt, fifo); attempt++) {
                if (attempt == attempts) {
                    fifo.gaveUp(tenant);
                    return;
                }
                Thread.sleep(BACKOFF_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            free.release();
        }
    }

    /** Takes samples until both queues have finished all items. */
    private void follow(Producer<byte[], byte[]> producer) {
        TreeMap<Long, String> events = events();
        long sweepAtMillis = sweepAtMillis();
        for (long nextMillis = 0; !isFinished(); nextMillis += TICK_MILLIS) {
            await(nextMillis);
            long nowMillis = scenario.elapsedMillis();
            if (Math.min(nowMillis, scenario.sentMillis()) >= sweepAtMillis) {
                sweepAtMillis = Long.MAX_VALUE;
                // A sweep covers nothing that enters the queue later, and the sender can be late.
                producer.flush();
                compacted.write(topics.sweeps(), DemoScenario.SWEPT, Sweeps.encode(
                        DemoScenario.SWEPT, "demo", new Sweep(clock.millis(), clock.millis())));
            }
            samples.add(new DemoReport.Sample(nowMillis / 1_000.0,
                    ItemState.WAITING.stream().collect(Collectors.toMap(state -> state, depths::in)),
                    Math.max(0, scenario.sent(any -> true) - fifo.sum(any -> true).begun())));
            while (!events.isEmpty() && events.firstKey() <= nowMillis) {
                DemoReport.Sample sample = samples.getLast();
                printer.note(String.format(Locale.ROOT, "%3d s  %s. Waiting: %,d, FIFO %,d", nowMillis / 1_000,
                        events.pollFirstEntry().getValue(),
                        sample.waiting().values().stream().mapToLong(Long::longValue).sum(), sample.fifo()));
            }
        }
    }

    private boolean isFinished() {
        long sent = scenario.sent(any -> true);
        DemoTally.Counts plain = fifo.sum(any -> true);
        return scenario.isComplete() && plain.done() + plain.lost() == sent
                && depths.left(ItemState.OUTSIDE) == sent
                && ItemState.WAITING.stream().mapToLong(depths::in).sum() == 0;
    }

    private TreeMap<Long, String> events() {
        return new TreeMap<>(Map.of(
                0L, "warming up; nothing is measured yet",
                scenario.phase("before").fromMillis(), "nothing disturbs the quiet tenants yet",
                scenario.phase("during").fromMillis(), "the destination of slow now takes 2 s per item",
                scenario.flood().fromMillis(), "noisy floods; a poison pill is sent",
                sweepAtMillis(), "a full sweep of swept completes; its waiting items are obsolete",
                scenario.script().durationMillis(), "no more items are sent; the backlog drains"));
    }

    private long sweepAtMillis() {
        return scenario.groupOf(DemoScenario.SWEPT).sweeps().getFirst().completedAtMillis();
    }

    /** Waits until a time of the demo. */
    private void await(long elapsedMillis) {
        do {
            if (stop.isStopped()) {
                throw CommandFailure.failed("The demo was stopped. All its files are deleted.");
            }
            if (system.ended().getCount() == 0) {
                throw CommandFailure.failed("A role has stopped because of an error that it cannot recover from. See "
                        + "the log.");
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        } while (scenario.elapsedMillis() < elapsedMillis);
    }
}
