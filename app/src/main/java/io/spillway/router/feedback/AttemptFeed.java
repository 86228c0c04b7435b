package io.spillway.router.feedback;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.FirstStarts;
import io.spillway.core.retry.UnreachableSubscriptions;
import io.spillway.kafka.codec.AttemptReports;
import io.spillway.kafka.metrics.AgeTimer;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.TopicFollower;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Input of the retry budgets: the workers' reports of their attempts, from now on. A report that is lost means fewer
 * retries, never more; an old one is of no use. So it starts at the end of the topic, also after an error. It also
 * measures the age of items when the first of all workers starts the first of their deliveries.
 */
public final class AttemptFeed extends TopicFollower {
    private final AttemptReports reports = new AttemptReports();
    private final Consumer<List<AttemptCounts>> receiver;
    private final UnreachableSubscriptions unreachable;
    private final FirstStarts starts = new FirstStarts();
    private final Timer ageOfFirst;

    /** Creates a feed that {@link #start} starts; the receiver is called on its thread. */
    public AttemptFeed(
            KafkaClients clients, Topics topics, Consumer<List<AttemptCounts>> receiver,
            UnreachableSubscriptions unreachable, InstantSource clock, MeterRegistry registry) {
        super(clients, topics.attempts(), "tail-", Map.of(), clock);
        this.receiver = receiver;
        this.unreachable = unreachable;
        this.ageOfFirst = AgeTimer.of("spillway.age_of_first_subscriber_first_attempt",
                "Age of an item at the first attempt of its first subscriber").register(registry);
        FunctionCounter.builder("spillway.attempts.skipped", this, TopicFollower::skipped)
                .description("Reports of attempts that could not be decoded")
                .register(registry);
    }

    /** Starts, and does not wait for anything. */
    public void start() {
        begin();
    }

    @Override
    protected void follow(
            org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> from, List<TopicPartition> partitions) {
        from.seekToEnd(partitions);
        while (isRunning()) {
            from.poll(POLL).forEach(this::apply);
        }
    }

    private void apply(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null) {
            return; // The last one of a worker that has stopped.
        }
        try {
            AttemptReports.Report report = reports.decode(record.value());
            if (!report.counts().isEmpty()) {
                receiver.accept(report.counts());
                unreachable.counted(report.counts());
            }
            report.starts().stream().filter(starts::isFirst)
                    .forEach(start -> ageOfFirst.record(start.ageMillis(), TimeUnit.MILLISECONDS));
        } catch (IllegalArgumentException e) {
            skip(record, e.getMessage());
        }
    }
}
