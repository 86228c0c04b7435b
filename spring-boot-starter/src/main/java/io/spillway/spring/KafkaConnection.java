package io.spillway.spring;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * How the application reaches Kafka as Spring Boot knows it, below what {@code spillway.kafka} says.
 *
 * @param properties of Kafka's clients: addresses and security
 * @param plugins    properties that Kafka's clients do not know
 */
record KafkaConnection(Map<String, String> properties, Map<String, String> plugins) {
    /** Returns the properties of the queue, of which those that are set there take precedence. */
    SpillwayProperties under(SpillwayProperties queue) {
        Map<String, String> kafka = new HashMap<>(properties);
        kafka.putAll(queue.kafka());
        Map<String, String> settings = new HashMap<>();
        plugins.forEach((name, value) -> settings.put(SpillwayAutoConfiguration.PLUGINS + name, value));
        settings.putAll(queue.settings());
        return new SpillwayProperties(queue.prefix(), kafka, settings, queue.worker());
    }

    /** In an application with Spring for Apache Kafka alone. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(KafkaConnectionDetails.class)
    static class FromSpring {
        @Bean
        @ConditionalOnBean(KafkaConnectionDetails.class)
        KafkaConnection spillwayKafkaConnection(KafkaConnectionDetails details, KafkaProperties known) {
            Map<String, String> properties = new LinkedHashMap<>();
            known.buildAdminProperties().forEach((name, value) -> {
                // Tuning is each client's own; these say where the cluster is, and who asks.
                if (name.matches("security\\..*|sasl\\..*|ssl\\..*|client\\.dns\\.lookup") && !(value instanceof Class)) {
                    properties.put(name, value.toString());
                }
            });
            KafkaConnectionDetails.Configuration admin = details.getAdmin();
            properties.put("bootstrap.servers", String.join(",", admin.getBootstrapServers()));
            if (admin.getSecurityProtocol() != null) {
                properties.put("security.protocol", admin.getSecurityProtocol());
            }
            SslBundle bundle = admin.getSslBundle();
            if (bundle == null) {
                return new KafkaConnection(properties, Map.of());
            }
            properties.keySet().removeIf(name -> name.startsWith("ssl."));
            properties.put("ssl.engine.factory.class", BundleSslEngineFactory.class.getName());
            return new KafkaConnection(properties, Map.of(
                    BundleSslEngineFactory.PROPERTY, BundleSslEngineFactory.register(bundle)));
        }
    }
}
