package io.spillway.embedded;

/**
 * Error in the start of the embedded Kafka. The message is one line with the directory or port and a remedy. No thread
 * of the failed start remains, and the data directory is unlocked.
 */
public final class EmbeddedKafkaException extends RuntimeException {
    EmbeddedKafkaException(String message, Throwable cause) {
        super(message, cause);
    }
}
