package io.spillway.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What an application has told Spring Boot of Kafka. */
class KafkaConnectionTest {
    private final ApplicationContextRunner spring = new ApplicationContextRunner().withConfiguration(
                    AutoConfigurations.of(JacksonAutoConfiguration.class, SslAutoConfiguration.class,
                            KafkaAutoConfiguration.class, SpillwayAutoConfiguration.class))
            .withPropertyValues("spillway.worker.enabled=false");

    @Test
    void addresses_and_logins_count_below_the_own_properties_and_tuning_does_not() {
        spring.withPropertyValues("spring.kafka.bootstrap-servers=a:1,b:2", "spring.kafka.security.protocol=SASL_SSL",
                "spring.kafka.properties.sasl.mechanism=PLAIN", "spring.kafka.client-id=shop",
                "spring.kafka.properties.request.timeout.ms=7", "spring.kafka.ssl.trust-store-type=PEM",
                "spring.kafka.properties.sasl.jaas.config=login").run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(SpillwayTemplate.class);
            SpillwayProperties queue = context.getBean(KafkaConnection.class).under(
                    new SpillwayProperties("q", Map.of("sasl.mechanism", "SCRAM-SHA-512"), Map.of(), null));
            assertThat(queue.kafka()).containsExactlyInAnyOrderEntriesOf(Map.of("bootstrap.servers", "a:1,b:2",
                    "security.protocol", "SASL_SSL", "sasl.mechanism", "SCRAM-SHA-512", "sasl.jaas.config", "login",
                    "ssl.truststore.type", "PEM"));
            assertThat(queue.settings()).isEmpty();
        });
    }

    @Test
    void a_service_connection_gives_the_address() {
        spring.withBean(KafkaConnectionDetails.class, () -> () -> List.of("c:3")).run(context ->
                assertThat(context.getBean(KafkaConnection.class).properties())
                        .containsEntry("bootstrap.servers", "c:3"));
    }

    @Test
    void an_ssl_bundle_makes_the_connections() {
        Path authorities = Path.of(System.getProperty("java.home"), "lib", "security", "cacerts");
        spring.withPropertyValues("spring.kafka.security.protocol=SSL", "spring.kafka.ssl.bundle=public",
                "spring.ssl.bundle.jks.public.truststore.location=" + authorities.toUri(),
                "spring.ssl.bundle.jks.public.truststore.password=changeit",
                "spring.ssl.bundle.jks.public.options.enabled-protocols=TLSv1.3").run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(SpillwayTemplate.class);
            KafkaConnection connection = context.getBean(KafkaConnection.class);
            assertThat(connection.properties())
                    .containsEntry("ssl.engine.factory.class", BundleSslEngineFactory.class.getName());
            try (BundleSslEngineFactory factory = new BundleSslEngineFactory()) {
                factory.configure(connection.plugins());
                SSLEngine engine = factory.createClientSslEngine("kafka-1", 9093, "https");
                assertThat(engine.getUseClientMode()).isTrue();
                assertThat(engine.getSSLParameters().getEndpointIdentificationAlgorithm()).isEqualTo("https");
                assertThat(engine.getEnabledProtocols()).containsExactly("TLSv1.3");
                assertThat(factory.truststore().size()).isPositive();
            }
        });
    }

    @Test
    void without_spring_for_apache_kafka_the_own_address_is_needed() {
        ApplicationContextRunner without =
                spring.withClassLoader(new FilteredClassLoader(KafkaConnectionDetails.class));
        without.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(SpillwayTemplate.class));
        without.withPropertyValues("spillway.kafka.bootstrap.servers=a:1").run(context ->
                assertThat(context).hasNotFailed().hasSingleBean(SpillwayTemplate.class)
                        .doesNotHaveBean("spillwayKafkaConnection"));
    }
}
