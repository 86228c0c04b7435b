package io.spillway.kafka.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.AttemptReports;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.Items;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopicsTest {
    private static final List<String> LANES = List.of("hot", "overflow", "aged", "delay", "dead-letter");
    private static final List<String> COMPACTED =
            List.of("policies", "keys", "sweeps", "shards", "depths", "schedules");

    private final Topics topics = new Topics(queue("topics.maxBytes", "10000"));
    private final Map<String, TopicSpec> specs =
            topics.all().stream().collect(Collectors.toMap(TopicSpec::name, spec -> spec));

    @Test
    void exactly_the_documented_topics_are_declared() {
        assertThat(topics.all().stream().map(TopicSpec::name)).containsExactlyInAnyOrder(
                "spillway.ingress", "spillway.hot", "spillway.overflow", "spillway.aged", "spillway.delay",
                "spillway.dead-letter", "spillway.ledger", "spillway.policies", "spillway.keys", "spillway.sweeps",
                "spillway.shards", "spillway.lane-state", "spillway.attempts", "spillway.timeouts", "spillway.depths",
                "spillway.demand", "spillway.actions", "spillway.schedules",
                "spillway.router-timers-changelog", "spillway.router-books-changelog",
                "spillway.router-schedules-changelog");
    }

    @Test
    void assigned_shards_add_one_partition_of_requests_and_one_of_the_registry() {
        Topics assigning = new Topics(queue("shards.overlap", "2"));

        assertThat(assigning.all()).hasSize(topics.all().size() + 2);
        assertThat(assigning.all()).filteredOn(spec -> spec.name().contains("shard"))
                .extracting(TopicSpec::name, TopicSpec::partitions)
                .containsExactlyInAnyOrder(tuple("spillway.shards", 1),
                        tuple("spillway.shard-requests", 1),
                        tuple("spillway.router-shards-changelog", 1));
    }

    @Test
    void names_begin_with_the_prefix() {
        Topics orders = new Topics(queue("kafka.prefix", "orders.eu"));
        assertThat(orders.all()).allMatch(spec -> spec.name().startsWith("orders.eu."));
        assertThat(orders.ingress()).isEqualTo("orders.eu.ingress");
        assertThat(orders.lane(Lane.DEAD_LETTER)).isEqualTo("orders.eu.dead-letter");
        assertThat(orders.policies()).isEqualTo("orders.eu.policies");
        assertThat(orders.sweeps()).isEqualTo("orders.eu.sweeps");
        assertThat(orders.routerGroup()).isEqualTo("orders.eu.router");
        assertThat(orders.workerGroup()).isEqualTo("orders.eu.worker");
    }

    @Test
    void names_with_the_longest_prefix_are_valid_in_kafka() {
        assertThat(new Topics(queue("kafka.prefix", "p".repeat(200))).all())
                .allMatch(spec -> spec.name().length() <= 249);
    }

    @Test
    void records_of_a_queue_never_expire_by_time_or_size() {
        for (String name : queues()) {
            assertThat(specs.get(name).configs()).as(name)
                    .containsEntry("cleanup.policy", "delete")
                    .containsEntry("retention.ms", "-1")
                    .containsEntry("retention.bytes", "-1");
        }
    }

    @Test
    void a_record_of_ingress_fits_into_a_lane_and_one_of_a_lane_into_the_dead_letters() {
        assertThat(maxBytes("ingress")).isEqualTo(10_000);
        for (String lane : List.of("hot", "overflow", "aged", "delay")) {
            assertThat(maxBytes(lane)).as(lane).isEqualTo(10_000 + 64 * 1024);
        }
        assertThat(maxBytes("dead-letter")).isEqualTo(10_000 + 128 * 1024);
        assertThat(topics.ingressMaxBytes()).isEqualTo(10_000);
        assertThat(topics.laneMaxBytes()).isEqualTo(10_000 + 64 * 1024);
        assertThat(topics.deadLetterMaxBytes()).isEqualTo(10_000 + 128 * 1024);
    }

    @Test
    void the_largest_setting_does_not_overflow() {
        assertThat(new Topics(queue("topics.maxBytes", "104857600")).deadLetterMaxBytes())
                .isEqualTo(104_857_600 + 128 * 1024);
    }

    @Test
    void ingress_and_all_lanes_have_the_same_number_of_partitions() {
        Map<String, TopicSpec> wide = new Topics(queue("topics.partitions", "37"))
                .all().stream().collect(Collectors.toMap(TopicSpec::name, spec -> spec));
        for (String name : queues()) {
            assertThat(wide.get(name).partitions()).as(name)
                    .isEqualTo(name.equals("spillway.ledger") ? Topics.LEDGER_PARTITIONS : 37);
        }
        for (String name : COMPACTED) {
            assertThat(wide.get("spillway." + name).partitions()).as(name).isEqualTo(1);
        }
    }

    @Test
    void views_are_read_from_compacted_topics() {
        for (String name : COMPACTED) {
            assertThat(specs.get("spillway." + name).configs()).as(name)
                    .containsEntry("cleanup.policy", "compact")
                    .doesNotContainKey("retention.ms");
        }
    }

    @Test
    void a_timer_holds_the_largest_delayed_record_and_is_compacted_in_small_segments() {
        TopicSpec changelog = specs.get(topics.timersChangelog());
        assertThat(changelog.partitions()).isEqualTo(specs.get("spillway.delay").partitions());
        assertThat(Integer.parseInt(changelog.configs().get("max.message.bytes")))
                .isGreaterThan(maxBytes("delay"))
                .isLessThanOrEqualTo(topics.deadLetterMaxBytes());
        assertThat(changelog.configs()).containsAllEntriesOf(Map.of(
                "cleanup.policy", "compact", "segment.bytes", "16777216", "segment.ms", "600000",
                "min.cleanable.dirty.ratio", "0.2", "delete.retention.ms", "86400000"));
        assertThat(new Topics(queue("topics.maxBytes", "104857600")).timersChangelogConfigs())
                .containsEntry("segment.bytes", Integer.toString(2 * (104_857_600 + 128 * 1024)));
    }

    @Test
    void topics_that_the_router_reads_are_stored_uncompressed() {
        assertThat(specs.get("spillway.ingress").configs()).containsEntry("compression.type", "uncompressed");
        assertThat(specs.get("spillway.delay").configs()).containsEntry("compression.type", "uncompressed");
        for (String lane : LANES.stream().filter(name -> !name.equals("delay")).toList()) {
            assertThat(specs.get("spillway." + lane).configs()).containsEntry("compression.type", "producer");
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2", "5, 2"})
    void min_in_sync_replicas_is_two_with_three_or_more_replicas(int replication, String minInSync) {
        QueueSettings configured = queue("topics.replication", Integer.toString(replication));
        assertThat(new Topics(configured).all()).allSatisfy(spec -> {
            assertThat(spec.replication()).isEqualTo(replication);
            assertThat(spec.configs())
                    .containsEntry("min.insync.replicas", minInSync)
                    .containsEntry("unclean.leader.election.enable", "false");
        });
    }

    @Test
    void no_topic_rejects_a_record_for_its_timestamp() {
        assertThat(topics.all()).allSatisfy(spec -> assertThat(spec.configs())
                .containsEntry("message.timestamp.type",
                        isQueue(spec) && !spec.name().equals(topics.ingress()) ? "CreateTime" : "LogAppendTime")
                .containsEntry("message.timestamp.before.max.ms", "9223372036854775807")
                .containsEntry("message.timestamp.after.max.ms", "9223372036854775807"));
    }

    @Test
    void a_queue_starts_segments_by_size_alone_and_all_other_topics_start_small_ones_often() {
        // Entries of the action log are rare: every ten minutes, each would have a segment of its own.
        assertThat(topics.all()).allSatisfy(spec -> assertThat(spec.configs())
                .containsEntry("segment.ms", isQueue(spec) ? "9223372036854775807"
                        : spec.name().equals(topics.actions()) ? "86400000" : "600000")
                .containsEntry("segment.bytes", isQueue(spec) ? "67108864" : "16777216"));
        assertThat(new Topics(queue("topics.maxBytes", "104857600")).all()).allSatisfy(spec ->
                assertThat(Integer.parseInt(spec.configs().get("segment.bytes"))).isGreaterThan(
                        Integer.parseInt(spec.configs().getOrDefault("max.message.bytes", "1048588"))));
    }

    @Test
    void reports_of_attempts_expire_soon() {
        assertThat(specs.get("spillway.attempts").partitions()).isEqualTo(1);
        assertThat(specs.get("spillway.attempts").configs())
                .containsEntry("cleanup.policy", "delete")
                .containsEntry("retention.ms", "600000");
        assertThat(maxBytes("attempts")).isGreaterThan(AttemptReports.MAX_BYTES);
    }

    @Test
    void the_action_log_is_kept_for_ninety_days_and_is_bounded() {
        assertThat(specs.get("spillway.actions").partitions()).isEqualTo(1);
        assertThat(specs.get("spillway.actions").configs())
                .containsEntry("cleanup.policy", "delete")
                .containsEntry("retention.ms", Long.toString(90L * 24 * 60 * 60 * 1000))
                .containsEntry("retention.bytes", "67108864");
    }

    @Test
    void compacted_topics_keep_removals_for_a_day() {
        for (String name : COMPACTED) {
            assertThat(specs.get("spillway." + name).configs()).as(name)
                    .containsEntry("delete.retention.ms", "86400000");
        }
    }

    private static boolean isQueue(TopicSpec spec) {
        return "-1".equals(spec.configs().get("retention.ms"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            # what                          | start | end | committed | behind
            nothing committed               |     0 |  10 |         - |     10
            nothing committed, but purged   |     4 |  10 |         - |      6
            in the middle                   |     0 |  10 |         7 |      3
            at the end                      |     0 |  10 |        10 |      0
            purged beyond what is committed |     8 |  10 |         5 |      2
            an end that is older            |     0 |  10 |        12 |      0
            """)
    void the_lag_of_a_group_is_never_negative(
            String what, long start, long end, Long committed, long behind) {
        OffsetAndMetadata commit = committed == null ? null : new OffsetAndMetadata(committed);
        assertThat(QueueProgress.of(new TopicPartition("t", 0), start, end, commit).behind()).isEqualTo(behind);
    }

    @Test
    void a_dead_letter_has_its_reason_its_origin_and_the_headers_of_the_producer() {
        RecordHeaders headers = new RecordHeaders();
        headers.add("traceparent", Items.bytes("00-1"));
        ItemHeaders.addDeadLetter(
                headers, new Route.DeadLetter(DeadReason.BAD_ID, "'é' must be"), "router", 77,
                "spillway.ingress", 3, 41);
        assertThat(Arrays.stream(headers.toArray()).map(h -> h.key() + "=" + new String(h.value())))
                .containsExactly(
                        "traceparent=00-1",
                        "spillway-dead-reason=bad-id",
                        "spillway-dead-detail='\\u00e9' must be",
                        "spillway-dead-stage=router",
                        "spillway-dead-at=77",
                        "spillway-origin-topic=spillway.ingress",
                        "spillway-origin-partition=3",
                        "spillway-origin-offset=41");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "kafka.properties.security.protocol", "kafka.properties.linger.ms", "kafka.plugins.reporter.address"
    })
    void a_configured_property_reaches_every_client(String key) {
        QueueSettings configured = queueOf(Map.of("kafka.bootstrapServers", "h:1", key, "x"));
        assertThat(new KafkaClients(configured).common())
                .containsEntry("bootstrap.servers", "h:1")
                .containsEntry(key.replaceAll("kafka\\.[a-z]+\\.", ""), "x");
    }

    private int maxBytes(String name) {
        return Integer.parseInt(specs.get("spillway." + name).configs().get("max.message.bytes"));
    }

    private static List<String> queues() {
        return List.of("spillway.ingress", "spillway.hot", "spillway.overflow", "spillway.aged", "spillway.delay",
                "spillway.dead-letter", "spillway.ledger");
    }

    private static QueueSettings queue(String key, String value) {
        return queueOf(Map.of(key, value));
    }

    private static QueueSettings queueOf(Map<String, String> values) {
        return new SettingsBinder(values).bind(QueueSettings.class);
    }
}
