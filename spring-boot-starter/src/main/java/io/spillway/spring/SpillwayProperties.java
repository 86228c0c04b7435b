package io.spillway.spring;

import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the queue that this application works for.
 *
 * @param prefix   First part of every topic name of the queue.
 * @param kafka    Properties of the Kafka clients: bootstrap.servers, which is required, security and tuning.
 * @param settings Settings of the worker by their keys in Spillway's configuration reference, such as worker.slots.
 * @param worker   The worker of this application.
 */
@ConfigurationProperties("spillway")
public record SpillwayProperties(
        @DefaultValue("spillway") String prefix, @DefaultValue Map<String, String> kafka,
        @DefaultValue Map<String, String> settings, @DefaultValue Worker worker) {
    /**
     * Worker of this application.
     *
     * @param enabled Whether to start a worker if a bean has a method with SpillwayHandler.
     * @param id      Name of the worker, the same after a restart. Default: the name of the host.
     * @param slots   Maximum number of handler calls that run at the same time.
     */
    public record Worker(
            @DefaultValue("true") boolean enabled, @DefaultValue("") String id, @DefaultValue("50") int slots) {}
}
