package io.spillway.embedded;

/**
 * The embedded Kafka could not be started. The message is one plain line that names the directory or port and says what
 * to do; nothing of the failed start is left running and the data directory is free again.
 */
public final class EmbeddedKafkaException extends RuntimeException {
    EmbeddedKafkaException(String message, Throwable cause) {
        super(message, cause);
    }

    EmbeddedKafkaException(String message) {
        this(message, null);
    }
}
