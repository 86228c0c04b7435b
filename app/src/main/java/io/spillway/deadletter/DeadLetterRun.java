package io.spillway.deadletter;

import io.spillway.config.Configuration;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.Topics;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Replay or discard of dead letters, each exactly once, even if processes are killed or several runs start: the
 * successor records and the progress are one transaction, and a new run fences earlier ones.
 *
 * <p>Owner of its Kafka clients; used by one thread, once: {@link #survey}, then {@link #run}.
 */
public final class DeadLetterRun implements AutoCloseable {
    /**
     * Maximum number of skipped dead letters in the progress of a partition; at the limit they are re-appended to the
     * partition. Below {@link io.spillway.core.progress.PartitionProgress#DEFAULT_MAX_UNFINISHED}, so that any offsets
     * fit into the metadata.
     */
    static final int MAX_SKIPPED = 1_000;

    /** Limits how long an open transaction of a killed run blocks the delay stage. */
    private static final int TRANSACTION_TIMEOUT_MILLIS = 10_000;

    private final int maxSkipped;
    private final DeadLetters letters;
    private final DisposalTransactions transactions;

    /**
     * Connects, and fences every earlier run.
     *
     * @param clock clock for timeouts
     * @throws KafkaFailure if the cluster rejects the run or does not respond
     */
    public DeadLetterRun(Configuration configuration, InstantSource clock) {
        this(configuration, clock, MAX_SKIPPED, UnaryOperator.identity());
    }

    /** @param producers wraps the producer, for fault injection in tests */
    DeadLetterRun(
            Configuration configuration, InstantSource clock, int maxSkipped,
            UnaryOperator<Producer<byte[], byte[]>> producers) {
        Topics topics = new Topics(configuration.queue());
        this.maxSkipped = maxSkipped;
        this.letters = new DeadLetters(configuration, clock);
        Producer<byte[], byte[]> producer = producers.apply(new KafkaClients(configuration.queue()).producer(Map.of(
                ProducerConfig.TRANSACTIONAL_ID_CONFIG, topics.replayGroup(),
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_TIMEOUT_MILLIS,
                ProducerConfig.RETRY_BACKOFF_MS_CONFIG, 5,
                ProducerConfig.CLIENT_ID_CONFIG, topics.replayGroup())));
        this.transactions =
                new DisposalTransactions(producer, letters.groupMetadata(), new LedgerWriter(topics), clock);
        try {
            // Before the progress is read: afterwards no earlier run can change it.
            producer.initTransactions();
        } catch (KafkaException e) {
            close();
            throw new KafkaFailure("cannot start transactions as " + topics.replayGroup(), e);
        }
    }

    /**
     * Determines what a run will do, from the current progress to the current ends of the partitions.
     *
     * @param limit maximum number of dead letters in the run, 1 or more
     * @return empty if it was stopped
     * @throws KafkaFailure if the cluster does not respond
     */
    public Optional<Survey> survey(DeadLetterFilter filter, Disposal disposal, long limit, ScanListener watch) {
        return letters.survey(letters.partitions(true), filter, disposal, limit, ReplayForecast.NONE, watch);
    }

    /**
     * Executes the run in batches, and then purges finished records.
     *
     * @param survey survey of this run, with the same filter and kind of disposal
     * @throws SupersededException if another run has started
     * @throws KafkaFailure if the cluster rejects a request or does not respond; committed batches remain valid
     */
    public RunResult run(Survey survey, DeadLetterFilter filter, Disposal disposal, ScanListener watch) {
        SelectedDeadLetters work = new SelectedDeadLetters(filter, disposal, survey.tally().count(), watch);
        Map<TopicPartition, Long> finished = new HashMap<>();
        for (QueueProgress part : survey.partitions()) {
            long end = Math.max(survey.endOfMatches(part.partition()), part.mixedEnd());
            long frontier = end <= part.from() || work.isStopped()
                    ? part.progress().frontier()
                    : new PartitionRun(part, end, letters, transactions, maxSkipped).run(work);
            finished.put(part.partition(), frontier);
        }
        if (!work.isStopped() && !work.isOver()) {
            // Records of the survey are missing: only another run can have finished and purged them.
            throw new SupersededException(work.done(), null);
        }
        try {
            letters.queues().purge(survey.partitions(), part -> finished.get(part.partition()));
        } catch (KafkaFailure e) {
            throw new KafkaFailure(work.done() + (work.done() == 1 ? " dead letter is " : " dead letters are ")
                    + disposal.done() + " but not purged yet;"
                    + " run the same command again within 7 days (offsets.retention.minutes)", e);
        }
        return new RunResult(work.done(), work.isStopped());
    }

    @Override
    public void close() {
        transactions.close();
        letters.close();
    }
}
