package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.ConfigurationLoader;
import io.spillway.config.SourceSettings;
import io.spillway.kafka.topics.Permission;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
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
        "ROUTER   | topic spillway.ingress                      | READ, WRITE, DELETE, DESCRIBE_CONFIGS",
        "ROUTER   | topic spillway.hot                          | WRITE, DESCRIBE_CONFIGS",
        "ROUTER   | topic spillway.router-timers-changelog      | READ, WRITE, DESCRIBE_CONFIGS",
        "ROUTER   | group spillway.router                       | READ",
        "ROUTER   | group spillway.worker                       | DESCRIBE",
        "ROUTER   | transactional id spillway.router-           | WRITE",
        "WORKER   | topic spillway.hot                          | READ, WRITE, DELETE, DESCRIBE_CONFIGS",
        "WORKER   | topic spillway.dead-letter                  | WRITE, DESCRIBE_CONFIGS",
        "WORKER   | topic spillway.keys                         | DESCRIBE, DESCRIBE_CONFIGS",
        "WORKER   | transactional id spillway.worker.           | WRITE",
        "OPERATOR | topic spillway.policies                     | READ, WRITE, CREATE, DESCRIBE_CONFIGS",
        "OPERATOR | topic spillway.hot                          | READ, CREATE, DESCRIBE_CONFIGS",
        "OPERATOR | transactional id spillway.replay            | WRITE"
    })
    void a_role_has_the_operations_that_its_use_of_the_resource_needs(
            AccessRole role, String resource, String operations) {
        assertThat(Permissions.of(topics, Map.of(), role)).filteredOn(each -> each.resourceText().equals(resource))
                .extracting(Permission::operationsText).containsExactly(operations);
    }

    @ParameterizedTest
    @EnumSource
    void no_role_needs_the_cluster_and_only_the_operator_creates_topics(AccessRole role) {
        assertThat(Permissions.of(topics(EVERYTHING), Map.of(), role)).isNotEmpty().allSatisfy(each -> {
            assertThat(each.type()).isIn(ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID);
            assertThat(each.operations().contains(AclOperation.CREATE))
                    .isEqualTo(role == AccessRole.OPERATOR && each.type() == ResourceType.TOPIC);
        });
    }

    @Test
    void a_producer_needs_ingress_alone() {
        assertThat(Permissions.of(topics, Map.of(), AccessRole.PRODUCER)).hasSize(1);
    }

    @Test
    void a_source_needs_its_topic_and_its_group_to_be_read_or_looked_at() {
        Map<String, SourceSettings> sources = SourceSettings.parse(Map.of("s.topic", "orders", "s.tenant", "key"));
        assertThat(Permissions.of(topics(Map.of()), sources, AccessRole.ROUTER)).contains(
                new Permission(ResourceType.TOPIC, "orders", PatternType.LITERAL,
                        Set.of(AclOperation.READ, AclOperation.DESCRIBE_CONFIGS)),
                new Permission(ResourceType.GROUP, "spillway.router-source-s", PatternType.LITERAL,
                        Set.of(AclOperation.READ)));
        for (AccessRole looks : List.of(AccessRole.GATEWAY, AccessRole.OPERATOR)) {
            assertThat(Permissions.of(topics(Map.of()), sources, looks)).contains(
                    new Permission(ResourceType.TOPIC, "orders", PatternType.LITERAL,
                            Set.of(AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS)),
                    new Permission(ResourceType.GROUP, "spillway.router-source-s", PatternType.LITERAL,
                            Set.of(AclOperation.DESCRIBE)));
        }
        assertThat(Permissions.of(topics(Map.of()), sources, AccessRole.WORKER))
                .isEqualTo(Permissions.of(topics(Map.of()), Map.of(), AccessRole.WORKER));
    }

    @Test
    void optional_topics_are_named_only_where_they_exist() {
        for (Map<String, String> settings : List.of(Map.<String, String>of(), EVERYTHING)) {
            Topics declared = topics(settings);
            for (AccessRole role : List.of(
                    AccessRole.ROUTER, AccessRole.WORKER, AccessRole.GATEWAY, AccessRole.OPERATOR)) {
                assertThat(Permissions.of(declared, Map.of(), role))
                        .filteredOn(each -> each.type() == ResourceType.TOPIC)
                        .extracting(Permission::name)
                        .containsExactlyInAnyOrderElementsOf(declared.all().stream().map(TopicSpec::name).toList());
            }
        }
    }

    private static Topics topics(Map<String, String> settings) {
        return new Topics(ConfigurationLoader.load(Optional.empty(), Map.of(), settings).queue());
    }
}
