package io.spillway.deadletter;

import io.spillway.config.Configuration;
import io.spillway.core.item.Lane;
import io.spillway.kafka.codec.LedgerWriter;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.PartitionReader;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.QueueProgress;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Finishes dead letters, each exactly once, whatever is killed and however many runs there are: what takes their place
 * and the progress that says so are one transaction, and the latest run ends those before it.
 *
 * <p>Owner of its Kafka clients; used by one thread, once: {@link #survey}, then {@link #run}.
 */
public final class DeadLetterRun implements AutoCloseable {
    /**
     * Passed-over dead letters that the progress of a partition lists; at the bound they are put to the end of their
     * partition. Under {@link io.spillway.core.progress.PartitionProgress#DEFAULT_MAX_UNFINISHED}, so that they fit the
     * metadata wherever they lie.
     */
    static final int MAX_PASSED_OVER = 1_000;

    /** An open transaction keeps the delay stage from reading on: no longer than this after a kill. */
    private static final int TRANSACTION_TIMEOUT_MILLIS = 10_000;

    private final String topic;
    private final String group;
    private final int maxPassedOver;
    private final Admin admin;
    private final QueueAdmin queues;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final PartitionReader reader;
    private final Scan scan;
    private final DisposalTransactions transactions;

    /**
     * Connects, and ends every run before this one.
     *
     * @param configuration with a cluster in it
     * @param clock         for how long it waits
     * @throws KafkaFailure when the cluster refuses or does not answer
     */
    public DeadLetterRun(Configuration configuration, InstantSource clock) {
        this(configuration, clock, MAX_PASSED_OVER, UnaryOperator.identity());
    }

    /** With a bound of its own, and a producer that a test can break. */
    DeadLetterRun(
            Configuration configuration, InstantSource clock, int maxPassedOver,
            UnaryOperator<Producer<byte[], byte[]>> producers) {
        KafkaClients clients = new KafkaClients(configuration.queue());
        Topics topics = new Topics(configuration.queue());
        this.topic = topics.lane(Lane.DEAD_LETTER);
        this.group = topics.replayGroup();
        this.maxPassedOver = maxPassedOver;
        this.admin = clients.admin();
        this.queues = new QueueAdmin(admin);
        this.consumer = DeadLetters.consumer(clients, topics);
        this.reader = new PartitionReader(consumer, clock);
        this.scan = new Scan(reader);
        Producer<byte[], byte[]> producer = producers.apply(clients.producer(Map.of(
                ProducerConfig.TRANSACTIONAL_ID_CONFIG, topics.replayGroup(),
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_TIMEOUT_MILLIS,
                ProducerConfig.RETRY_BACKOFF_MS_CONFIG, 5,
                ProducerConfig.CLIENT_ID_CONFIG, topics.replayGroup())));
        this.transactions = new DisposalTransactions(producer, consumer.groupMetadata(), new LedgerWriter(topics), clock);
        try {
            // Before the progress is read: from here on no run before this one can add to it.
            producer.initTransactions();
        } catch (KafkaException e) {
            close();
            throw new KafkaFailure("cannot start as " + group, e);
        }
    }

    /**
     * Reads what a run would do, from the progress there is to the ends there are now.
     *
     * @param limit most dead letters that the run takes, 1 or more
     * @return empty when it was stopped
     * @throws KafkaFailure when the cluster does not answer
     */
    public Optional<Survey> survey(DeadLetterFilter filter, Disposal disposal, long limit, ScanListener watch) {
        Survey survey = new Survey(queues.readProgress(topic, group, true), limit);
        return survey.read(scan, filter, disposal, ReplayForecast.NONE, watch) ? Optional.of(survey) : Optional.empty();
    }

    /**
     * Does it, batch by batch, and then purges what is finished.
     *
     * @param survey of this run, with the same filter and disposal
     * @throws SupersededException when another run has begun
     * @throws KafkaFailure when the cluster refuses or does not answer; what is done is done, and no more
     */
    public RunResult run(Survey survey, DeadLetterFilter filter, Disposal disposal, ScanListener watch) {
        SelectedDeadLetters work = new SelectedDeadLetters(filter, disposal, survey.tally().count(), watch);
        Map<TopicPartition, Long> finished = new HashMap<>();
        for (QueueProgress part : survey.partitions()) {
            long end = Math.max(survey.endOfMatches(part.partition()), part.leftBehindTo());
            long frontier = end <= part.from() || work.isStopped()
                    ? part.progress().frontier()
                    : new PartitionRun(part, end, reader, scan, transactions, maxPassedOver).run(work);
            if (frontier > part.start()) {
                finished.put(part.partition(), frontier);
            }
        }
        if (!work.isStopped() && !work.isOver()) {
            // What the survey found is gone: only another run can have taken and purged it before this one got there.
            throw new SupersededException(work.done(), null);
        }
        purge(finished, work, disposal);
        return new RunResult(work.done(), work.toEnd(), work.isStopped());
    }

    private void purge(Map<TopicPartition, Long> finished, SelectedDeadLetters work, Disposal disposal) {
        try {
            if (!finished.isEmpty()) {
                queues.purgeBelow(finished);
            }
        } catch (KafkaFailure e) {
            throw new KafkaFailure(work.done() + " dead letters are " + disposal.done()
                    + "; they are not purged yet, run the same again within 7 days (offsets.retention.minutes)", e);
        }
    }

    @Override
    public void close() {
        transactions.close();
        consumer.close();
        admin.close(Duration.ofSeconds(5));
    }
}
