package io.spillway.operator.report;

import io.spillway.config.SourceSettings;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.SourceTopic;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.clients.admin.Admin;

/**
 * State of a source. Its components are the JSON fields.
 *
 * @param readers threads of routers that read it
 * @param lag     offsets that are not routed yet, with markers of transactions; 0 if it cannot be read
 * @param problem why it is not read; null if it is
 */
public record SourceState(
        String name, String topic, String format, int partitions, int readers, long lag, String problem) {
    static SourceState read(String name, SourceSettings source, String group, Admin admin, QueueAdmin queues) {
        List<QueueProgress> parts = List.of();
        int readers = 0;
        String problem;
        try {
            List<String> problems = new SourceTopic(admin, source.topic()).problems();
            if (problems.isEmpty()) {
                parts = queues.read(source.topic(), group);
                readers = queues.members(group).size();
            }
            boolean isBegun = source.startMillis().isEmpty() || parts.stream().anyMatch(QueueProgress::isCommitted);
            problem = !problems.isEmpty() ? problems.getFirst() : readers > 0 ? null
                    : "no router reads it" + (isBegun ? "" : " yet; its start is " + source.start());
        } catch (KafkaFailure e) {
            problem = Printable.of(e.getMessage());
        }
        return new SourceState(name, source.topic(), source.format().name().toLowerCase(Locale.ROOT), parts.size(),
                readers, parts.stream().mapToLong(QueueProgress::behind).sum(), problem);
    }
}
