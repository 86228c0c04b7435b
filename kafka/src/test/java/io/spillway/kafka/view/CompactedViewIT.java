package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.policy.SettingsBinder;
import io.spillway.embedded.EmbeddedKafka;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.TopicAdmin;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(900) // Against a hang; nothing is measured.
class CompactedViewIT {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final InstantSource CLOCK = () -> Instant.ofEpochMilli(1_800_000_000_000L);

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    private final Content content = new Content();

    @Test
    void everything_in_the_topic_is_there_when_start_returns_and_what_comes_later_follows() throws Exception {
        String topic = kafka.createTopic("view", 2, Map.of("cleanup.policy", "compact"));
        try (Producer<byte[], byte[]> producer = clients().producer()) {
            for (int i = 0; i < 1_000; i++) {
                put(producer, topic, "tenant-" + i % 500, "value-" + i);
            }
            put(producer, topic, "tenant-7", null);
            producer.flush();
            try (CompactedView view = view(topic, 10_000, Optional.empty())) {
                view.start(LONG);
                assertThat(content.entries())
                        .hasSize(499)
                        .containsEntry("tenant-0", "value-500")
                        .doesNotContainKey("tenant-7");

                put(producer, topic, "tenant-7", "back");
                put(producer, topic, "tenant-8", null);
                put(producer, topic, "tenant-9", "newer");
                awaitThat(() -> Map.of("tenant-7", "back", "tenant-9", "newer").entrySet().stream()
                                .allMatch(content.entries().entrySet()::contains)
                        && !content.contains("tenant-8"));
                assertThat(view.skipped()).isZero();
            }
        }
    }

    @Test
    void an_empty_topic_is_read_at_once() throws Exception {
        try (CompactedView view = view(kafka.createTopic("view", 1), 10, Optional.empty())) {
            view.start(LONG);
            assertThat(content.entries()).isEmpty();
        }
    }

    @Test
    void junk_is_counted_and_passed_over_and_takes_nothing_from_what_was_good() throws Exception {
        String topic = kafka.createTopic("view", 1);
        try (Producer<byte[], byte[]> producer = clients().producer()) {
            put(producer, topic, "acme", "good");
            put(producer, topic, "acme", "junk");
            put(producer, topic, "other", "junk");
            producer.send(new ProducerRecord<>(topic, null, bytes("no key")));
            put(producer, topic, "k".repeat(129), "key of 129 bytes");
            put(producer, topic, "k".repeat(128), "key of 128 bytes");
            producer.flush();
            try (CompactedView view = view(topic, 10, Optional.empty())) {
                view.start(LONG);
                assertThat(view.skipped()).isEqualTo(4);
                assertThat(content.entries()).containsExactlyInAnyOrderEntriesOf(
                        Map.of("acme", "good", "k".repeat(128), "key of 128 bytes"));
            }
        }
    }

    @Test
    void no_more_entries_are_kept_than_allowed_but_those_that_are_there_change_and_go() throws Exception {
        String topic = kafka.createTopic("view", 1);
        try (Producer<byte[], byte[]> producer = clients().producer()) {
            put(producer, topic, "one", "1");
            put(producer, topic, "two", "2");
            put(producer, topic, "three", "too many");
            put(producer, topic, "two", "changed");
            put(producer, topic, "one", null);
            put(producer, topic, "four", "4");
            producer.flush();
            try (CompactedView view = view(topic, 2, Optional.empty())) {
                view.start(LONG);
                assertThat(content.entries()).containsExactlyInAnyOrderEntriesOf(Map.of("two", "changed", "four", "4"));
                assertThat(view.skipped()).isEqualTo(1);
            }
        }
    }

    @Test
    void an_instance_commits_how_far_it_has_applied_the_topic_and_when() throws Exception {
        String topic = kafka.createTopic("view", 1);
        TopicPartition partition = new TopicPartition(topic, 0);
        String group = kafka.prefix() + ".progress";
        try (Producer<byte[], byte[]> producer = clients().producer();
                CompactedView view = view(topic, 10, Optional.of(group))) {
            put(producer, topic, "one", "1");
            producer.flush();
            view.start(LONG);
            awaitThat(() -> progress(group, partition) == 1);
            put(producer, topic, "two", "2");
            awaitThat(() -> progress(group, partition) == 2);

            assertThat(content.entries()).as("what is committed is applied").containsKey("two");
            OffsetAndMetadata committed = committed(group).get(partition);
            assertThat(committed.metadata()).isEqualTo(ProgressMark.at(CLOCK.millis()).text());
        }
        assertThat(kafka.admin()
                        .listConsumerGroupOffsets(group)
                        .partitionsToOffsetAndMetadata()
                        .get())
                .containsKey(partition);
    }

    @Test
    void a_topic_that_is_missing_is_named_and_not_made_by_reading_it() throws Exception {
        String missing = kafka.prefix() + ".missing";
        try (CompactedView view = view(missing, 10, Optional.empty())) {
            assertThatThrownBy(() -> view.start(Duration.ofSeconds(3)))
                    .isInstanceOf(KafkaFailure.class)
                    .hasMessageContaining(missing)
                    .hasMessageContaining("does not exist");
        }
        assertThat(kafka.admin().listTopics().names().get()).doesNotContain(missing);
    }

    @Test
    void goes_on_following_after_its_broker_was_gone_for_a_while(@TempDir Path directory) throws Exception {
        EmbeddedKafka first = EmbeddedKafka.start(directory, 0);
        KafkaClients clients = clients(first.bootstrapServers());
        CompactedView view = new CompactedView(clients, "view", content, 10, Optional.of("progress"), CLOCK);
        try (Admin admin = clients.admin()) {
            admin.createTopics(List.of(new NewTopic("view", 1, (short) 1))).all().get();
            putOne(clients, "one", "1");
            view.start(LONG);
        } finally {
            first.close();
        }
        try (EmbeddedKafka second = EmbeddedKafka.start(directory, first.port())) {
            putOne(clients(second.bootstrapServers()), "two", "2");
            awaitThat(() -> content.contains("two"));
            assertThat(content.entries()).containsExactlyInAnyOrderEntriesOf(Map.of("one", "1", "two", "2"));
            view.close();
        }
    }

    @Test
    void a_key_that_was_removed_while_the_broker_was_gone_is_removed_though_its_tombstone_is_gone(
            @TempDir Path directory) throws Exception {
        EmbeddedKafka first = EmbeddedKafka.start(directory, 0);
        KafkaClients clients = clients(first.bootstrapServers());
        CompactedView view = new CompactedView(clients, "view", content, 10, Optional.empty(), CLOCK);
        try (Admin admin = clients.admin()) {
            admin.createTopics(List.of(new NewTopic("view", 1, (short) 1))).all().get();
            putOne(clients, "revoked", "1");
            putOne(clients, "stays", "2");
            view.start(LONG);
        } finally {
            first.close();
        }
        // At another address, where the view does not see it.
        try (EmbeddedKafka elsewhere = EmbeddedKafka.start(directory, 0)) {
            KafkaClients there = clients(elsewhere.bootstrapServers());
            putOne(there, "revoked", null);
            putOne(there, "stays", "3");
            try (Admin admin = there.admin()) {
                admin.deleteRecords(Map.of(new TopicPartition("view", 0), RecordsToDelete.beforeOffset(3))).all().get();
            }
        }
        try (EmbeddedKafka second = EmbeddedKafka.start(directory, first.port())) {
            putOne(clients(second.bootstrapServers()), "new", "4");
            awaitThat(() -> content.contains("new") && !content.contains("revoked"));
            assertThat(content.entries()).containsExactlyInAnyOrderEntriesOf(Map.of("stays", "3", "new", "4"));
            view.close();
        }
    }

    @Test
    void the_topic_is_read_again_when_it_could_not_be_followed_for_half_of_the_time_that_tombstones_are_kept()
            throws Exception {
        AtomicLong nowMillis = new AtomicLong(CLOCK.millis());
        String topic = kafka.createTopic("view", 1);
        try (Producer<byte[], byte[]> producer = clients().producer();
                CompactedView view = new CompactedView(clients(), topic, content, 10, Optional.empty(),
                        () -> Instant.ofEpochMilli(nowMillis.get()))) {
            put(producer, topic, "revoked", "1");
            put(producer, topic, "revoked", null);
            put(producer, topic, "stays", "2");
            producer.flush();
            view.start(LONG);
            // As if its tombstone had been compacted away before the view could read it.
            content.put("missed", bytes("3"));

            nowMillis.addAndGet(Duration.ofHours(13).toMillis());

            awaitThat(() -> !content.contains("missed"));
            assertThat(content.entries()).containsExactlyEntriesOf(Map.of("stays", "2"));
            assertThat(content.changes).as("nothing is applied again").isEqualTo(List.of("revoked", "stays", "missed"));
        }
    }

    @Test
    void a_start_may_take_longer_than_its_patience_as_long_as_it_goes_on() throws Exception {
        String topic = kafka.createTopic("view", 1);
        Duration patience = Duration.ofSeconds(5);
        try (Producer<byte[], byte[]> producer = clients().producer()) {
            for (int i = 0; i < 1_500; i++) {
                put(producer, topic, "tenant-" + i, "slow");
            }
        }
        try (CompactedView view = view(topic, 10_000, Optional.empty())) {
            long beganNanos = System.nanoTime();
            view.start(patience);
            assertThat(Duration.ofNanos(System.nanoTime() - beganNanos)).as("else this shows nothing")
                    .isGreaterThan(patience);
            assertThat(content.entries()).hasSize(1_500);
        }
    }

    private CompactedView view(String topic, int maxEntries, Optional<String> group) {
        return new CompactedView(clients(), topic, content, maxEntries, group, CLOCK);
    }

    private KafkaClients clients() {
        return clients(kafka.bootstrapServers());
    }

    private static KafkaClients clients(String bootstrapServers) {
        return new KafkaClients(
                new SettingsBinder(Map.of("kafka.bootstrapServers", bootstrapServers)).bind(QueueSettings.class));
    }

    private long progress(String group, TopicPartition partition) {
        OffsetAndMetadata committed = committed(group).get(partition);
        return committed == null ? -1 : committed.offset();
    }

    private Map<TopicPartition, OffsetAndMetadata> committed(String group) {
        return TopicAdmin.get(
                kafka.admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata(), "read offsets");
    }

    private static void put(Producer<byte[], byte[]> producer, String topic, String key, String value) {
        producer.send(new ProducerRecord<>(topic, bytes(key), value == null ? null : bytes(value)));
    }

    private static void putOne(KafkaClients clients, String key, String value) throws Exception {
        try (Producer<byte[], byte[]> producer = clients.producer()) {
            producer.send(new ProducerRecord<>("view", bytes(key), value == null ? null : bytes(value))).get();
        }
    }

    private static void awaitThat(BooleanSupplier holds) {
        while (!holds.getAsBoolean()) {
            LockSupport.parkNanos(2_000_000);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Texts; those that are {@code junk} cannot be decoded, and those that are {@code slow} take 4 ms. */
    private static final class Content extends ViewContent<String> {
        final List<String> changes = new CopyOnWriteArrayList<>();

        Map<String, String> entries() {
            return entries;
        }

        @Override
        public void put(String key, byte[] value) {
            String text = new String(value, StandardCharsets.UTF_8);
            if (text.equals("junk")) {
                throw new IllegalArgumentException("junk");
            }
            if (text.equals("slow")) {
                LockSupport.parkNanos(4_000_000);
            } else {
                changes.add(key);
            }
            entries.put(key, text);
        }
    }
}
