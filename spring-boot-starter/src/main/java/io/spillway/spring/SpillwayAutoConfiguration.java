package io.spillway.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.embed.WorkerHealth;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaSettings;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.ShardSettings;
import io.spillway.kafka.topics.TopicSettings;
import io.spillway.kafka.topics.Topics;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import tools.jackson.databind.json.JsonMapper;

/**
 * Beans of an application that sends or handles items, if {@code spillway.kafka.bootstrap.servers} is set, or Spring
 * Boot knows a Kafka.
 */
@AutoConfiguration(after = JacksonAutoConfiguration.class, afterName = {
    "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
    "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration"})
@Conditional(SpillwayAutoConfiguration.HasKafka.class)
@EnableConfigurationProperties(SpillwayProperties.class)
@Import(KafkaConnection.FromSpring.class)
public class SpillwayAutoConfiguration {
    /** First part of the settings that Kafka's clients pass on. */
    static final String PLUGINS = "kafka.plugins.";

    /** Whether the address of a Kafka is known. */
    static final class HasKafka extends AnyNestedCondition {
        HasKafka() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty("spillway.kafka.bootstrap.servers")
        static final class OwnAddress {}

        @ConditionalOnBean(type = "org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails")
        static final class SpringsAddress {}
    }

    @Bean
    @ConditionalOnMissingBean
    SpillwayTemplate spillwayTemplate(
            SpillwayProperties properties, ObjectProvider<KafkaConnection> connection, JsonMapper json) {
        QueueSettings queue = queue(over(connection, properties));
        return new SpillwayTemplate(
                () -> new KafkaClients(queue).producer(producing(queue)), new Topics(queue).ingress(), json);
    }

    /** With more requests in flight Kafka can store an item twice, after a batch of another one has timed out. */
    private static Map<String, Object> producing(QueueSettings queue) {
        String inFlight = ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION;
        return queue.kafka().properties().containsKey(inFlight) ? Map.of() : Map.of(inFlight, 1);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "spillway.worker.enabled", matchIfMissing = true)
    WorkerLifecycle spillwayWorkerLifecycle(
            SpillwayProperties properties, ObjectProvider<KafkaConnection> connection, ListableBeanFactory beans,
            JsonMapper json, ObjectProvider<MeterRegistry> registry, ObjectProvider<OpenTelemetry> telemetry,
            ApplicationEventPublisher events) {
        return new WorkerLifecycle(over(connection, properties), beans, json, registry, telemetry, events);
    }

    private static SpillwayProperties over(ObjectProvider<KafkaConnection> connection, SpillwayProperties properties) {
        KafkaConnection known = connection.getIfAvailable();
        return known == null ? properties : known.under(properties);
    }

    /** @throws InvalidSettingException if a property of the clients is unknown or not allowed */
    private static QueueSettings queue(SpillwayProperties properties) {
        Map<String, String> values = new HashMap<>();
        properties.kafka().forEach((name, value) -> values.put(
                name.equals("bootstrap.servers") ? "kafka.bootstrapServers" : "kafka.properties." + name, value));
        properties.settings().forEach((name, value) -> {
            if (name.startsWith(PLUGINS)) {
                values.put(name, value);
            }
        });
        values.put("kafka.prefix", properties.prefix());
        SettingsBinder binder = new SettingsBinder(values);
        return new QueueSettings(binder.bind(KafkaSettings.class), binder.bind(TopicSettings.class),
                binder.bind(ShardSettings.class));
    }

    /** Health of the worker, in an application with Actuator: down with the reason while it is not ready. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthIndicator.class)
    @ConditionalOnProperty(name = "spillway.worker.enabled", matchIfMissing = true)
    static class HealthConfiguration {
        @Bean
        @ConditionalOnMissingBean(name = "spillwayHealthIndicator")
        HealthIndicator spillwayHealthIndicator(WorkerLifecycle worker) {
            return () -> {
                WorkerHealth health = worker.health();
                return health.ready() ? Health.up().build()
                        : Health.down().withDetail("reason", health.reason()).build();
            };
        }
    }
}
