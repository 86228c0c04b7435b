package io.spillway.runtime;

import io.spillway.config.Configuration;
import io.spillway.core.item.Lane;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Sweeps;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;

/** Record since when the timestamps of ingress are the broker's, which sweeps and cancels need. */
final class EntryTimes {
    private EntryTimes() {}

    /**
     * Writes the record if there is none: the topics are checked, so at least from now, and in a new system from its
     * first item on.
     */
    static void record(Configuration configuration, Sweeps sweeps, InstantSource clock) {
        if (sweeps.entryTimesSinceMillis() == Long.MAX_VALUE) {
            Topics topics = new Topics(configuration.queue());
            try (CompactedTopics compacted = new CompactedTopics(configuration, clock)) {
                compacted.write(topics.sweeps(), Sweeps.ENTRY_TIMES,
                        Sweeps.encodeEntryTimes(hasNeverHadItems(configuration, topics) ? 0 : clock.millis()));
            }
        }
    }

    private static boolean hasNeverHadItems(Configuration configuration, Topics topics) {
        try (Admin admin = new KafkaClients(configuration.queue()).admin()) {
            QueueAdmin queues = new QueueAdmin(admin);
            Stream<String> names = Stream.concat(
                    Stream.of(topics.ingress()), Arrays.stream(Lane.values()).map(topics::lane));
            return names.allMatch(
                    name -> queues.read(name, topics.routerGroup()).stream().allMatch(part -> part.end() == 0));
        }
    }
}
