package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.ConfigurationLoader;
import io.spillway.kafka.topics.Permission;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PermissionsTest {
    private static final Map<String, String> EVERYTHING = Map.of("shards.overlap", "1", "topics.trail", "1h");

    private final Topics topics = topics(Map.of());

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "PRODUCER | topic spillway.ingress                      | WRITE",
        "GATEWAY  | topic spillway.ingress                      | WRITE, DESCRIBE_CONFIGS",
        "GATEWAY  | topic spillway.hot                          | DESCRIBE, DESCRIBE_CONFIGS",
        "GATEWAY  | group spillway.keys.view.                   | READ",
        "ROUTER   | topic spillway.ingress                      | READ, DELETE, DESCRIBE_CONFIGS",
        "ROUTER   | topic spillway.hot                          | WRITE, DESCRIBE_CONFIGS",
        "ROUTER   | topic spillway.router-timers-changelog      | READ, WRITE, DESCRIBE_CONFIGS",
        "ROUTER   | group spillway.router                       | READ",
        "ROUTER   | group spillway.worker                       | DESCRIBE",
        "ROUTER   | transactional id spillway.router-           | WRITE",
        "WORKER   | topic spillway.hot                          | READ, DELETE, DESCRIBE_CONFIGS",
        "WORKER   | topic spillway.dead-letter                  | WRITE, DESCRIBE_CONFIGS",
        "WORKER   | topic spillway.keys                         | DESCRIBE, DESCRIBE_CONFIGS",
        "WORKER   | transactional id spillway.worker.           | WRITE",
        "OPERATOR | topic spillway.policies                     | READ, WRITE, CREATE, DESCRIBE_CONFIGS",
        "OPERATOR | topic spillway.hot                          | READ, CREATE, DESCRIBE_CONFIGS",
        "OPERATOR | transactional id spillway.replay            | WRITE"
    })
    void a_role_has_the_operations_that_its_use_of_the_resource_needs(
            AccessRole role, String resource, String operations) {
        assertThat(Permissions.of(topics, role)).filteredOn(each -> each.resourceText().equals(resource))
                .extracting(Permission::operationsText).containsExactly(operations);
    }

    @ParameterizedTest
    @EnumSource
    void no_role_needs_the_cluster_and_only_the_operator_creates_topics(AccessRole role) {
        assertThat(Permissions.of(topics(EVERYTHING), role)).isNotEmpty().allSatisfy(each -> {
            assertThat(each.type()).isIn(ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID);
            assertThat(each.operations().contains(AclOperation.CREATE))
                    .isEqualTo(role == AccessRole.OPERATOR && each.type() == ResourceType.TOPIC);
        });
    }

    @Test
    void a_producer_needs_ingress_alone() {
        assertThat(Permissions.of(topics, AccessRole.PRODUCER)).hasSize(1);
    }

    @Test
    void optional_topics_are_named_only_where_they_exist() {
        for (Map<String, String> settings : List.of(Map.<String, String>of(), EVERYTHING)) {
            Topics declared = topics(settings);
            for (AccessRole role : List.of(
                    AccessRole.ROUTER, AccessRole.WORKER, AccessRole.GATEWAY, AccessRole.OPERATOR)) {
                assertThat(Permissions.of(declared, role)).filteredOn(each -> each.type() == ResourceType.TOPIC)
                        .extracting(Permission::name)
                        .containsExactlyInAnyOrderElementsOf(declared.all().stream().map(TopicSpec::name).toList());
            }
        }
    }

    private static Topics topics(Map<String, String> settings) {
        return new Topics(ConfigurationLoader.load(Optional.empty(), Map.of(), settings).queue());
    }
}
