package io.spillway.bench.load;

import io.spillway.bench.peers.QueueUnderTest;
import io.spillway.bench.support.Scene;
import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import java.util.concurrent.TimeUnit;

/**
 * Samples how many items wait in hot, looks once for workers without partitions, and shows how far a run is.
 * Used by the thread that drives it.
 */
final class FleetWatch implements LoadRun.Observer {
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final long fromNanos;
    private Scene scene;
    private QueueAdmin admin;
    private long nextSampleNanos;
    private long nextLineNanos;
    private long most;
    private long idle = -1;

    /** @param fromSecond from which on samples count */
    FleetWatch(int fromSecond) {
        this.fromNanos = Flow.nanos(fromSecond);
    }

    @Override
    public void begin(Scene begun, QueueUnderTest queue) {
        scene = begun;
        admin = new QueueAdmin(begun.admin());
    }

    @Override
    public void look(Ledger ledger, QueueUnderTest queue, long atNanos) {
        if (atNanos < nextSampleNanos) {
            return;
        }
        nextSampleNanos = atNanos + SAMPLE_NANOS;
        long waiting = admin.readProgress(scene.topics().lane(Lane.HOT), scene.topics().workerGroup(), false).stream()
                .mapToLong(QueueProgress::waiting).sum();
        if (atNanos >= fromNanos) {
            most = Math.max(most, waiting);
            idle = idle >= 0 ? idle : admin.members(scene.topics().workerGroup()).stream()
                    .filter(member -> member.assignment().topicPartitions().isEmpty()).count();
        }
        if (atNanos >= nextLineNanos) {
            nextLineNanos = atNanos + LINE_NANOS;
            System.err.printf("         %4d s: %,d sent, %,d done, %,d in hot%n",
                    TimeUnit.NANOSECONDS.toSeconds(atNanos), ledger.offered(tenant -> true, 0, atNanos),
                    ledger.itemsDone(), waiting);
        }
    }

    /** Most unfinished items at one time. */
    long most() {
        return most;
    }

    /** Workers that had no partition of any lane when samples began to count, so their slots were of no use. */
    long idle() {
        return idle;
    }
}
