package io.spillway.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.SettingsBinder;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.TopicSettings;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ExistingQueueTest {
    private static final TopicSettings SETTINGS =
            new TopicSettings(6, 3, 100_000, Optional.of(Duration.ofHours(2)), Optional.empty());
    private static final Topics NAMES = topics(SETTINGS);

    private final Map<String, TopicDescription> descriptions = new HashMap<>();
    private final Map<ConfigResource, Config> configs = new HashMap<>();

    ExistingQueueTest() {
        NAMES.all().forEach(spec -> create(spec, spec.replication()));
    }

    @Test
    void the_settings_of_a_queue_follow_from_its_topics() {
        assertThat(found()).isEqualTo(SETTINGS);
    }

    @Test
    void without_a_topic_of_the_trail_none_is_kept() {
        descriptions.remove(NAMES.trail());
        assertThat(found().trail()).isEmpty();
    }

    @Test
    void topics_that_have_more_replicas_while_they_move_require_no_more_of_the_others() {
        TopicSpec ingress = spec(NAMES.ingress());
        create(ingress, 6);
        assertThat(found()).isEqualTo(SETTINGS);
    }

    @Test
    void an_ingress_that_takes_larger_records_requires_no_larger_lanes() {
        maxBytes(NAMES.ingress(), 5_000_000);
        assertThat(found()).isEqualTo(SETTINGS);
    }

    @Test
    void a_larger_lane_alone_changes_nothing() {
        maxBytes(NAMES.lane(Lane.DEAD_LETTER), 5_000_000);
        assertThat(found()).isEqualTo(SETTINGS);
    }

    @Test
    void a_lane_that_takes_less_than_the_others_does_not_become_the_rule() {
        maxBytes(NAMES.lane(Lane.AGED), 50_000);
        assertThat(found()).as("so that the check refuses it").isEqualTo(SETTINGS);
    }

    @Test
    void a_trail_that_the_login_may_not_see_is_named_with_what_to_grant() {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(ExistingQueue.class);
        log.start();
        logger.addAppender(log);
        try {
            assertThat(keepsTrail(new UnknownTopicOrPartitionException())).isFalse();
            assertThat(log.list).as("of a queue without a trail").isEmpty();
            assertThat(keepsTrail(new TopicAuthorizationException(NAMES.trail()))).isFalse();
            assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).containsExactly(
                    "This login may not see the topic spillway.trail, so this worker writes no trail. If the queue keeps"
                            + " one, give the login DESCRIBE, DESCRIBE_CONFIGS and WRITE on it, and start the worker"
                            + " again");
            assertThatThrownBy(() -> keepsTrail(new TimeoutException("none"))).isInstanceOf(KafkaFailure.class);
        } finally {
            logger.detachAppender(log);
        }
    }

    private static boolean keepsTrail(RuntimeException answer) {
        return ExistingQueue.keepsTrail(NAMES.trail(), KafkaFuture.completedFuture("").thenApply(none -> {
            throw answer;
        }));
    }

    private TopicSettings found() {
        return ExistingQueue.settings(NAMES, descriptions, configs);
    }

    private static TopicSpec spec(String name) {
        return NAMES.all().stream().filter(spec -> spec.name().equals(name)).findFirst().orElseThrow();
    }

    private void maxBytes(String topic, int bytes) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        List<ConfigEntry> entries = new ArrayList<>(configs.get(resource).entries());
        entries.removeIf(entry -> entry.name().equals(TopicConfig.MAX_MESSAGE_BYTES_CONFIG));
        entries.add(new ConfigEntry(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(bytes)));
        configs.put(resource, new Config(entries));
    }

    private void create(TopicSpec spec, int replicas) {
        List<Node> nodes = IntStream.range(0, replicas).mapToObj(id -> new Node(id, "127.0.0.1", 1)).toList();
        descriptions.put(spec.name(), new TopicDescription(spec.name(), false, IntStream.range(0, spec.partitions())
                .mapToObj(partition -> new TopicPartitionInfo(partition, nodes.getFirst(), nodes, nodes)).toList()));
        configs.put(new ConfigResource(ConfigResource.Type.TOPIC, spec.name()), new Config(spec.configs().entrySet()
                .stream().map(config -> new ConfigEntry(config.getKey(), config.getValue())).toList()));
    }

    private static Topics topics(TopicSettings settings) {
        QueueSettings shipped = new SettingsBinder(Map.of("kafka.bootstrapServers", "127.0.0.1:1"))
                .bind(QueueSettings.class);
        return new Topics(new QueueSettings(shipped.kafka(), settings, shipped.shards()));
    }
}
