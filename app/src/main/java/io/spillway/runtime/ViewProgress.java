package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.view.InstanceViews;
import io.spillway.kafka.view.ProgressMark;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** Progress of the running instances in a compacted topic, from the offsets that their views commit. */
public final class ViewProgress {
    /** An instance without a commit for this long is not running. */
    private static final long ALIVE_MILLIS = 10_000;
    /** A view that has read the whole topic commits at least every two seconds. */
    static final long FIRST_REPORT_MILLIS = 3_000;
    private static final long TIMEOUT_MILLIS = 30_000;
    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final String READING = "read which instances have applied the change";

    /** Description of the option {@code --wait}. */
    public static final String WAIT = "Wait until every running instance has applied the change. If none reports "
            + "within 3 s, print that and return.";
    /** Description of {@code --wait} for changes that only gateways apply. */
    public static final String WAIT_FOR_GATEWAYS = "Wait until every running gateway has applied the change. If none "
            + "reports within 3 s, print that and return.";

    private final Admin admin;
    private final InstantSource clock;

    public ViewProgress(Admin admin, InstantSource clock) {
        this.admin = admin;
        this.clock = clock;
    }

    /**
     * Waits until every running instance has applied a record, and prints their number to standard error.
     *
     * @throws CommandFailure if some have not within 30 s
     */
    public static void await(Configuration configuration, RecordMetadata stored, InstantSource clock, Printer printer) {
        try (Admin admin = new KafkaClients(configuration.queue()).admin()) {
            int instances = new ViewProgress(admin, clock)
                    .await(new TopicPartition(stored.topic(), stored.partition()), stored.offset(), TIMEOUT_MILLIS);
            if (instances == 0) {
                printer.problem("Stored, but no running instance has reported within " + FIRST_REPORT_MILLIS / 1000
                        + " s. If one is running, check its log.");
            } else {
                printer.note("Applied by " + Printer.count(instances, "running instance") + ".");
            }
        }
    }

    /**
     * Waits until every running instance has applied a record. If none has reported, it waits for the first one, at
     * most {@value #FIRST_REPORT_MILLIS} ms.
     *
     * @return number of instances that have applied it; 0 if none has reported
     * @throws CommandFailure if some have not within the timeout
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
                throw CommandFailure.failed("Stored, but not applied within " + timeoutMillis / 1000 + " s by " + behind
                        + ". Check the logs of these instances.");
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
    }

    private int look(TopicPartition partition, long offset, List<String> behind) {
        String prefix = InstanceViews.groupOf(partition.topic(), "");
        int alive = 0;
        for (GroupListing group : TopicAdmin.get(admin.listGroups().all(), READING)) {
            if (!group.groupId().startsWith(prefix)) {
                continue;
            }
            OffsetAndMetadata progress = TopicAdmin.get(
                    admin.listConsumerGroupOffsets(group.groupId()).partitionsToOffsetAndMetadata(), READING)
                    .get(partition);
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
        return ProgressMark.parse(progress.metadata()).map(ProgressMark::atMillis).orElse(0L);
    }
}
