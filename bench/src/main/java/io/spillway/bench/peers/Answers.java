package io.spillway.bench.peers;

import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaFuture;

/** Waits for what the cluster answers. */
public final class Answers {
    private Answers() {}

    /**
     * The answer.
     *
     * @throws IllegalStateException when there is none, with why as its cause
     */
    public static <T> T get(KafkaFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }
}
