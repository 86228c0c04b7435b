package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.ApiKeys;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900) // Against a hang; nothing is measured.
class TenantsKeyCommandIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private CommandsUnderTest commands;

    @BeforeEach
    void configure() {
        commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
    }

    @Test
    void a_key_is_shown_once_listed_without_its_secret_and_revoked() {
        assertThat(commands.run("tenants", "key", "list").done().out()).isEqualTo("No tenant has a key.\n");
        JsonNode made = commands.run("tenants", "key", "create", "acme", "--output", "json").done().json();
        CommandRun second = commands.run("tenants", "key", "create", "acme").done();
        commands.run("tenants", "key", "create", "bolt").done();

        assertThat(made.get("tenant").textValue()).isEqualTo("acme");
        ApiKey first = ApiKey.parse(made.get("key").textValue()).orElseThrow();
        assertThat(made.get("keyId").textValue()).isEqualTo(first.keyId());
        assertThat(made.size()).isEqualTo(3);
        ApiKey other = ApiKey.parse(second.out().strip()).orElseThrow();
        assertThat(second.err()).as("the note has no secret").contains(other.keyId()).doesNotContain(other.text());

        CommandRun listed = commands.run("tenants", "key", "list", "acme").done();
        assertThat(listed.outLines()).hasSize(2)
                .anyMatch(line -> line.matches("acme  " + first.keyId() + "  20.*Z"))
                .anyMatch(line -> line.startsWith("acme  " + other.keyId()));
        assertThat(listed.out()).doesNotContain("spw_");
        assertThat(commands.run("tenants", "key", "list", "--output", "json").done().json()).hasSize(3);

        assertThat(commands.run("tenants", "key", "revoke", "bolt", first.keyId())
                        .failedWith(1))
                .contains("Nothing is revoked", "bolt");
        assertThat(commands.run("tenants", "key", "revoke", "acme", first.keyId()).done().out())
                .isEqualTo("Revoked " + first.keyId() + " of acme.\n");
        assertThat(commands.run("tenants", "key", "list", "acme").done().outLines())
                .singleElement()
                .asString()
                .contains(other.keyId());
        assertThat(commands.run("tenants", "key", "revoke", "acme", "--output", "json")
                        .done()
                        .json()
                        .get("revoked")
                        .toString())
                .isEqualTo("[\"" + other.keyId() + "\"]");
        assertThat(commands.run("tenants", "key", "revoke", "acme").failedWith(1)).contains("acme has no key");
        assertThat(commands.run("tenants", "key", "list").done().outLines())
                .singleElement()
                .asString()
                .startsWith("bolt");
    }

    @Test
    void no_secret_lies_in_kafka() throws Exception {
        String key = commands.run("tenants", "key", "create", "acme").done().out().strip();

        List<ConsumerRecord<byte[], byte[]>> stored = kafka.readAll(commands.topics().keys());
        assertThat(stored).hasSize(1);
        assertThat(new String(stored.getFirst().key(), StandardCharsets.US_ASCII)).isEqualTo(key.substring(4, 20));
        assertThat(new String(stored.getFirst().value(), StandardCharsets.ISO_8859_1))
                .doesNotContain(key.substring(21), "spw_");
    }

    @Test
    void a_tenant_has_a_bounded_number_of_keys() {
        for (int i = 0; i < ApiKeys.MAX_PER_TENANT; i++) {
            commands.run("tenants", "key", "create", "acme").done();
        }

        assertThat(commands.run("tenants", "key", "create", "acme").failedWith(1))
                .contains("acme already has 20 keys", "Revoke");
        commands.run("tenants", "key", "create", "bolt").done();
        commands.run("tenants", "key", "revoke", "acme").done();
        commands.run("tenants", "key", "create", "acme").done();
    }
}
