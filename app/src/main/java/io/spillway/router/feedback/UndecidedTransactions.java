package io.spillway.router.feedback;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.spillway.core.overload.StallDetector;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.ReadableEnd;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detector of transactions that are never committed or aborted. Readers of committed records stop before them while
 * everything else looks healthy. Measures them and logs once for each how to end it.
 *
 * <p>Owner: the housekeeping thread; the gauges read its latest values.
 */
public final class UndecidedTransactions {
    /** Longer than any transaction of Spillway, or of a producer with Kafka's default timeout, may be open. */
    static final long REPORT_AFTER_MILLIS = 120_000;

    private static final Logger LOG = LoggerFactory.getLogger(UndecidedTransactions.class);

    private final QueueAdmin admin;
    private final LongSupplier nanoClock;
    private final StallDetector<TopicPartition> stalls = new StallDetector<>();
    private final Map<String, Long> longestMillis = new ConcurrentHashMap<>();
    private final Map<TopicPartition, Long> reported = new HashMap<>();

    /** Creates a detector for these queues; {@code nanoClock} is monotonic, so a step of the clock is no stall. */
    public UndecidedTransactions(
            QueueAdmin admin, Set<String> queues, LongSupplier nanoClock, MeterRegistry registry) {
        this.admin = admin;
        this.nanoClock = nanoClock;
        for (String queue : queues) {
            TimeGauge.builder(
                            "spillway.lane.undecided", longestMillis, TimeUnit.MILLISECONDS,
                            all -> all.getOrDefault(queue, 0L))
                    .description("Longest time that an undecided transaction has blocked the readers of a partition")
                    .tag("lane", queue)
                    .register(registry);
        }
    }

    /** Measures whether readers can reach the ends of these queues, which were read a moment ago. */
    public void measure(Map<String, List<QueueProgress>> queues) {
        long nowMillis = TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong());
        queues.forEach((queue, parts) -> longestMillis.put(queue, longest(admin.readableEnds(parts), nowMillis)));
    }

    private long longest(List<ReadableEnd> ends, long nowMillis) {
        long longest = 0;
        for (ReadableEnd readableEnd : ends) {
            TopicPartition partition = readableEnd.partition();
            long readableTo = readableEnd.readableTo();
            long millis = stalls.stalledMillis(partition, readableTo, readableEnd.end(), nowMillis);
            longest = Math.max(longest, millis);
            if (millis >= REPORT_AFTER_MILLIS
                    && !Long.valueOf(readableTo).equals(reported.put(partition, readableTo))) {
                LOG.error("{} cannot be read beyond offset {}: a transaction there has been open for {} s."
                                + " If its producer has ended, or is not yours, abort it with: {}",
                        partition, readableTo, millis / 1_000, admin.commands().spillway("transactions abort --topic "
                                + partition.topic() + " --partition " + partition.partition() + " --offset "
                                + readableTo));
            }
        }
        return longest;
    }
}
