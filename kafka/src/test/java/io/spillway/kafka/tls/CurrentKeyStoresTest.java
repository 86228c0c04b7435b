package io.spillway.kafka.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.embedded.SecureKafka;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaSettings;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.ShardSettings;
import io.spillway.kafka.topics.TopicSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CurrentKeyStoresTest {
    @TempDir
    private Path directory;

    @Test
    void a_client_reads_a_changed_key_store_again_and_keeps_the_former_one_while_it_cannot() throws Exception {
        Path pem = identity("one");
        KafkaClients clients = clients(Map.of(
                "security.protocol", "SSL", "ssl.keystore.type", "PEM", "ssl.keystore.location", pem.toString()));
        assertThat(clients.common()).containsEntry("ssl.engine.factory.class", CurrentKeyStores.class);
        CurrentKeyStores keys = clients.keyStore().orElseThrow();
        X509Certificate first = certificate(keys);
        assertThat(keys.endMillis()).hasValue(first.getNotAfter().getTime());

        replace(pem, "broken");
        keys.createClientSslEngine("127.0.0.1", 1, "https");
        assertThat(certificate(keys)).isEqualTo(first);

        replace(pem, Files.readString(identity("two")));
        keys.createClientSslEngine("127.0.0.1", 1, "https");
        assertThat(certificate(keys)).isNotEqualTo(first);
        assertThat(keys.endMillis()).hasValue(certificate(keys).getNotAfter().getTime());
    }

    @Test
    void clients_without_stores_and_with_a_class_of_their_own_are_left_alone() {
        assertThat(clients(Map.of()).keyStore()).isEmpty();
        assertThat(clients(Map.of()).common()).doesNotContainKey("ssl.engine.factory.class");
        assertThat(clients(Map.of("ssl.truststore.location", "x", "ssl.engine.factory.class", "my.Own")).common())
                .containsEntry("ssl.engine.factory.class", "my.Own");
    }

    private Path identity(String name) throws Exception {
        Path store = SecureKafka.createStore(directory.resolve(name + ".p12"));
        return SecureKafka.writeKey(store, SecureKafka.writeCertificate(store, directory.resolve(name + ".pem")));
    }

    /** Replaces the content of a file, and its time, whose resolution may be coarse. */
    private static void replace(Path file, String content) throws Exception {
        FileTime before = Files.getLastModifiedTime(file);
        Files.writeString(file, content);
        Files.setLastModifiedTime(file, FileTime.fromMillis(before.toMillis() + 2_000));
    }

    private static X509Certificate certificate(CurrentKeyStores keys) throws Exception {
        return (X509Certificate) keys.keystore().getCertificate(keys.keystore().aliases().nextElement());
    }

    private static KafkaClients clients(Map<String, String> properties) {
        return new KafkaClients(new QueueSettings(
                new KafkaSettings("127.0.0.1:1", "spillway", 0, properties, Map.of()),
                new TopicSettings(4, 1, 1_114_112, Optional.empty(), Optional.empty()),
                new ShardSettings(0, 0, List.of(), OptionalInt.empty(), 4, 0.5, Duration.ofSeconds(10))));
    }
}
