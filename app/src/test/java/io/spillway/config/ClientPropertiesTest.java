package io.spillway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.router.Router;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Properties of Kafka's clients: what Kafka would ignore, and what would break a guarantee, is refused. */
class ClientPropertiesTest {
    @ParameterizedTest
    @ValueSource(strings = {
        "kafka.properties.secruity.protocol",
        "kafka.properties.securityprotocol",
        "kafka.properties.ssl.truststore.loaction",
        "kafka.properties.sasl.jaas.conf",
        "kafka.properties.linger",
        "router.properties.num.standby.replica",
        "router.properties.secruity.protocol",
        "router.properties.main.consumer.sesion.timeout.ms",
        "router.properties.producer.lingr.ms"
    })
    void a_property_that_kafka_does_not_know_is_refused(String misspelt) {
        assertThat(errorOf(misspelt, "SSL")).startsWith(misspelt + " = ***: unknown to Kafka.");
    }

    @Test
    void the_value_of_an_unknown_property_is_hidden_because_it_may_be_a_misspelt_password() {
        assertThat(errorOf("kafka.properties.ssl.keystore.pasword", "hunter2")).doesNotContain("hunter2")
                .contains("unknown to Kafka");
    }

    @ParameterizedTest
    @CsvSource({
        "acks, 1, must be all",
        "acks, 0, in-sync replica",
        "enable.idempotence, false, store an item twice",
        "isolation.level, read_uncommitted, aborted transactions",
        "enable.auto.commit, true, unfinished items",
        "auto.offset.reset, latest, skip or repeat",
        "allow.auto.create.topics, true, cluster's defaults",
        "transaction.two.phase.commit.enable, true, would never end",
        "transactional.id, mine, worker.id",
        "group.id, mine, kafka.prefix",
        "bootstrap.servers, 'a:1', kafka.bootstrapServers",
        "max.request.size, 10, topics.maxBytes",
        "interceptor.classes, com.example.Changing, ledger",
        "partitioner.class, com.example.Partitioner, one partition",
        "partitioner.ignore.keys, true, one partition",
        "value.serializer, com.example.Json, are bytes",
        "key.deserializer, com.example.Json, are bytes"
    })
    void a_property_that_breaks_a_guarantee_is_refused_with_the_reason(String name, String value, String reason) {
        assertThat(errorOf("kafka.properties." + name, value))
                .startsWith("kafka.properties." + name + " = " + value + ": must ").contains(reason);
        assertThat(errorOf("router.properties." + name, value)).contains(reason);
        assertThat(errorOf("router.properties.consumer." + name, value)).contains(reason);
        assertThat(errorOf("router.properties.producer." + name, value)).contains(reason);
    }

    @ParameterizedTest
    @CsvSource({
        "processing.guarantee, at_least_once, in two lanes",
        "production.exception.handler, com.example.Continues, lose items",
        "default.production.exception.handler, com.example.Continues, lose items",
        "deserialization.exception.handler, com.example.Continues, lose items",
        "processing.exception.handler, com.example.Continues, lose items",
        "num.stream.threads, 4, router.threads",
        "commit.interval.ms, 10, router.commitInterval",
        "state.dir, /tmp, router.stateDir",
        "replication.factor, 1, topics.replication",
        "application.id, mine, kafka.prefix",
        "state.cleanup.delay.ms, 1, fired timers",
        "default.client.supplier, com.example.Supplier, ledger",
        "default.value.serde, com.example.Json, are bytes"
    })
    void a_property_of_kafka_streams_that_the_router_sets_itself_is_refused(String name, String value, String reason) {
        assertThat(errorOf("router.properties." + name, value))
                .startsWith("router.properties." + name + " = " + value + ": must ").contains(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "kafka.properties.security.protocol=SASL_SSL",
        "kafka.properties.sasl.jaas.config=x",
        "kafka.properties.ssl.truststore.certificates=x",
        "kafka.properties.sasl.oauthbearer.token.endpoint.url=https://127.0.0.1/",
        "kafka.properties.client.rack=r1",
        "kafka.properties.group.instance.id=i",
        "kafka.properties.config.providers=file",
        "kafka.properties.config.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider",
        "kafka.properties.acks=all",
        "kafka.properties.acks=-1",
        "kafka.properties.enable.idempotence=TRUE",
        "kafka.properties.isolation.level=read_committed",
        "router.properties.num.standby.replicas=1",
        "router.properties.group.protocol=streams",
        "router.properties.processing.guarantee=exactly_once_v2",
        "router.properties.rack.aware.assignment.tags=zone",
        "router.properties.linger.ms=1",
        "router.properties.main.consumer.session.timeout.ms=20000",
        "router.properties.producer.transaction.timeout.ms=20000",
        "router.properties.admin.retries=3",
        "kafka.plugins.example.reporter.address=127.0.0.1:1"
    })
    void security_tuning_and_the_values_that_spillway_uses_itself_are_allowed(String setting) {
        String[] parts = setting.split("=", 2);
        assertThat(load(parts[0], parts[1])).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "acks", "linger.ms", "group.id", "producer.acks", "processing.guarantee", "config.providers"
    })
    void a_property_that_kafka_knows_does_not_pass_unchecked_as_one_of_a_plug_in(String name) {
        assertThat(errorOf("kafka.plugins." + name, "1")).contains("because Kafka knows this property");
    }

    private static Configuration load(String key, String value) {
        Configuration configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of(key, value));
        // Checked at the start of a router, because only that knows Kafka Streams.
        Router.check(configuration);
        return configuration;
    }

    private static String errorOf(String key, String value) {
        String[] message = new String[1];
        assertThatExceptionOfType(InvalidSettingException.class).isThrownBy(() -> load(key, value))
                .satisfies(e -> message[0] = e.getMessage());
        assertThat(message[0]).matches("[ -~]+");
        return message[0];
    }
}
