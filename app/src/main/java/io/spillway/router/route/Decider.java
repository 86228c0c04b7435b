package io.spillway.router.route;

import org.apache.kafka.streams.processor.api.Record;

/** Decides on one record; what it throws becomes a dead letter, not a dead thread. */
@FunctionalInterface
public interface Decider {
    Decision decide(Record<byte[], byte[]> record, long nowMillis);
}
