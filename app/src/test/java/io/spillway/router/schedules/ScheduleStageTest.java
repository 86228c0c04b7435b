package io.spillway.router.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.config.Configuration;
import io.spillway.config.ConfigurationLoader;
import io.spillway.core.schedule.MissedTimes;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ScheduleTimes;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.StoredSchedule;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.router.route.PartitionedValue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScheduleStageTest {
    /** Key of a record of the test, which lets the processor begin with the content of its store. */
    private static final String BEGIN_AGAIN = "!begin";
    private static final Instant START = Instant.parse("2026-11-29T12:00:00Z");

    private final Configuration configuration = ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of());
    private final Topics topics = new Topics(configuration.queue());
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private Instant now = START;
    private TopologyTestDriver driver = open();

    private TopologyTestDriver open() {
        TenantPolicies policies = new TenantPolicies(configuration.defaults());
        PlacementView placements = new PlacementView(configuration.queue(), policies, new ShardAssignments());
        Topology topology = new Topology();
        topology.addSource("in", new ByteArrayDeserializer(), new ByteArrayDeserializer(), topics.schedules());
        topology.addProcessor("stage", () -> new Processor<byte[], byte[], byte[], PartitionedValue>() {
            private final ScheduleProcessor stage = new ScheduleProcessor(topics, placements, policies, registry);

            private ProcessorContext<byte[], PartitionedValue> context;

            @Override
            public void init(ProcessorContext<byte[], PartitionedValue> own) {
                context = own;
                stage.init(own);
            }

            @Override
            public void process(Record<byte[], byte[]> record) {
                if (new String(record.key(), StandardCharsets.UTF_8).equals(BEGIN_AGAIN)) {
                    stage.init(context);
                } else {
                    stage.process(record);
                }
            }
        }, "in");
        topology.addStateStore(Stores.keyValueStoreBuilder(
                        Stores.inMemoryKeyValueStore(Topics.SCHEDULE_STORE), Serdes.Bytes(), Serdes.ByteArray())
                .withLoggingDisabled(), "stage");
        topology.addSink("out", topics.ingress(), new ByteArraySerializer(), PartitionedValue.serializer(), "stage");
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "test");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "unused:1");
        return new TopologyTestDriver(topology, properties, now);
    }

    @AfterEach
    void close() {
        driver.close();
    }

    /** Continues with another processor on the content of the store, at a later time. */
    private void restartAt(String time) {
        Map<Bytes, byte[]> content = new HashMap<>();
        try (KeyValueIterator<Bytes, byte[]> all = store().all()) {
            all.forEachRemaining(entry -> content.put(entry.key, entry.value));
        }
        driver.close();
        now = Instant.parse(time);
        driver = open();
        content.forEach(store()::put);
        // The driver's store was empty when the processor began.
        pipe(BEGIN_AGAIN, null);
    }

    private KeyValueStore<Bytes, byte[]> store() {
        return driver.getKeyValueStore(Topics.SCHEDULE_STORE);
    }

    private static StoredSchedule every(String name, String period, MissedTimes missed, long withinMillis) {
        return new StoredSchedule("acme", name,
                new StoredSchedule.Timing("", "UTC", Duration.parse("PT" + period).toMillis()), missed, withinMillis,
                new StoredSchedule.Content("reports", 7, "text/plain", name.getBytes(StandardCharsets.UTF_8)));
    }

    private static StoredSchedule minutely(String name, MissedTimes missed) {
        return every(name, "1M", missed, 0);
    }

    private void set(StoredSchedule schedule) {
        pipe(schedule.key(), schedule.encode());
    }

    private void pipe(String key, byte[] value) {
        driver.createInputTopic(topics.schedules(), new ByteArraySerializer(), new ByteArraySerializer())
                .pipeInput(key.getBytes(StandardCharsets.UTF_8), value, now);
    }

    /** Moves the clock in steps, as wake-ups of a running router come. */
    private void advance(Duration time, Duration step) {
        for (Instant end = now.plus(time); now.isBefore(end); now = now.plus(step)) {
            driver.advanceWallClockTime(step);
        }
    }

    private List<String> sent() {
        return records().stream().map(record -> text(record.headers(), ItemHeaders.ID)).toList();
    }

    private List<TestRecord<byte[], byte[]>> records() {
        return driver.createOutputTopic(topics.ingress(), new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .readRecordsToList();
    }

    private static String text(Headers headers, String name) {
        return ItemHeaders.text(headers, name).orElse("");
    }

    private static List<String> ids(String name, int from, int until) {
        List<String> ids = new ArrayList<>();
        for (int minute = from; minute <= until; minute++) {
            ids.add(name + "@" + START.plusSeconds(60L * minute));
        }
        return ids;
    }

    @Test
    void an_item_is_sent_at_each_time_with_what_the_schedule_says() {
        set(minutely("poll", MissedTimes.LAST));
        advance(Duration.ofMinutes(3), Duration.ofMillis(100));

        List<TestRecord<byte[], byte[]>> records = records();
        assertThat(records).hasSize(3);
        TestRecord<byte[], byte[]> first = records.getFirst();
        assertThat(first.value()).asString().isEqualTo("poll");
        assertThat(first.key()).asString().isEqualTo("acme");
        assertThat(text(first.headers(), ItemHeaders.TENANT)).isEqualTo("acme");
        assertThat(text(first.headers(), ItemHeaders.ID)).isEqualTo("poll@2026-11-29T12:01:00Z");
        assertThat(text(first.headers(), ItemHeaders.WORKLOAD)).isEqualTo("reports");
        assertThat(text(first.headers(), ItemHeaders.PRIORITY)).isEqualTo("7");
        assertThat(text(first.headers(), "content-type")).isEqualTo("text/plain");
        assertThat(text(first.headers(), ItemHeaders.DELIVER_AT)).isEmpty();
        assertThat(Long.parseLong(text(first.headers(), ItemHeaders.ENQUEUED_AT)) - START.toEpochMilli())
                .isBetween(60_000L, 60_200L);
        assertThat(registry.get("spillway.schedules.fired").counter().count()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"SKIP, 10, 10, 1", "LAST, 10, 10, 1", "ALL, 3, 10, 0"})
    void after_a_restart_nothing_is_sent_twice_and_missed_times_follow_their_rule(
            MissedTimes missed, int from, int until, int gaps) {
        set(minutely("poll", missed));
        advance(Duration.ofMinutes(2).plusSeconds(1), Duration.ofMillis(100));
        assertThat(sent()).isEqualTo(ids("poll", 1, 2));

        restartAt("2026-11-29T12:10:30Z");
        advance(Duration.ofSeconds(20), Duration.ofMillis(100));

        assertThat(sent()).isEqualTo(ids("poll", from, until));
        assertThat(registry.get("spillway.schedules.missed").counter().count()).isEqualTo(gaps);
        assertThat(ScheduleTimes.decode(store().get(Bytes.wrap("!acme/poll".getBytes(StandardCharsets.UTF_8)))))
                .isEqualTo(new ScheduleTimes(START.plusSeconds(600).toEpochMilli(),
                        START.plusSeconds(600).toEpochMilli(), START.plusSeconds(660).toEpochMilli()));
    }

    @Test
    void a_change_of_the_payload_keeps_the_progress_and_a_change_of_the_times_begins_again() {
        set(minutely("poll", MissedTimes.ALL));
        advance(Duration.ofMinutes(1).plusSeconds(1), Duration.ofMillis(100));
        assertThat(sent()).isEqualTo(ids("poll", 1, 1));

        restartAt("2026-11-29T12:05:30Z");
        set(every("poll", "1M", MissedTimes.ALL, 1));
        advance(Duration.ofSeconds(1), Duration.ofMillis(100));
        assertThat(sent()).isEqualTo(ids("poll", 2, 5));

        restartAt("2026-11-29T12:08:30Z");
        set(every("poll", "3M", MissedTimes.ALL, 0));
        advance(Duration.ofMinutes(1), Duration.ofMillis(100));
        assertThat(sent()).isEqualTo(ids("poll", 9, 9));
    }

    @Test
    void a_schedule_that_is_removed_sends_nothing_more() {
        set(minutely("poll", MissedTimes.ALL));
        set(minutely("other", MissedTimes.ALL));
        advance(Duration.ofSeconds(61), Duration.ofMillis(100));
        pipe("acme/poll", null);
        pipe("acme/unknown", null);
        sent();
        advance(Duration.ofMinutes(2), Duration.ofMillis(100));

        assertThat(sent()).isEqualTo(ids("other", 2, 3));
        assertThat(store().get(Bytes.wrap("acme/poll".getBytes(StandardCharsets.UTF_8)))).isNull();
    }

    @Test
    void a_thousand_schedules_that_are_due_at_once_each_send_one_item_in_steps() {
        for (int i = 0; i < 1_000; i++) {
            set(minutely("poll-" + i, MissedTimes.LAST));
        }
        advance(Duration.ofSeconds(60), Duration.ofMillis(100));
        driver.advanceWallClockTime(Duration.ofMillis(100));
        assertThat(sent().size()).isLessThan(1_000);
        advance(Duration.ofSeconds(5), Duration.ofMillis(100));
        // The items of the first steps were read above.
        assertThat(registry.get("spillway.schedules.fired").counter().count()).isEqualTo(1_000);
        assertThat(new HashSet<>(sent())).hasSizeLessThanOrEqualTo(1_000);
    }

    @Test
    void a_schedule_that_catches_up_does_not_delay_the_others() {
        set(every("seconds", "1S", MissedTimes.ALL, 0));
        set(minutely("other", MissedTimes.LAST));
        restartAt("2026-11-29T14:00:00Z");
        advance(Duration.ofMillis(200), Duration.ofMillis(100));

        assertThat(sent()).contains("other@2026-11-29T14:00:00Z").hasSizeLessThan(1_000);
        advance(Duration.ofSeconds(10), Duration.ofMillis(100));
        assertThat(registry.get("spillway.schedules.fired").counter().count()).isEqualTo(7_211);
    }

    @Test
    void the_first_attempt_is_within_the_window_at_a_place_that_does_not_change() {
        set(every("poll", "1M", MissedTimes.LAST, 30_000));
        advance(Duration.ofMinutes(20), Duration.ofMillis(100));

        List<Long> offsets = records().stream().map(record -> {
            long atMillis = Instant.parse(text(record.headers(), ItemHeaders.ID).substring(5)).toEpochMilli();
            return Long.parseLong(text(record.headers(), ItemHeaders.DELIVER_AT)) - atMillis;
        }).toList();
        assertThat(offsets).hasSize(20).allSatisfy(offset -> assertThat(offset).isBetween(0L, 30_000L));
        assertThat(new HashSet<>(offsets)).hasSizeGreaterThan(10);
    }

    @Test
    void a_record_that_is_no_schedule_or_of_another_key_is_skipped_and_the_present_one_stays() {
        set(minutely("poll", MissedTimes.LAST));
        pipe("acme/poll", new byte[] {1, 2, 3});
        pipe("bravo/poll", minutely("poll", MissedTimes.LAST).encode());
        advance(Duration.ofSeconds(61), Duration.ofMillis(100));

        assertThat(sent()).isEqualTo(ids("poll", 1, 1));
    }
}
