package io.spillway.bench.peers;

import io.confluent.parallelconsumer.PCRetriableException;
import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.CommitMode;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ParallelConsumerOptionsBuilder;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import io.confluent.parallelconsumer.PollContext;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/**
 * Confluent's parallel-consumer with its defaults: one consumer, as many threads as slots, commits in the background,
 * failed items after a delay. By key it never has two items of a tenant at a time.
 */
public final class ParallelConsumerQueue implements QueueUnderTest {
    /**
     * By key, records of one tenant pile up while it takes them one by one; with the default buffer (5,000 at the most
     * here)
     * they fill it, the consumer is paused, and no tenant gets anything. Twice the burst of the benchmark.
     */
    private static final int BY_KEY_BUFFER = 100_000;

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    private final PeerSetup setup;
    private final ParallelStreamProcessor<byte[], byte[]> processor;

    private ParallelConsumerQueue(PeerSetup setup, ParallelConsumerOptions<byte[], byte[]> options) {
        this.setup = setup;
        this.processor = ParallelStreamProcessor.createEosStreamProcessor(options);
        processor.subscribe(List.of(setup.topic()));
        processor.poll(this::handle);
        Assignments.awaitConsumerGroup(setup, this);
    }

    /** Starts one that takes items in any order. */
    public static ParallelConsumerQueue unordered(PeerSetup setup) {
        return new ParallelConsumerQueue(setup, options(setup).ordering(ProcessingOrder.UNORDERED).build());
    }

    /** Starts one that takes the items of a key one after the other. */
    public static ParallelConsumerQueue byKey(PeerSetup setup) {
        return new ParallelConsumerQueue(
                setup, options(setup).ordering(ProcessingOrder.KEY).messageBufferSize(BY_KEY_BUFFER).build());
    }

    private static ParallelConsumerOptionsBuilder<byte[], byte[]> options(PeerSetup setup) {
        return ParallelConsumerOptions.<byte[], byte[]>builder()
                .consumer(new KafkaConsumer<>(setup.consumer()))
                .maxConcurrency(setup.slots())
                .commitMode(CommitMode.PERIODIC_CONSUMER_ASYNCHRONOUS)
                .retryDelayProvider(item -> PeerBackoff.after(item.getNumberOfFailedAttempts()));
    }

    @Override
    public boolean isRunning() {
        return !processor.isClosedOrFailed();
    }

    @Override
    public void close() {
        processor.closeDontDrainFirst(CLOSE_LIMIT);
    }

    private void handle(PollContext<byte[], byte[]> item) {
        try {
            if (!setup.handler().handle(item.key(), item.value())) {
                throw new PCRetriableException("the destination is down");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PCRetriableException("interrupted", e);
        }
    }
}
