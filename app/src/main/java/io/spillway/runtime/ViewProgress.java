package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
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
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/** Tells how far the running instances have applied a compacted topic, from what their views commit every second. */
public final class ViewProgress {
    /** An instance that has not committed for this long is not running. */
    private static final long ALIVE_MILLIS = 10_000;
    /**
     * How long a first report is waited for when there is none. An instance reports every second, and from when it has read the
     * topic whole: one that is ready has reported, or does so within a second or two.
     */
    static final long FIRST_REPORT_MILLIS = 3_000;
    private static final long TIMEOUT_MILLIS = 30_000;
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** What a command's option {@code --wait} says of itself. */
    public static final String WAIT = "return when every running instance has applied it; when none reports within 3 s, say so";
    /** The same where only gateways apply it. */
    public static final String WAIT_FOR_GATEWAYS = "return when every running gateway has applied it; when none reports within 3 s, say so";

    private final Admin admin;
    private final InstantSource clock;

    public ViewProgress(Admin admin, InstantSource clock) {
        this.admin = admin;
        this.clock = clock;
    }

    /** The group to which an instance commits its progress in a topic. */
    static String groupOf(String topic, String instance) {
        return topic + ".view." + instance;
    }

    /**
     * Waits until every running instance has applied a record that was just written, and says on standard error who that was.
     *
     * @throws CommandFailure when some have not within the time
     */
    public static void await(Configuration configuration, RecordMetadata stored, InstantSource clock, Printer printer) {
        try (Admin admin = new KafkaClients(configuration.queue()).admin()) {
            int instances = new ViewProgress(admin, clock)
                    .await(new TopicPartition(stored.topic(), stored.partition()), stored.offset(), TIMEOUT_MILLIS);
            if (instances == 0) {
                printer.problem("stored; but no running instance has reported within " + FIRST_REPORT_MILLIS / 1000
                        + " s, so none was waited for");
            } else {
                printer.note("applied by " + instances + " running instance" + (instances == 1 ? "" : "s"));
            }
        }
    }

    /**
     * Waits until every running instance has applied a record: those that have reported at the end of it, and when there are
     * none, for the first at most {@value #FIRST_REPORT_MILLIS} ms.
     *
     * @return instances that have; 0 when none has reported
     * @throws CommandFailure when some have not within the time
     */
    public int await(TopicPartition partition, long offset, long timeoutMillis) {
        long startMillis = clock.millis();
        long deadlineMillis = startMillis + timeoutMillis;
        while (true) {
            List<String> behind = new ArrayList<>();
            int alive = look(partition, offset, behind);
            long nowMillis = clock.millis();
            if (alive > 0 && behind.isEmpty() || alive == 0 && nowMillis - startMillis >= FIRST_REPORT_MILLIS) {
                return alive;
            }
            if (alive > 0 && nowMillis > deadlineMillis) {
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
