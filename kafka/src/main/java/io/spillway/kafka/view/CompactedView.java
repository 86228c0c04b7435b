package io.spillway.kafka.view;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Printable;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * In-memory copy of a compacted topic in a {@link ViewContent}. It reads the whole topic first, and then follows it.
 *
 * <p>Records that cannot be decoded are skipped, counted and logged. At most {@code maxEntries} keys are kept and
 * further ones are skipped, so that a faulty writer cannot exhaust the memory of the process.
 *
 * <p>Owner of the consumer and the content: the view's thread. With a progress group, this thread commits its position,
 * with the time as metadata, after each poll and at least twice a second. {@code tenants set --wait} uses these commits
 * to find live instances and what they have applied.
 */
public final class CompactedView implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CompactedView.class);
    private static final Duration POLL = Duration.ofMillis(500);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final int MAX_KEY_BYTES = ItemLimits.MAX_NAME_LENGTH;

    private final KafkaClients clients;
    private final String topic;
    private final ViewContent<?> content;
    private final int maxEntries;
    private final Optional<String> progressGroup;
    private final InstantSource clock;
    private final AtomicLong skipped = new AtomicLong();
    private final CountDownLatch ready = new CountDownLatch(1);
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Thread thread;
    private volatile Consumer<byte[], byte[]> consumer;
    private volatile String lastFault = "";

    /**
     * Creates a view; {@link #start} starts it.
     *
     * @param maxEntries    limit of keys
     * @param progressGroup group of this instance to commit its progress to; empty for none
     * @param clock         clock of the time in the progress
     */
    public CompactedView(KafkaClients clients, String topic, ViewContent<?> content, int maxEntries,
            Optional<String> progressGroup, InstantSource clock) {
        this.clients = clients;
        this.topic = topic;
        this.content = content;
        this.maxEntries = maxEntries;
        this.progressGroup = progressGroup;
        this.clock = clock;
        this.thread = Thread.ofPlatform().daemon().name("view-" + topic).unstarted(this::run);
    }

    /** Starts, and returns after everything that was in the topic; throws {@link KafkaFailure} at the timeout. */
    public void start(Duration timeout) {
        thread.start();
        try {
            if (!ready.await(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new KafkaFailure("cannot read topic " + topic, new KafkaException("not finished within "
                        + timeout.toSeconds() + " s" + (lastFault.isEmpty() ? "" : "; " + lastFault)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaFailure("interrupted: cannot read topic " + topic, e);
        }
    }

    /** Returns the number of records skipped since the start. */
    public long skipped() {
        return skipped.get();
    }

    /** Stops the thread and waits for it, at most 5 s. */
    @Override
    public void close() {
        stopping.countDown();
        Optional.ofNullable(consumer).ifPresent(Consumer::wakeup);
        try {
            thread.join(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (stopping.getCount() > 0) {
            try (Consumer<byte[], byte[]> opened = clients.consumer(progressGroup
                    .<Map<String, Object>>map(group -> Map.of(ConsumerConfig.GROUP_ID_CONFIG, group))
                    .orElse(Map.of()))) {
                consumer = opened;
                follow(opened);
            } catch (WakeupException e) {
                return;
            } catch (RuntimeException e) {
                lastFault = Printable.of(e.getMessage());
                LOG.warn("Cannot read {}; retrying from the start of the topic: {}", topic, Printable.of(e.toString()));
                pause();
            }
        }
    }

    private void follow(Consumer<byte[], byte[]> from) {
        List<TopicPartition> partitions = from.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition())).toList();
        if (partitions.isEmpty()) {
            throw new KafkaException("the topic does not exist");
        }
        from.assign(partitions);
        from.seekToBeginning(partitions);
        Map<TopicPartition, Long> ends = from.endOffsets(partitions);
        while (stopping.getCount() > 0) {
            from.poll(ready.getCount() == 0 ? POLL : Duration.ofMillis(50)).forEach(this::apply);
            if (ready.getCount() > 0 && isPast(from, ends)) {
                LOG.debug("Read {}: {} entries", topic, content.size());
                ready.countDown();
            }
            if (ready.getCount() == 0 && progressGroup.isPresent()) {
                commitProgress(from, partitions);
            }
        }
    }

    private static boolean isPast(Consumer<byte[], byte[]> from, Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream().allMatch(end -> from.position(end.getKey()) >= end.getValue());
    }

    private void apply(ConsumerRecord<byte[], byte[]> record) {
        try {
            if (record.key() == null || record.key().length > MAX_KEY_BYTES) {
                throw new IllegalArgumentException("the key is missing or longer than " + MAX_KEY_BYTES + " bytes");
            }
            String key = new String(record.key(), StandardCharsets.UTF_8);
            if (record.value() == null) {
                content.remove(key);
            } else if (content.contains(key) || content.size() < maxEntries) {
                content.put(key, record.value());
            } else {
                throw new IllegalArgumentException("the view is full with " + maxEntries + " entries");
            }
        } catch (RuntimeException e) {
            skipped.incrementAndGet();
            LOG.warn("Skipped record {}-{}@{}: {}", topic, record.partition(), record.offset(),
                    Printable.of(e.getMessage()));
        }
    }

    private void commitProgress(Consumer<byte[], byte[]> from, Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
        String now = Long.toString(clock.millis());
        partitions.forEach(partition -> positions.put(partition, new OffsetAndMetadata(from.position(partition), now)));
        from.commitAsync(positions, (offsets, failure) -> {
            if (failure != null) {
                LOG.debug("Cannot commit the progress in {}: {}", topic, Printable.of(failure.toString()));
            }
        });
    }

    private void pause() {
        try {
            stopping.await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
