package io.spillway.worker;

import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueuePartition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Where a worker group begins that has never read a lane: at its start, by a commit made before anybody joins. A lane
 * that has been purged was read before: when its commits are gone all the same, that is an error and never a silent
 * reset.
 */
final class FirstLaneOffsets {
    private FirstLaneOffsets() {}

    /**
     * Commits the start for each partition that nobody has read.
     *
     * @throws WorkerException when a partition was read before and its commit is gone
     */
    static void commit(QueueAdmin admin, String group, Collection<String> lanes) {
        List<QueuePartition> without = new ArrayList<>();
        for (String lane : lanes) {
            admin.read(lane, group).stream().filter(queue -> queue.committed().isEmpty()).forEach(without::add);
        }
        without.stream().filter(queue -> queue.start() > 0).findFirst().ifPresent(queue -> {
            throw new WorkerException("group " + group + " has lost its offsets for " + queue.partition()
                    + ": which of its items are done is not known, so it does not start; set them with"
                    + " kafka-consumer-groups.sh --group " + group + " --reset-offsets (earliest handles again what is still there)");
        });
        admin.commitStart(group, without);
    }
}
