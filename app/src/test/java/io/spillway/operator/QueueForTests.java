package io.spillway.operator;

import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.deadletter.DeadLetter;
import io.spillway.deadletter.DeadLetterCursor;
import io.spillway.deadletter.DeadLetterFilter;
import io.spillway.deadletter.DeadLetterPage;
import io.spillway.deadletter.DeadLetterSamples;
import io.spillway.deadletter.RunResult;
import io.spillway.deadletter.ScanListener;
import io.spillway.deadletter.Survey;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.SweepTarget;
import io.spillway.kafka.view.ViewContent;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** Queue in memory: compacted topics, dead letters, and runs that finish one of them at a time. */
public class QueueForTests implements OperatorQueue {
    public final Topics topics = new Topics(
            ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of()).queue());
    /** The action log, which follows its topic at once. */
    public final ActionLog log = new ActionLog(Integer.MAX_VALUE);
    public final List<DeadLetter> letters = new CopyOnWriteArrayList<>(List.of(DeadLetterSamples.letter(
            0, 7, "acme", "order-1", 1_799_999_000_000L, "hello".getBytes(StandardCharsets.UTF_8))));
    /** Runs wait for it after their survey. */
    public volatile CountDownLatch mayRun = new CountDownLatch(0);
    public volatile Optional<RuntimeException> failure = Optional.empty();
    /** Topics that cannot be written. */
    public final List<String> readOnly = new CopyOnWriteArrayList<>();
    private final Map<String, Map<String, byte[]>> stored = new ConcurrentHashMap<>();

    /** Returns an API on an empty queue, for a gateway whose operators ask for nothing. */
    public static OperatorApi operator(Configuration configuration) {
        return new OperatorApi(
                new QueueForTests(), configuration, new ActionLog(10), InstantSource.system(), () -> 1);
    }

    /** Returns the values of a topic by key. */
    public Map<String, byte[]> stored(String topic) {
        return stored.computeIfAbsent(topic, none -> new ConcurrentSkipListMap<>());
    }

    @Override
    public CompactedStore open() {
        failure.ifPresent(thrown -> {
            throw thrown;
        });
        return new CompactedStore() {
            @Override
            public <C extends ViewContent<?>> C read(String topic, C content) {
                stored(topic).forEach(content::put);
                return content;
            }

            @Override
            public RecordMetadata write(String topic, Map<String, byte[]> values) {
                if (readOnly.contains(topic)) {
                    throw new KafkaFailure("Not authorized to write to " + topic);
                }
                values.forEach((key, value) -> {
                    if (value == null) {
                        stored(topic).remove(key);
                    } else {
                        stored(topic).put(key, value);
                        if (topic.equals(topics.actions())) {
                            log.put(key, value);
                        }
                    }
                });
                return new RecordMetadata(new TopicPartition(topic, 0), 0, 0, 0, 0, 0);
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public Waiting waiting(SweepTarget target, long beforeMillis, long maxMillis) {
        return new Waiting(3, 1, true);
    }

    @Override
    public DeadLetterPage page(DeadLetterFilter filter, Optional<DeadLetterCursor> cursor, int limit) {
        return DeadLetterSamples.page(letters, filter);
    }

    @Override
    public Optional<DeadLetter> deadLetter(int partition, long offset) {
        return letters.stream().filter(letter -> letter.position().equals(partition + "-" + offset)).findFirst();
    }

    @Override
    public Optional<Survey> survey(DisposalOrder order, ScanListener watch) {
        return Optional.of(DeadLetterSamples.survey(topics, letters, order.filter(), order.limit()));
    }

    @Override
    public Optional<RunResult> run(
            DisposalOrder order, Function<Survey, DisposalOrder> surveyed, ScanListener watch) {
        failure.ifPresent(thrown -> {
            throw thrown;
        });
        Survey survey = DeadLetterSamples.survey(topics, letters, order.filter(), order.limit());
        surveyed.apply(survey);
        List<DeadLetter> selected = letters.stream().filter(order.filter()::matches).toList();
        try {
            mayRun.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        long done = 0;
        while (done < survey.tally().count() && !watch.isStopped()) {
            letters.remove(selected.get((int) done));
            watch.progressed("replayed", ++done, survey.tally().count());
        }
        return Optional.of(new RunResult(done, done < survey.tally().count()));
    }
}
