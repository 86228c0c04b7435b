package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

/** The command needs no cluster. */
class TopicsAclsTest {
    @Test
    void a_principal_gets_commands_that_can_be_pasted() {
        assertThat(CommandRun.of("topics", "acls", "--role", "worker", "--principal", "User:CN=w 1",
                        "--bootstrap-servers", "kafka-1:9092", "--prefix", "q").done().outLines())
                .allMatch(line -> line.startsWith("kafka-acls.sh --bootstrap-server kafka-1:9092 --add"
                        + " --allow-principal 'User:CN=w 1' --operation "))
                .anyMatch(line -> line.endsWith(" --operation Read --operation Write --operation Delete"
                        + " --operation DescribeConfigs --topic q.hot"))
                .anyMatch(line -> line.endsWith(" --operation Read --group q.worker"))
                .anyMatch(line -> line.endsWith(
                        " --operation Write --transactional-id q.worker. --resource-pattern-type prefixed"));
    }

    @Test
    void the_table_and_the_json_have_the_prefix_of_the_configuration() {
        assertThat(CommandRun.of("topics", "acls", "--role", "producer", "--prefix", "q").done().outLines())
                .containsExactly("resource  name       pattern  operations", "TOPIC     q.ingress  LITERAL  WRITE");
        JsonNode json = CommandRun.of("topics", "acls", "--role", "producer", "--principal", "User:p",
                "--output", "json").done().json();
        assertThat(json.toString()).isEqualTo("[{\"name\":\"spillway.ingress\",\"operations\":[\"WRITE\"],"
                + "\"patternType\":\"LITERAL\",\"principal\":\"User:p\",\"resourceType\":\"TOPIC\"}]");
    }

    @Test
    void an_unknown_role_is_wrong_usage_that_names_the_roles() {
        assertThat(CommandRun.of("topics", "acls", "--role", "king").failedWith(2))
                .contains("--role", "king", "OPERATOR");
    }
}
