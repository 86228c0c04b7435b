package io.spillway.kafka.topics;

import io.spillway.core.text.Printable;
import io.spillway.kafka.advice.ConnectionFault;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;

/** Kafka error: a refused request or a missing answer. The message is one line for an operator. */
public final class KafkaFailure extends RuntimeException {
    public KafkaFailure(String action, Throwable cause) {
        super(action + ": " + ConnectionFault.describe(cause).orElseGet(() -> Printable.of(reason(cause))), cause);
    }

    /** Creates a failure with a complete message: one line, already escaped, which may be of any length. */
    public KafkaFailure(String line) {
        super(line);
    }

    /** Returns whether the cause of an error is that another producer has the same transactional id. */
    public static boolean isFencing(Throwable error) {
        return isCausedBy(error, ProducerFencedException.class)
                || isCausedBy(error, InvalidProducerEpochException.class);
    }

    /** Returns whether an error or one of its causes is of a kind. */
    public static boolean isCausedBy(Throwable error, Class<? extends Throwable> kind) {
        return Stream.iterate(error, Objects::nonNull, Throwable::getCause).anyMatch(kind::isInstance);
    }

    /** Returns whether a poll failed by an answer of the cluster, and not by a position or a callback of its caller. */
    public static boolean isRefusal(KafkaException error) {
        return !(error instanceof InvalidOffsetException || error instanceof InterruptException)
                && (error instanceof ApiException || error.getCause() == null);
    }

    private static String reason(Throwable cause) {
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
