package io.spillway.router;

import io.spillway.policy.Lane;
import io.spillway.topic.QueueAdmin;
import io.spillway.topic.QueuePartition;
import io.spillway.topic.Topics;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a router begins that has never run: at the start of ingress, by a commit made before it starts. One that has
 * run and has lost its commits is an error and never a silent reset, which would route everything once more or skip it.
 */
final class FirstOffsets {
    private static final Logger LOG = LoggerFactory.getLogger(FirstOffsets.class);

    private FirstOffsets() {}

    /**
     * Commits the start for each ingress partition that nobody has read.
     *
     * @throws RouterException when a partition was read before and its commit is gone
     */
    static void commit(QueueAdmin admin, Topics topics) {
        List<QueuePartition> ingress = admin.read(topics.ingress(), topics.routerGroup());
        List<QueuePartition> without =
                ingress.stream().filter(queue -> queue.committed().isEmpty()).toList();
        if (without.isEmpty()) {
            return;
        }
        boolean neverRan = without.size() == ingress.size() && lanesAreUntouched(admin, topics);
        boolean onlyAdded = without.size() < ingress.size();
        if (!neverRan && !onlyAdded || without.stream().anyMatch(queue -> queue.start() > 0)) {
            throw new RouterException("group " + topics.routerGroup() + " has lost its offsets for "
                    + without.getFirst().partition() + (without.size() > 1 ? " and " + (without.size() - 1) + " more" : "")
                    + ": where it stood is not known, so it does not start; set them with kafka-consumer-groups.sh --group "
                    + topics.routerGroup() + " --reset-offsets (earliest routes again what is still there, latest skips it)");
        }
        admin.commitStart(topics.routerGroup(), without);
        LOG.info("Group {} begins at the start of {} partitions of {}", topics.routerGroup(), without.size(), topics.ingress());
    }

    private static boolean lanesAreUntouched(QueueAdmin admin, Topics topics) {
        return Stream.of(Lane.values())
                .flatMap(lane -> admin.read(topics.lane(lane), topics.workerGroup()).stream())
                .allMatch(queue -> queue.end() == 0);
    }
}
