package io.spillway.kafka.topics;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.policy.SettingsBinder;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopicDifferenceTest {
    private final Map<String, TopicSpec> specs = specs(Map.of());

    @ParameterizedTest(name = "{0}: {1} = {2} is {3}")
    @CsvSource({
        "ingress, cleanup.policy, compact, loss", "ingress, cleanup.policy, 'compact,delete', loss",
        "policies, cleanup.policy, delete, loss", "policies, cleanup.policy, 'compact,delete', loss",
        "demand, cleanup.policy, 'delete,compact', fine", "demand, cleanup.policy, compact, cost",
        "demand, cleanup.policy, delete, loss",
        "hot, retention.ms, 604800000, loss", "hot, retention.bytes, 1000000, loss",
        "demand, retention.ms, 1, cost", "actions, retention.bytes, 1, cost",
        "hot, min.insync.replicas, 1, loss", "hot, min.insync.replicas, 3, fine", "hot, min.insync.replicas, 4, loss",
        "depths, unclean.leader.election.enable, true, loss", "depths, unclean.leader.election.enable, unset, loss",
        "ingress, message.timestamp.type, CreateTime, loss", "hot, message.timestamp.type, LogAppendTime, loss",
        "depths, message.timestamp.type, CreateTime, cost",
        "hot, message.timestamp.before.max.ms, 86400000, loss", "ingress, message.timestamp.before.max.ms, 1, fine",
        "hot, message.timestamp.after.max.ms, 3600000, fine", "hot, message.timestamp.after.max.ms, 3599999, loss",
        "depths, message.timestamp.after.max.ms, unset, fine",
        "depths, delete.retention.ms, 86399999, loss", "depths, delete.retention.ms, 86400001, fine",
        "ingress, max.message.bytes, 1114111, loss", "ingress, max.message.bytes, 1114113, cost",
        "ingress, compression.type, producer, cost", "hot, segment.bytes, 52428800, cost", "hot, segment.ms, 1, cost",
        "router-timers-changelog, min.cleanable.dirty.ratio, 0.5, cost"
    })
    void a_setting_loses_something_or_costs_something_or_serves(
            String topic, String key, String actual, String expected) {
        TopicSpec spec = specs.get("spillway." + topic);
        String timestamps = key.equals("message.timestamp.type") ? actual
                : spec.configs().get("message.timestamp.type");
        String found = TopicDifference.of(spec, key, actual, timestamps, 3)
                .map(difference -> difference.isLoss() ? "loss" : "cost").orElse("fine");
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void what_is_declared_serves() {
        specs.values().forEach(spec -> spec.configs().forEach((key, value) -> assertThat(
                TopicDifference.of(spec, key, value, "CreateTime", 3)).as(spec.name() + " " + key).isEmpty()));
        assertThat(specs.get("spillway.hot").configs()).containsEntry(
                "message.timestamp.before.max.ms", Long.toString(Long.MAX_VALUE));
    }

    @Test
    void fewer_replicas_than_declared_need_fewer_in_sync() {
        TopicSpec hot = specs.get("spillway.hot");
        assertThat(TopicDifference.of(hot, "min.insync.replicas", "1", "CreateTime", 1)).isEmpty();
        assertThat(TopicDifference.of(hot, "min.insync.replicas", "2", "CreateTime", 1)).isEmpty();
    }

    @Test
    void a_retention_that_is_set_is_the_least_that_serves() {
        TopicSpec hot = specs(Map.of("topics.retention", "7d")).get("spillway.hot");
        assertThat(hot.configs()).containsEntry("retention.ms", "604800000");
        assertThat(TopicDifference.of(hot, "retention.ms", "-1", "CreateTime", 3)).isEmpty();
        assertThat(TopicDifference.of(hot, "retention.ms", "604800001", "CreateTime", 3)).isEmpty();
        assertThat(TopicDifference.of(hot, "retention.ms", "604799999", "CreateTime", 3))
                .hasValueSatisfying(difference -> assertThat(difference.isLoss()).isTrue());
    }

    private static Map<String, TopicSpec> specs(Map<String, String> settings) {
        return new Topics(new SettingsBinder(settings).bind(QueueSettings.class)).all().stream()
                .collect(Collectors.toMap(TopicSpec::name, spec -> spec));
    }
}
