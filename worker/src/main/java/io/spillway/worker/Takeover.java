package io.spillway.worker;

import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressCodec;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Progress of the partitions that a worker takes over, and a summary for the log of those from one that died. Not
 * thread-safe.
 */
final class Takeover {
    private static final Logger LOG = LoggerFactory.getLogger(Takeover.class);
    /** Partitions that the line names; the others are counted. */
    private static final int MAX_NAMED = 5;

    private final List<String> named = new ArrayList<>();
    private final List<String> marked = new ArrayList<>();
    private int partitions;
    private int alone;
    private long suspects;

    /**
     * Returns the progress of an assigned partition from what its group has committed. What cannot be read is logged.
     *
     * @throws WorkerException if there is none, or a later release has written it
     */
    PartitionProgress progress(TopicPartition partition, Optional<OffsetAndMetadata> committed, long logEnd) {
        ProgressState state = state(partition, committed);
        add(partition, state, logEnd);
        return new PartitionProgress(state, logEnd, PartitionProgress.DEFAULT_MAX_UNFINISHED);
    }

    private static ProgressState state(TopicPartition partition, Optional<OffsetAndMetadata> committed) {
        OffsetAndMetadata offset = committed.orElseThrow(() -> new WorkerException("The workers' group has no offset"
                + " for " + partition + ". Restart the worker: it commits the first offset of a new partition."));
        // Taken for damage, it would let items end twice that have moved to another lane.
        ProgressCodec.laterVersion(offset.offset(), offset.metadata()).ifPresent(version -> {
            throw new WorkerException("The progress of " + partition + " has format " + version
                    + " of a later release, and this one reads format " + ProgressCodec.VERSION
                    + ". Start workers of that release again, or of the one before it, which reads both.");
        });
        if (!offset.metadata().isEmpty()
                && ProgressCodec.tryDecode(offset.offset(), offset.metadata()).isEmpty()) {
            LOG.warn("The progress of {} above its committed offset {} cannot be read: it was changed, or belongs"
                    + " to another offset. Finished items above the offset are handled or moved again, and it is"
                    + " not known which items were running: {}", partition, offset.offset(),
                    Printable.of(offset.metadata()));
        }
        return ProgressCodec.decode(offset.offset(), offset.metadata());
    }

    /** Adds an assigned partition; one that its last owner released in order is left out. */
    void add(TopicPartition partition, ProgressState state, long logEnd) {
        if (state.clean()) {
            return;
        }
        // Offsets of control records are among the unread ones.
        long unread = Math.max(0, Math.min(state.horizon(), logEnd) - state.readTo());
        long here = state.unfinished().size() + unread;
        partitions++;
        suspects += here;
        alone += state.alone() || state.mark().isPresent() || state.groupEnd() > 0 ? 1 : 0;
        if (here > 0 && named.size() < MAX_NAMED) {
            named.add(partition + ": " + here);
        }
        state.mark().ifPresent(mark -> {
            if (marked.size() < MAX_NAMED) {
                marked.add(partition + "@" + mark.offset());
            }
        });
    }

    /** Returns one line, or empty when no added partition was left by a worker that died. */
    Optional<String> describe() {
        if (partitions == 0) {
            return Optional.empty();
        }
        return Optional.of("Took over " + count(partitions, "partition") + " of a worker that died, with at most "
                + count(suspects, "item") + " that it may have been handling"
                + (named.isEmpty() ? "" : " (" + String.join(", ", named)
                        + (partitions > named.size() ? ", ..." : "") + ")")
                + (suspects == 0 ? "" : alone == 0
                        ? "; they run again, the oldest one at a time"
                        : "; after another death, those of " + count(alone, "partition") + " run one at a time")
                + (marked.isEmpty() ? "" : "; it died while this item ran alone: " + String.join(", ", marked)));
    }

    private static String count(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
