package io.spillway.demo;

import io.spillway.cli.simulate.ScenarioLoader;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.text.Printable;
import io.spillway.producer.ItemBuilder;
import io.spillway.schema.WorkItem;
import io.spillway.sim.ArrivalStream;
import io.spillway.sim.scenario.Disturbance;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.SeededRandom;
import io.spillway.sim.scenario.SimulatedTime;
import io.spillway.sim.scenario.TenantGroup;
import io.spillway.sim.scenario.Window;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The demo's scenario in real time: the sender of its items to both queues, and the destination of both. The creation
 * time of an item is the time at which it was due, so a late sender increases its age and hides no delay. Thread-safe.
 */
public final class DemoScenario {
    static final String QUIET = "quiet";
    static final String NOISY = "noisy";
    static final String SLOW = "slow";
    static final String SWEPT = "swept";
    static final String POISONED = "poisoned";

    private static final double FILE_SECONDS = 40;
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final byte[] PAYLOAD = "hello".getBytes(StandardCharsets.UTF_8);

    private final Scenario scenario;
    private final Map<String, PolicySettings> policies = new HashMap<>();
    private final InstantSource clock;
    private final Map<String, TenantGroup> byTenant = new HashMap<>();
    private final Map<String, Long> sent = new ConcurrentHashMap<>();
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private volatile long startMillis = Long.MAX_VALUE;
    private volatile long sentMillis;
    private volatile boolean isComplete;

    /** Arrivals of a group, at the next of them. */
    private record Stream(TenantGroup group, ArrivalStream arrivals) {}

    /** Creates a scenario that takes so long. */
    public DemoScenario(int seconds, InstantSource clock) {
        ScenarioLoader.Loaded loaded = ScenarioLoader.shipped("demo", seconds / FILE_SECONDS);
        this.scenario = loaded.scenario();
        this.clock = clock;
        scenario.groups().forEach(group -> {
            for (int i = 0; i < group.tenants(); i++) {
                byTenant.put(group.tenant(i), group);
                policies.put(group.tenant(i), loaded.policies().get(group.name()));
            }
        });
    }

    Scenario script() {
        return scenario;
    }

    /** Returns the slots of the worker, and of the plain consumer. */
    public int slots() {
        return scenario.cluster().slots();
    }

    Window phase(String name) {
        return scenario.phases().stream().filter(phase -> phase.name().equals(name)).findFirst().orElseThrow().window();
    }

    Map<String, PolicySettings> policies() {
        return policies;
    }

    TenantGroup groupOf(String tenant) {
        return byTenant.get(tenant);
    }

    Window flood() {
        return groupOf(NOISY).surges().getFirst().window();
    }

    /** Returns the time since the start; negative before it. */
    long elapsedMillis() {
        return clock.millis() - startMillis;
    }

    /** Returns the number of items of some tenants that were sent so far. */
    long sent(Predicate<String> tenants) {
        return sent.keySet().stream().filter(tenants).mapToLong(sent::get).sum();
    }

    /** Returns the time of the demo before which all items were handed to the producer. */
    long sentMillis() {
        return sentMillis;
    }

    void fail(Exception cause) {
        failure.compareAndSet(null, cause);
    }

    /** Returns whether Kafka has stored all items; throws what was recorded by {@link #fail}. */
    boolean isComplete() {
        if (failure.get() != null) {
            throw CommandFailure.failed("The demo failed: " + Printable.of(failure.get().toString()));
        }
        return isComplete;
    }

    /** Starts, and sends all items, each to both topics, until the thread is interrupted. */
    void send(Producer<byte[], byte[]> producer, String ingress, String fifo) {
        startMillis = clock.millis();
        PriorityQueue<Stream> streams = new PriorityQueue<>(
                Comparator.comparingLong(stream -> stream.arrivals().nanos()));
        long endNanos = scenario.durationMillis() * SimulatedTime.NANOS_PER_MILLI;
        scenario.groups().forEach(group -> group.arrivals().forEach(arrivals ->
                follow(new Stream(group, ArrivalStream.of(group, arrivals, endNanos, 0)), streams)));
        while (!streams.isEmpty() && !Thread.interrupted()) {
            long dueMillis = streams.element().arrivals().nanos() / SimulatedTime.NANOS_PER_MILLI;
            sentMillis = dueMillis;
            if (dueMillis > elapsedMillis()) {
                LockSupport.parkNanos(TICK_NANOS);
                continue;
            }
            Stream next = streams.remove();
            String tenant = next.group().tenant(next.arrivals().tenant());
            String id = tenant + "-" + sent.merge(tenant, 1L, Long::sum);
            long createdMillis = startMillis + dueMillis;
            store(producer, ItemBuilder.recordOf(ingress, new WorkItem(tenant, id, Instant.ofEpochMilli(createdMillis),
                    "", null, "text/plain", Map.of(), ByteBuffer.wrap(PAYLOAD))));
            store(producer, new ProducerRecord<>(fifo, 0, createdMillis, id.getBytes(StandardCharsets.UTF_8), PAYLOAD));
            follow(next, streams);
        }
        producer.flush();
        isComplete = streams.isEmpty();
    }

    private static void follow(Stream stream, PriorityQueue<Stream> streams) {
        if (stream.arrivals().next()) {
            streams.add(stream);
        }
    }

    private void store(Producer<byte[], byte[]> producer, ProducerRecord<byte[], byte[]> record) {
        producer.send(record, (stored, fault) -> {
            if (fault != null) {
                fail(fault);
            }
        });
    }

    /** Handles an item in the same time in both queues, counts the attempt and returns whether it succeeded. */
    boolean handle(String tenant, String id, long createdMillis, int attempt, DemoTally tally)
            throws InterruptedException {
        TenantGroup group = groupOf(tenant);
        long nowMillis = elapsedMillis();
        boolean isDone = false;
        tally.begun(tenant, group.name().equals(QUIET), createdMillis - startMillis, attempt, nowMillis);
        try {
            Thread.sleep(Math.round(millis(group.handling(), id, nowMillis)));
            isDone = group.handling().poisonRate() == 0;
            return isDone;
        } finally {
            tally.ended(tenant, isDone, elapsedMillis());
        }
    }

    private static double millis(Handling handling, String id, long nowMillis) {
        double millis = handling.latency().millis(new SeededRandom(id.hashCode()));
        for (Disturbance disturbance : handling.disturbances()) {
            if (disturbance instanceof Disturbance.Slowdown(var window, double factor)
                    && window.contains(nowMillis * SimulatedTime.NANOS_PER_MILLI)) {
                millis *= factor;
            }
        }
        return millis;
    }
}
