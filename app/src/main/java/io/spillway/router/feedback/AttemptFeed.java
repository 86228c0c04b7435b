package io.spillway.router.feedback;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.kafka.codec.AttemptReports;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.TopicTail;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;

/**
 * Input of the retry budgets: the workers' reports of their attempts, from now on. A report that is lost means fewer
 * retries, never more. Owner of the topic's reader.
 */
public final class AttemptFeed implements AutoCloseable {
    private final TopicTail tail;

    /** Creates a feed that {@link #start} starts; the receiver is called on its thread. */
    public AttemptFeed(
            KafkaClients clients, Topics topics, Consumer<List<AttemptCounts>> receiver, InstantSource clock,
            MeterRegistry registry) {
        AttemptReports reports = new AttemptReports();
        tail = new TopicTail(clients, topics.attempts(), report -> receiver.accept(reports.decode(report)), clock);
        FunctionCounter.builder("spillway.attempts.skipped", tail, TopicTail::skipped)
                .description("Reports of attempts that could not be decoded")
                .register(registry);
    }

    public void start() {
        tail.start();
    }

    @Override
    public void close() {
        tail.close();
    }
}
