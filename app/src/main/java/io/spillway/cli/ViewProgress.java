package io.spillway.cli;

import io.spillway.topic.KafkaFailure;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** Tells how far the running instances have applied a compacted topic, from what their views commit every second. */
final class ViewProgress {
    /** An instance that has not committed for this long is not running. */
    private static final long ALIVE_MILLIS = 10_000;
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Admin admin;
    private final InstantSource clock;

    ViewProgress(Admin admin, InstantSource clock) {
        this.admin = admin;
        this.clock = clock;
    }

    /** The group to which an instance commits its progress in a topic. */
    static String groupOf(String topic, String instance) {
        return topic + ".view." + instance;
    }

    /**
     * Waits until every running instance has applied a record.
     *
     * @return instances that have
     * @throws CommandFailure when some have not within the time
     */
    int await(TopicPartition partition, long offset, long timeoutMillis) {
        long deadlineMillis = clock.millis() + timeoutMillis;
        while (true) {
            List<String> behind = new ArrayList<>();
            int alive = look(partition, offset, behind);
            if (behind.isEmpty()) {
                return alive;
            }
            if (clock.millis() > deadlineMillis) {
                throw CommandFailure.failed("stored, but not applied within " + timeoutMillis / 1000 + " s by " + behind);
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
    }

    private int look(TopicPartition partition, long offset, List<String> behind) {
        String prefix = groupOf(partition.topic(), "");
        int alive = 0;
        for (GroupListing group : get(admin.listGroups().all())) {
            if (!group.groupId().startsWith(prefix)) {
                continue;
            }
            Map<TopicPartition, OffsetAndMetadata> offsets =
                    get(admin.listConsumerGroupOffsets(group.groupId()).partitionsToOffsetAndMetadata());
            OffsetAndMetadata progress = offsets.get(partition);
            if (progress != null && clock.millis() - committedAtMillis(progress) <= ALIVE_MILLIS) {
                alive++;
                if (progress.offset() <= offset) {
                    behind.add(group.groupId().substring(prefix.length()));
                }
            }
        }
        return alive;
    }

    private static long committedAtMillis(OffsetAndMetadata progress) {
        try {
            return Long.parseLong(progress.metadata());
        } catch (NumberFormatException notOurs) {
            return 0;
        }
    }

    private static <T> T get(KafkaFuture<T> future) {
        try {
            return future.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new KafkaFailure("cannot see who has applied it", e.getCause());
        } catch (TimeoutException e) {
            throw new KafkaFailure("cannot see who has applied it", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaFailure("interrupted", e);
        }
    }
}
