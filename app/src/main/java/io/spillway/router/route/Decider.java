package io.spillway.router.route;

import org.apache.kafka.streams.processor.api.Record;

/** Routing decision for one record. An exception makes the record a dead letter and does not end the stream thread. */
@FunctionalInterface
public interface Decider {
    Decision decide(Record<byte[], byte[]> record, long nowMillis);
}
