package io.spillway.handler;

import java.time.InstantSource;
import java.util.Map;
import java.util.Set;

/** Queue and process for which a {@link HandlerType} creates a handler. Only Spillway implements it. */
public interface HandlerContext {
    /** Returns the clock of the worker. */
    InstantSource clock();

    /** Returns the address of the queue's cluster and {@code kafka.properties}, for any client of Kafka. */
    Map<String, Object> kafka();

    /** Returns the properties of a durable producer on the queue's cluster, without serializers. */
    Map<String, Object> producer();

    /** Returns the topics of the queue. An item that is produced to one of them would come again without end. */
    Set<String> ownTopics();
}
