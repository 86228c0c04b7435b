package io.spillway.kafka.topics;

import io.spillway.core.item.Printable;

/** Kafka error: a refused request or a missing answer. The message is one line for an operator. */
public final class KafkaFailure extends RuntimeException {
    public KafkaFailure(String action, Throwable cause) {
        super(action + ": " + ConnectionFault.describe(cause).orElseGet(() -> Printable.of(reason(cause))), cause);
    }

    /** Creates a failure with a complete message: one line, already escaped, which may be of any length. */
    public KafkaFailure(String line) {
        super(line);
    }

    private static String reason(Throwable cause) {
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
