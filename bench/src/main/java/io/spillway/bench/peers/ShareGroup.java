package io.spillway.bench.peers;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * A share group (KIP-932). An explicit consumer has to acknowledge all that it polled before it polls again, so each
 * handles what it polled on virtual threads, as many at one time as all of them have slots, and waits for the slowest.
 * What failed is released after a wait, in which its consumer does nothing else. After {@value #DELIVERIES} deliveries
 * the broker archives a record: it is given up.
 */
public final class ShareGroup implements QueueUnderTest {
    /** The most that a broker allows by default; its own default is 5. */
    private static final int DELIVERIES = 10;
    /** A record is its consumer's for this long; the default. */
    private static final int LOCK_MILLIS = 30_000;
    /**
     * Two polls' worth of the slots; with {@code record_limit} a burst in one partition went at a sixth of the pace.
     */
    private static final int POLL_RECORDS = 100;
    private static final int CONSUMERS = 12;

    private static final Duration POLL = Duration.ofMillis(500);

    private final PeerSetup setup;
    private final List<Thread> threads;
    private final ExecutorService handlers = Executors.newVirtualThreadPerTaskExecutor();
    private final Semaphore slots;
    private final AtomicInteger givenUp = new AtomicInteger();
    private volatile boolean stopping;

    /** Starts it. */
    public ShareGroup(PeerSetup setup) {
        this.setup = setup;
        configure();
        this.slots = new Semaphore(setup.slots());
        this.threads = IntStream.range(0, CONSUMERS)
                .mapToObj(i -> Thread.ofPlatform().name("share-" + i).start(this::run))
                .toList();
        Assignments.awaitShareGroup(setup, CONSUMERS, this);
    }

    @Override
    public boolean isRunning() {
        return threads.stream().allMatch(Thread::isAlive);
    }

    @Override
    public int givenUp() {
        return givenUp.get();
    }

    @Override
    public void close() {
        stopping = true;
        threads.forEach(Thread::interrupt);
        handlers.shutdownNow();
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void configure() {
        Map<String, String> settings = Map.of(
                "share.auto.offset.reset", "earliest",
                "share.isolation.level", "read_committed",
                "share.record.lock.duration.ms", Integer.toString(LOCK_MILLIS),
                "share.delivery.count.limit", Integer.toString(DELIVERIES));
        List<AlterConfigOp> changes = settings.entrySet().stream()
                .map(entry -> new AlterConfigOp(
                        new ConfigEntry(entry.getKey(), entry.getValue()), AlterConfigOp.OpType.SET))
                .toList();
        try {
            setup.admin().incrementalAlterConfigs(
                    Map.of(new ConfigResource(ConfigResource.Type.GROUP, setup.group()), changes)).all().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the broker refused the settings of " + setup.group(), e.getCause());
        }
    }

    private Map<String, Object> consumer() {
        Map<String, Object> settings = setup.consumer();
        // A group's own settings say these, and a share consumer refuses to be told.
        settings.remove(ConsumerConfig.ISOLATION_LEVEL_CONFIG);
        settings.remove(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG);
        settings.remove(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG);
        settings.put(ConsumerConfig.SHARE_ACKNOWLEDGEMENT_MODE_CONFIG, "explicit");
        settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, POLL_RECORDS);
        return settings;
    }

    private void run() {
        try (KafkaShareConsumer<byte[], byte[]> consumer = new KafkaShareConsumer<>(consumer())) {
            consumer.subscribe(List.of(setup.topic()));
            try {
                while (!stopping) {
                    handle(consumer, consumer.poll(POLL));
                }
            } catch (InterruptedException | InterruptException | WakeupException | RejectedExecutionException e) {
                // It is being closed; the interrupt must not end the closing of the consumer.
                Thread.interrupted();
            }
        }
    }

    private void handle(KafkaShareConsumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records)
            throws InterruptedException {
        Map<ConsumerRecord<byte[], byte[]>, Future<AcknowledgeType>> running = new LinkedHashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            slots.acquire();
            running.put(record, handlers.submit(() -> handle(record)));
        }
        for (Map.Entry<ConsumerRecord<byte[], byte[]>, Future<AcknowledgeType>> each : running.entrySet()) {
            try {
                consumer.acknowledge(each.getKey(), each.getValue().get());
            } catch (ExecutionException e) {
                // Interrupted: what is not acknowledged is delivered again.
                throw (InterruptedException) new InterruptedException("closed").initCause(e);
            }
        }
    }

    private AcknowledgeType handle(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
        try {
            if (setup.handler().handle(record.key(), record.value())) {
                return AcknowledgeType.ACCEPT;
            }
        } finally {
            slots.release();
        }
        int deliveries = record.deliveryCount().orElse((short) 1);
        if (deliveries >= DELIVERIES) {
            givenUp.incrementAndGet();
        }
        Thread.sleep(PeerBackoff.after(deliveries));
        return AcknowledgeType.RELEASE;
    }
}
