package io.spillway.router.feedback;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.spillway.core.overload.StallDetector;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueuePartition;
import io.spillway.kafka.topics.ReadableEnd;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for transactions that are never decided: readers of committed records stop before them for ever, while everything
 * else looks well. Measures, and says once for each how to end it.
 *
 * <p>Owner: the housekeeping thread; the gauges read what it wrote last.
 */
public final class UndecidedTransactions {
    /** Longer than any transaction of ours, or of a producer with Kafka's default, may be open. */
    static final long ALARM_MILLIS = 120_000;

    private static final Logger LOG = LoggerFactory.getLogger(UndecidedTransactions.class);

    private final QueueAdmin admin;
    private final StallDetector<TopicPartition> watch = new StallDetector<>();
    private final Map<String, Long> longestMillis = new ConcurrentHashMap<>();
    private final Map<TopicPartition, Long> told = new HashMap<>();

    public UndecidedTransactions(QueueAdmin admin, Set<String> queues, MeterRegistry registry) {
        this.admin = admin;
        for (String queue : queues) {
            TimeGauge.builder("spillway.lane.undecided", longestMillis, TimeUnit.MILLISECONDS, all -> all.getOrDefault(queue, 0L))
                    .description("For how long readers of a partition have stood before a transaction that is not decided, the longest")
                    .tag("lane", queue)
                    .register(registry);
        }
    }

    /** Looks whether readers can come to the ends of these queues, which were read a moment ago. */
    public void look(Map<String, List<QueuePartition>> queues, long nowMillis) {
        queues.forEach((queue, parts) -> longestMillis.put(queue, longest(admin.readableEnds(parts), nowMillis)));
    }

    private long longest(List<ReadableEnd> ends, long nowMillis) {
        long longest = 0;
        for (ReadableEnd each : ends) {
            long millis = watch.standsForMillis(each.partition(), each.readableTo(), each.end(), nowMillis);
            longest = Math.max(longest, millis);
            if (millis >= ALARM_MILLIS && !Long.valueOf(each.readableTo()).equals(told.put(each.partition(), each.readableTo()))) {
                TopicPartition at = each.partition();
                LOG.error("{} cannot be read beyond offset {}: a transaction there has not been decided for {} s. If its producer is gone,"
                                + " end it with: kafka-transactions.sh abort --topic {} --partition {} --start-offset {}",
                        at, each.readableTo(), millis / 1_000, at.topic(), at.partition(), each.readableTo());
            }
        }
        return longest;
    }
}
