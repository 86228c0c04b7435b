package io.spillway.router;

import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueuePartition;
import io.spillway.kafka.topics.Topics;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a router begins that has never run: at the start of ingress and of the delay lane, by a commit made before it
 * starts. One that has run and has lost its commits is an error and never a silent reset, which would route everything
 * once more or skip it.
 */
final class FirstOffsets {
    private static final Logger LOG = LoggerFactory.getLogger(FirstOffsets.class);

    private FirstOffsets() {}

    /**
     * Commits the start for each partition of ingress, of the delay lane, of the ledger and of the requests for shards that nobody has read.
     *
     * @throws RouterException when a partition was read before and its commit is gone
     */
    static void commit(QueueAdmin admin, Topics topics) {
        List<QueuePartition> ingress = partitionsToBegin(
                admin, topics, topics.ingress(), () -> lanesAreUntouched(admin, topics));
        // Whoever has kept a timer has written to the changelog, even if the timer has rung since.
        List<QueuePartition> delay = partitionsToBegin(
                admin, topics, topics.lane(Lane.DELAY), () -> isUntouched(admin, topics, topics.timersChangelog()));
        List<QueuePartition> requests = !topics.assignsShards() ? List.of() : partitionsToBegin(
                admin, topics, topics.shardRequests(), () -> isUntouched(admin, topics, topics.shardsChangelog()));
        List<QueuePartition> ledger = partitionsToBegin(
                admin, topics, topics.ledger(), () -> isUntouched(admin, topics, topics.booksChangelog()));
        List<QueuePartition> all = Stream.of(ingress, delay, requests, ledger).flatMap(List::stream).toList();
        if (!all.isEmpty()) {
            admin.commitStart(topics.routerGroup(), all);
            LOG.info("Group {} begins at the start of {} partitions of {} and {} of {}", topics.routerGroup(),
                    ingress.size(), topics.ingress(), delay.size(), topics.lane(Lane.DELAY));
        }
    }

    private static List<QueuePartition> partitionsToBegin(
            QueueAdmin admin, Topics topics, String topic, BooleanSupplier neverRan) {
        List<QueuePartition> queues = admin.read(topic, topics.routerGroup());
        List<QueuePartition> without =
                queues.stream().filter(queue -> queue.committed().isEmpty()).toList();
        if (without.isEmpty()) {
            return without;
        }
        boolean onlyAdded = without.size() < queues.size();
        if (without.stream().anyMatch(queue -> queue.start() > 0) || !onlyAdded && !neverRan.getAsBoolean()) {
            throw new RouterException("group " + topics.routerGroup() + " has lost its offsets for "
                    + without.getFirst().partition() + (without.size() > 1 ? " and " + (without.size() - 1) + " more" : "")
                    + ": where it stood is not known, so it does not start; set them with kafka-consumer-groups.sh --group "
                    + topics.routerGroup() + " --reset-offsets (earliest routes again what is still there, latest skips it)");
        }
        return without;
    }

    private static boolean lanesAreUntouched(QueueAdmin admin, Topics topics) {
        return Stream.of(Lane.values()).allMatch(lane -> isUntouched(admin, topics, topics.lane(lane)));
    }

    private static boolean isUntouched(QueueAdmin admin, Topics topics, String topic) {
        return admin.read(topic, topics.workerGroup()).stream().allMatch(queue -> queue.end() == 0);
    }
}
