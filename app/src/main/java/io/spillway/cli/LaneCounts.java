package io.spillway.cli;

import io.spillway.policy.Lane;
import io.spillway.policy.Printable;
import io.spillway.topic.KafkaClients;
import io.spillway.topic.QueueAdmin;
import io.spillway.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Counts what has been routed where, by record key, by reading the lanes themselves. Owned by the demo's thread. */
final class LaneCounts implements AutoCloseable {
    private static final List<Lane> LANES = List.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED, Lane.DEAD_LETTER);

    private final Consumer<byte[], byte[]> consumer;
    private final Map<String, Lane> laneOfTopic = new TreeMap<>();
    private final Map<String, Map<Lane, Long>> counts = new TreeMap<>();

    LaneCounts(KafkaClients clients, Topics topics) {
        this.consumer = clients.consumer(Map.of());
        Collection<TopicPartition> partitions = new ArrayList<>();
        for (Lane lane : LANES) {
            laneOfTopic.put(topics.lane(lane), lane);
            consumer.partitionsFor(topics.lane(lane)).forEach(info -> partitions.add(new TopicPartition(info.topic(), info.partition())));
        }
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** Reads what is committed now. */
    void read() {
        readTo(consumer.endOffsets(consumer.assignment()));
    }

    /** Reads everything that the lanes hold now, and waits for the transactions that are still open in them. */
    void readAll(QueueAdmin queues, Topics topics) {
        Map<TopicPartition, Long> ends = new HashMap<>();
        LANES.forEach(lane -> queues.read(topics.lane(lane), topics.workerGroup())
                .forEach(queue -> ends.put(queue.partition(), queue.end())));
        readTo(ends);
    }

    Map<String, Map<String, Long>> byTenant() {
        Map<String, Map<String, Long>> result = new TreeMap<>();
        counts.forEach((tenant, lanes) -> lanes.forEach((lane, count) ->
                result.computeIfAbsent(tenant, absent -> new TreeMap<>()).put(lane.label(), count)));
        return result;
    }

    String inOneLine() {
        StringBuilder line = new StringBuilder();
        for (Lane lane : LANES) {
            long sum = counts.values().stream().mapToLong(lanes -> lanes.getOrDefault(lane, 0L)).sum();
            line.append("%s %-7d ".formatted(lane.label(), sum));
        }
        return line.toString().stripTrailing();
    }

    /** A row for each tenant; what was sent and is in no lane was dropped by rule. */
    List<List<String>> table(Map<String, Long> sent) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("tenant", "sent", "hot", "overflow", "aged", "dead-letter", "dropped"));
        new TreeMap<>(sent).forEach((tenant, count) -> {
            Map<Lane, Long> lanes = counts.getOrDefault(tenant, Map.of());
            List<String> row = new ArrayList<>(List.of(tenant, Long.toString(count)));
            long dropped = count;
            for (Lane lane : LANES) {
                long here = lanes.getOrDefault(lane, 0L);
                dropped -= here;
                row.add(Long.toString(here));
            }
            row.add(Long.toString(dropped));
            rows.add(row);
        });
        return rows;
    }

    @Override
    public void close() {
        consumer.close();
    }

    private void readTo(Map<TopicPartition, Long> ends) {
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            consumer.poll(Duration.ofMillis(100)).forEach(this::count);
        }
    }

    private void count(ConsumerRecord<byte[], byte[]> record) {
        String tenant = record.key() == null ? "" : Printable.of(new String(record.key(), StandardCharsets.UTF_8));
        counts.computeIfAbsent(tenant, absent -> new EnumMap<>(Lane.class)).merge(laneOfTopic.get(record.topic()), 1L, Long::sum);
    }
}
