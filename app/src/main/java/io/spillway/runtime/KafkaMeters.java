package io.spillway.runtime;

import io.micrometer.core.instrument.config.MeterFilter;
import io.spillway.config.MetricsSettings;
import java.util.Set;

/**
 * Selection of the metrics of Kafka's own clients and of Kafka Streams, whose names begin with {@code kafka.}. A
 * process has thousands of series of them, because many have one for each partition, topic, broker or task. The
 * selected ones have one for each client or thread, and those of consumed records one for each topic.
 */
final class KafkaMeters {
    private static final String PREFIX = "kafka.";

    /** Names as registered; docs/metrics.md lists them as Prometheus shows them. */
    static final Set<String> SELECTED = Set.of(
            "kafka.stream.alive.stream.threads", "kafka.stream.failed.stream.threads",
            "kafka.stream.thread.process.rate", "kafka.stream.thread.process.ratio",
            "kafka.stream.thread.poll.ratio", "kafka.stream.thread.commit.ratio",
            "kafka.stream.thread.commit.latency.avg", "kafka.stream.thread.commit.latency.max",
            "kafka.consumer.connection.count", "kafka.consumer.failed.authentication.total",
            "kafka.consumer.fetch.manager.fetch.latency.avg",
            "kafka.consumer.fetch.manager.records.consumed.total",
            "kafka.consumer.fetch.manager.bytes.consumed.total",
            "kafka.consumer.coordinator.assigned.partitions", "kafka.consumer.coordinator.rebalance.total",
            "kafka.consumer.coordinator.failed.rebalance.total",
            "kafka.consumer.coordinator.last.rebalance.seconds.ago",
            "kafka.consumer.coordinator.last.heartbeat.seconds.ago",
            "kafka.consumer.last.poll.seconds.ago", "kafka.consumer.poll.idle.ratio.avg",
            "kafka.producer.connection.count", "kafka.producer.failed.authentication.total",
            "kafka.producer.request.latency.avg", "kafka.producer.request.latency.max",
            "kafka.producer.record.queue.time.avg", "kafka.producer.record.error.total",
            "kafka.producer.record.retry.total", "kafka.producer.record.send.total",
            "kafka.producer.buffer.available.bytes", "kafka.producer.txn.commit.time.ns.total",
            "kafka.producer.txn.abort.time.ns.total");

    private KafkaMeters() {}

    /** Returns the filter that denies other meters of Kafka, and no meters that are not Kafka's. */
    static MeterFilter filter(MetricsSettings.KafkaMetrics choice) {
        return MeterFilter.deny(id -> id.getName().startsWith(PREFIX) && switch (choice) {
            case ALL -> false;
            case SELECTED -> !SELECTED.contains(id.getName());
            case NONE -> true;
        });
    }
}
