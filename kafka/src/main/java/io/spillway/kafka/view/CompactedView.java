package io.spillway.kafka.view;

import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * In-memory copy of a compacted topic in a {@link ViewContent}. It reads the whole topic first, and then follows it.
 *
 * <p>After an error it reads the topic again, and removes the keys that are no longer there: the records that removed
 * them may be gone. It also does so after it could not follow the topic for half of the time that such records are
 * kept. Records that were applied before are not applied again, so a key never returns to an earlier value.
 *
 * <p>Records that cannot be decoded are skipped, counted and logged. At most {@code maxEntries} keys are kept and
 * further ones are skipped, so that a faulty writer cannot exhaust the memory of the process. The entry of all tenants
 * has room in a full view: without it, every tenant would have another policy.
 *
 * <p>Owner of the content: the view's thread. With a progress group, this thread commits its position, with a
 * {@link ProgressMark} as metadata, after each poll, so at least every {@link #POLL}. {@code tenants set --wait} uses
 * these commits to find live instances and what they have applied.
 */
public final class CompactedView extends TopicFollower {
    private static final Logger LOG = LoggerFactory.getLogger(CompactedView.class);
    private static final Duration REPORT_EVERY = Duration.ofSeconds(10);
    private static final long LOOK_MILLIS = 600_000;
    private static final long MAX_BEHIND_MILLIS = Topics.REMOVAL_KEPT_MILLIS / 2;

    private final ViewContent<?> content;
    private final int maxEntries;
    private final Optional<String> progressGroup;
    private final InstantSource clock;
    /** Offset below which all records of a partition were applied. */
    private final Map<TopicPartition, Long> appliedTo = new HashMap<>();
    /** While the topic is read again: keys of the content that were not found yet. Bound: that of the content. */
    private Set<String> notFound = Set.of();
    private final CountDownLatch ready = new CountDownLatch(1);
    private volatile long toRead;
    private volatile long read;

    /**
     * Creates a view; {@link #start} starts it.
     *
     * @param maxEntries    limit of keys
     * @param progressGroup group of this instance to commit its progress to; empty for none
     * @param clock         clock of the time in the progress, and of how long the topic could not be followed
     */
    public CompactedView(KafkaClients clients, String topic, ViewContent<?> content, int maxEntries,
            Optional<String> progressGroup, InstantSource clock) {
        super(clients, topic, "view-", progressGroup
                .<Map<String, Object>>map(group -> Map.of(ConsumerConfig.GROUP_ID_CONFIG, group)).orElse(Map.of()),
                clock);
        this.content = content;
        this.maxEntries = maxEntries;
        this.progressGroup = progressGroup;
        this.clock = clock;
    }

    /**
     * Starts, logs the progress, and returns after everything that was in the topic.
     *
     * @param patience longest time without progress; {@link KafkaFailure} is thrown after it
     */
    public void start(Duration patience) {
        begin();
        Duration step = patience.compareTo(REPORT_EVERY) < 0 ? patience : REPORT_EVERY;
        Duration idle = Duration.ZERO;
        long most = 0;
        try {
            while (!ready.await(step.toMillis(), TimeUnit.MILLISECONDS)) {
                long now = read;
                idle = now > most ? Duration.ZERO : idle.plus(step);
                if (idle.compareTo(patience) >= 0) {
                    throw new KafkaFailure("cannot read topic " + topic, new KafkaException("no progress for "
                            + patience.toSeconds() + " s" + (lastFault().isEmpty() ? "" : "; " + lastFault())));
                }
                most = Math.max(most, now);
                LOG.info("Reading {}: {} of {} offsets", topic, now, toRead);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaFailure("interrupted: cannot read topic " + topic, e);
        }
    }

    @Override
    protected void follow(Consumer<byte[], byte[]> from, List<TopicPartition> partitions) {
        Map<TopicPartition, Long> starts = from.beginningOffsets(partitions);
        Map<TopicPartition, Long> ends = from.endOffsets(partitions);
        rewind(from, starts, ends);
        long endsAtMillis = clock.millis();
        long caughtUpMillis = endsAtMillis;
        while (isRunning()) {
            from.poll(ready.getCount() == 0 ? POLL : Duration.ofMillis(50)).forEach(record -> {
                apply(record);
                // Content that is slow to apply makes progress within a poll too.
                read++;
            });
            partitions.forEach(partition -> appliedTo.merge(partition, from.position(partition), Math::max));
            read = partitions.stream().mapToLong(part -> from.position(part) - starts.get(part)).sum();
            long nowMillis = clock.millis();
            if (isPast(from, ends)) {
                finish();
                caughtUpMillis = endsAtMillis;
                if (nowMillis - endsAtMillis >= LOOK_MILLIS) {
                    ends = from.endOffsets(partitions);
                    endsAtMillis = nowMillis;
                }
            }
            if (ready.getCount() == 0 && nowMillis - caughtUpMillis > MAX_BEHIND_MILLIS) {
                throw new KafkaException("the topic could not be followed for " + MAX_BEHIND_MILLIS / 3_600_000 + " h");
            }
            if (ready.getCount() == 0 && progressGroup.isPresent()) {
                commitProgress(from, partitions);
            }
        }
    }

    /** Goes to the start of the topic. */
    private void rewind(Consumer<byte[], byte[]> from, Map<TopicPartition, Long> starts,
            Map<TopicPartition, Long> ends) {
        starts.forEach(from::seek);
        toRead = ends.entrySet().stream().mapToLong(end -> end.getValue() - starts.get(end.getKey())).sum();
        // A topic that ends before was recreated, or lost records.
        appliedTo.replaceAll((partition, offset) -> offset > ends.getOrDefault(partition, 0L) ? 0 : offset);
        notFound = content.keys();
    }

    private void finish() {
        if (!notFound.isEmpty()) {
            LOG.info("Removed {} keys that are no longer in {}", notFound.size(), topic);
            notFound.forEach(content::remove);
            notFound = Set.of();
        }
        if (ready.getCount() > 0) {
            LOG.debug("Read {}: {} entries", topic, content.size());
            ready.countDown();
        }
    }

    private static boolean isPast(Consumer<byte[], byte[]> from, Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream().allMatch(end -> from.position(end.getKey()) >= end.getValue());
    }

    private void apply(ConsumerRecord<byte[], byte[]> record) {
        boolean isApplied = record.offset()
                < appliedTo.getOrDefault(new TopicPartition(record.topic(), record.partition()), 0L);
        try {
            if (record.key() == null || record.key().length > content.maxKeyBytes()) {
                throw new IllegalArgumentException(
                        "the key is missing or longer than " + content.maxKeyBytes() + " bytes");
            }
            String key = new String(record.key(), StandardCharsets.UTF_8);
            if (record.value() != null && !notFound.isEmpty()) {
                notFound.remove(key);
            }
            if (isApplied) {
                return;
            }
            if (record.value() == null) {
                content.remove(key);
            } else if (content.hasRoomFor(key, maxEntries)) {
                content.put(key, record.value());
            } else {
                throw new IllegalArgumentException("the view is full with " + maxEntries + " entries");
            }
        } catch (RuntimeException e) {
            if (!isApplied) {
                skip(record, e.getMessage());
            }
        }
    }

    private void commitProgress(Consumer<byte[], byte[]> from, Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
        String mark = ProgressMark.at(clock.millis()).text();
        partitions.forEach(partition ->
                positions.put(partition, new OffsetAndMetadata(from.position(partition), mark)));
        from.commitAsync(positions, (offsets, failure) -> {
            if (failure != null) {
                LOG.debug("Cannot commit the progress in {}: {}", topic, Printable.of(failure.toString()));
            }
        });
    }
}
