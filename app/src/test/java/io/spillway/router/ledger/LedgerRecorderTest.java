package io.spillway.router.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.config.ConfigurationLoader;
import io.spillway.core.item.ItemState;
import io.spillway.core.policy.PolicyField;
import io.spillway.kafka.codec.LedgerCodec;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.RouterHarness;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ledger deltas that the router records, and the transactions that contain them. */
class LedgerRecorderTest {
    private static final long AT = 1_795_248_000_000L;
    private static final ConsumerGroupMetadata GROUP = new MockConsumer<byte[], byte[]>("none").groupMetadata();
    private static final Map<TopicPartition, OffsetAndMetadata> OFFSETS =
            Map.of(new TopicPartition("in", 0), new OffsetAndMetadata(1));

    private final Topics topics = new Topics(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of()).queue());
    private final LedgerRecorder recorder = new LedgerRecorder(topics);
    private List<LedgerRecorder.TaskLedger> tasks = List.of();
    private int flushes;
    private final MockProducer<byte[], byte[]> kafka =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                @Override
                public synchronized void flush() {
                    super.flush();
                    flushes++;
                }
            };
    private long nowNanos;
    private final StuckTransactionDetector detector = new StuckTransactionDetector(() -> nowNanos);
    private final CommitRequester requester = new CommitRequester(Duration.ofMillis(100), () -> nowNanos);
    private final LedgerProducer producer =
            new LedgerProducer(kafka, recorder, () -> Instant.ofEpochMilli(AT), detector, requester);

    @Test
    void the_moves_of_a_threads_tasks_are_in_the_transaction_with_their_offsets() {
        LedgerRecorder.TaskLedger fresh = recorder.open(ItemState.OUTSIDE);
        LedgerRecorder.TaskLedger due = recorder.open(ItemState.DELAY);
        begin();
        fresh.record("a", ItemState.HOT);
        fresh.record("a", ItemState.HOT);
        due.record("a", ItemState.DROPPED);
        assertThat(kafka.uncommittedRecords()).isEmpty();
        commit();
        assertThat(sums(kafka.history())).isEqualTo(Map.of("a outside>hot", 2L, "a delay>dropped", 1L));
        assertThat(kafka.consumerGroupOffsetsHistory()).hasSize(1);
    }

    @Test
    void a_transaction_that_is_open_for_long_is_stuck_until_it_is_committed_or_aborted() {
        Duration time = Duration.ofSeconds(10);
        nowNanos = time.toNanos();
        begin();
        assertThat(detector.isStuck(time)).isFalse();
        nowNanos += time.toNanos() - 1;
        assertThat(detector.isStuck(time)).isFalse();
        nowNanos++;
        assertThat(detector.isStuck(time)).isTrue();
        commit();
        assertThat(detector.isStuck(time)).isFalse();

        producer.beginTransaction();
        nowNanos += time.toNanos();
        assertThat(detector.isStuck(time)).isTrue();
        producer.abortTransaction();
        assertThat(detector.isStuck(time)).isFalse();
    }

    @Test
    void a_commit_contains_only_new_moves_and_an_empty_one_writes_nothing() {
        LedgerRecorder.TaskLedger ledger = recorder.open(ItemState.OUTSIDE);
        begin();
        ledger.record("a", ItemState.HOT);
        commit();
        producer.beginTransaction();
        commit();
        assertThat(kafka.history()).hasSize(1);
        producer.beginTransaction();
        ledger.record("a", ItemState.AGED);
        commit();
        assertThat(sums(kafka.history())).isEqualTo(Map.of("a outside>hot", 1L, "a outside>aged", 1L));
    }

    /** Kafka Streams closes one task and may go on with another one, whose moves were aborted too. */
    @Test
    void after_an_abort_the_next_transaction_is_refused_so_that_all_tasks_of_the_thread_start_again() {
        LedgerRecorder.TaskLedger goesOn = recorder.open(ItemState.OUTSIDE);
        begin();
        goesOn.record("a", ItemState.HOT);
        producer.abortTransaction();
        assertThatThrownBy(producer::beginTransaction).isInstanceOf(ProducerFencedException.class);
        goesOn.close();
        recorder.open(ItemState.OUTSIDE).record("a", ItemState.HOT);
        List<ProducerRecord<byte[], byte[]>> entries = new ArrayList<>();
        recorder.flush(AT, entries::add);
        assertThat(sums(entries)).as("made again, counted once").isEqualTo(Map.of("a outside>hot", 1L));
    }

    /** Kafka Streams has no transaction to abort when a task that has only dropped items is closed without a commit. */
    @Test
    void a_task_closed_without_a_commit_discards_only_its_own_sums() {
        LedgerRecorder.TaskLedger goes = recorder.open(ItemState.OUTSIDE);
        LedgerRecorder.TaskLedger stays = recorder.open(ItemState.OUTSIDE);
        begin();
        goes.record("a", ItemState.DROPPED);
        stays.record("b", ItemState.DROPPED);
        goes.close();
        commit();
        assertThat(sums(kafka.history())).isEqualTo(Map.of("b outside>dropped", 1L));
    }

    @Test
    void a_thread_writes_only_the_sums_of_its_own_tasks() throws Exception {
        LedgerRecorder.TaskLedger mine = recorder.open(ItemState.OUTSIDE);
        mine.record("mine", ItemState.HOT);
        Thread other = new Thread(() -> recorder.open(ItemState.OUTSIDE).record("theirs", ItemState.HOT));
        other.start();
        other.join();
        begin();
        commit();
        assertThat(sums(kafka.history())).isEqualTo(Map.of("mine outside>hot", 1L));
    }

    @Test
    void an_entry_that_cannot_be_sent_fails_the_commit_before_the_offsets() {
        recorder.open(ItemState.OUTSIDE).record("a", ItemState.HOT);
        begin();
        kafka.sendException = new KafkaException("no room");
        assertThatThrownBy(this::commit).hasMessageContaining("no room");
        assertThat(kafka.consumerGroupOffsetsHistory()).isEmpty();
    }

    @Test
    void entries_are_sent_with_the_flush_of_the_moves_and_not_again_with_the_offsets() {
        LedgerRecorder.TaskLedger ledger = recorder.open(ItemState.OUTSIDE);
        begin();
        producer.send(new ProducerRecord<>("hot", new byte[0]));
        ledger.record("a", ItemState.HOT);
        producer.flush();
        assertThat(kafka.uncommittedRecords()).hasSize(2);
        producer.flush();
        commit();
        assertThat(sums(kafka.history().stream().filter(record -> record.topic().equals(topics.ledger())).toList()))
                .isEqualTo(Map.of("a outside>hot", 1L));
    }

    @Test
    void an_entry_that_cannot_be_sent_with_the_flush_fails_the_commit() {
        LedgerRecorder.TaskLedger ledger = recorder.open(ItemState.OUTSIDE);
        begin();
        producer.send(new ProducerRecord<>("hot", new byte[0]));
        ledger.record("a", ItemState.HOT);
        kafka.sendException = new KafkaException("no room");
        producer.flush();
        kafka.sendException = null;
        producer.flush();
        assertThatThrownBy(this::commit).hasMessageContaining("no room");
        assertThat(kafka.consumerGroupOffsetsHistory()).isEmpty();

        kafka.abortTransaction();
        ledger.record("b", ItemState.HOT);
        producer.beginTransaction();
        commit();
        assertThat(sums(kafka.history())).isEqualTo(Map.of("b outside>hot", 1L));
    }

    /** Kafka Streams keeps the thread after such a failure: it closes its tasks, and they make the moves again. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void after_an_entry_that_could_not_be_sent_each_move_is_written_once(int failing) {
        moveAll();
        begin();
        AtomicInteger sends = new AtomicInteger();
        assertThatThrownBy(() -> recorder.flush(AT, entry -> {
            if (sends.incrementAndGet() == failing) {
                throw new ProducerFencedException("another router");
            }
        })).isInstanceOf(ProducerFencedException.class);
        kafka.abortTransaction();
        tasks.forEach(LedgerRecorder.TaskLedger::close);
        moveAll();
        producer.beginTransaction();
        commit();
        Map<String, Long> expected = new TreeMap<>();
        for (int tenant = 0; tenant < 50; tenant++) {
            expected.put("tenant-" + tenant + " outside>hot", 1L);
            expected.put("tenant-" + tenant + " delay>hot", 1L);
        }
        assertThat(sums(kafka.history())).isEqualTo(expected);
    }

    @Test
    void the_sums_of_a_transaction_that_failed_are_not_in_the_next_one_of_a_task_that_goes_on() {
        LedgerRecorder.TaskLedger ledger = recorder.open(ItemState.OUTSIDE);
        ledger.record("a", ItemState.HOT);
        begin();
        kafka.sendOffsetsToTransactionException = new KafkaException("no coordinator");
        assertThatThrownBy(this::commit).hasMessageContaining("no coordinator");
        kafka.sendOffsetsToTransactionException = null;
        kafka.abortTransaction();
        ledger.record("b", ItemState.HOT);
        producer.beginTransaction();
        commit();
        assertThat(sums(kafka.history())).isEqualTo(Map.of("b outside>hot", 1L));
    }

    @Test
    void only_a_flush_after_a_send_reaches_the_producer() {
        producer.initTransactions();
        producer.beginTransaction();
        producer.flush();
        assertThat(flushes).as("nothing was sent").isZero();
        producer.send(new ProducerRecord<>("out", new byte[0]));
        producer.flush();
        producer.flush();
        assertThat(flushes).as("one task after the other").isEqualTo(1);
        producer.send(new ProducerRecord<>("out", new byte[0]), null);
        producer.flush();
        assertThat(flushes).isEqualTo(2);
    }

    @Test
    void every_route_from_ingress_is_recorded_for_its_tenant() {
        try (RouterHarness router = new RouterHarness()) {
            router.set("limited", PolicyField.RATE, "1");
            router.set("short", PolicyField.TTL, "10s");
            router.send(RouterHarness.item("limited", RouterHarness.START_MILLIS));
            router.send(RouterHarness.item("limited", RouterHarness.START_MILLIS));
            router.send(RouterHarness.item("old", RouterHarness.START_MILLIS - 3_600_000));
            router.send(RouterHarness.item("short", RouterHarness.START_MILLIS - 60_000));
            router.send(RouterHarness.item("ended", RouterHarness.START_MILLIS - 14 * 86_400_000L));
            router.send(new byte[] {1, 2, 3});
            router.send(new byte[30_000], RouterHarness.headers("spillway-tenant", "large"));
            assertThat(flush(router)).hasSize(11).containsAllEntriesOf(Map.of(
                    "limited outside>hot", 1L, "limited outside>overflow", 1L, "old outside>aged", 1L,
                    "short outside>dropped", 1L, "ended outside>dead-letter", 1L,
                    "(none) outside>dead-letter", 1L, "large outside>dead-letter", 1L,
                    "(dead:expired) outside>dead-letter", 1L, "(dead:malformed) outside>dead-letter", 1L,
                    "(dead:too-large) outside>dead-letter", 1L)).containsEntry("(dropped:ttl) outside>dropped", 1L);
        }
    }

    @Test
    void what_is_refused_is_recorded_for_the_tenant_that_can_be_told() {
        byte[] tooLong = RouterHarness.item("avro", "i".repeat(257), RouterHarness.START_MILLIS, "");
        try (RouterHarness router = new RouterHarness()) {
            router.send(null, RouterHarness.headers("spillway-tenant", "null"));
            router.send(tooLong);
            router.send(null);
            assertThat(flush(router)).isEqualTo(Map.of(
                    "null outside>dead-letter", 1L, "avro outside>dead-letter", 1L, "(none) outside>dead-letter", 1L,
                    "(dead:null-value) outside>dead-letter", 2L, "(dead:bad-id) outside>dead-letter", 1L));
        }
    }

    @Test
    void an_item_leaving_the_delay_lane_is_recorded_when_it_leaves() {
        try (RouterHarness router = new RouterHarness()) {
            router.set("short", PolicyField.TTL, "10s");
            long due = RouterHarness.START_MILLIS + 5_000;
            router.sendDelayed(RouterHarness.item("a", RouterHarness.START_MILLIS),
                    RouterHarness.headers("spillway-due", "" + due));
            router.sendDelayed(RouterHarness.item("short", RouterHarness.START_MILLIS - 6_000),
                    RouterHarness.headers("spillway-due", "" + due));
            router.sendDelayed(RouterHarness.item("ended", RouterHarness.START_MILLIS - 21_600_000),
                    RouterHarness.headers(
                    "spillway-due", "" + due, "spillway-origin", "i-0-0", "spillway-attempt", "1"));
            router.sendDelayed(RouterHarness.item("b", RouterHarness.START_MILLIS), new RecordHeaders());
            assertThat(flush(router)).as("one is not readable, and one is over already").isEqualTo(Map.of(
                    "b delay>dead-letter", 1L, "ended delay>dead-letter", 1L,
                    "(dead:bad-due) delay>dead-letter", 1L, "(dead:retry-time-over) delay>dead-letter", 1L));
            router.advance(Duration.ofSeconds(6));
            assertThat(flush(router)).isEqualTo(Map.of(
                    "a delay>hot", 1L, "short delay>dropped", 1L, "(dropped:ttl) delay>dropped", 1L));
        }
    }

    @Test
    void an_internal_error_is_recorded_as_a_dead_letter() {
        try (RouterHarness router = new RouterHarness(decider -> (record, nowMillis) -> {
            throw new IllegalStateException("a bug");
        })) {
            router.send(RouterHarness.item("a", RouterHarness.START_MILLIS));
            assertThat(flush(router)).isEqualTo(Map.of(
                    "a outside>dead-letter", 1L, "(dead:router-error) outside>dead-letter", 1L));
        }
    }

    /** Lets two tasks move items of tenants in all partitions of the ledger. */
    private void moveAll() {
        tasks = List.of(recorder.open(ItemState.OUTSIDE), recorder.open(ItemState.DELAY));
        for (int tenant = 0; tenant < 50; tenant++) {
            String name = "tenant-" + tenant;
            tasks.forEach(task -> task.record(name, ItemState.HOT));
        }
    }

    private void begin() {
        producer.initTransactions();
        producer.beginTransaction();
    }

    private void commit() {
        producer.sendOffsetsToTransaction(OFFSETS, GROUP);
        producer.commitTransaction();
    }

    static Map<String, Long> flush(RouterHarness router) {
        List<ProducerRecord<byte[], byte[]>> sent = new ArrayList<>();
        router.recorder.flush(AT, sent::add);
        return sums(sent);
    }

    static Map<String, Long> sums(List<ProducerRecord<byte[], byte[]>> entries) {
        Map<String, Long> sums = new TreeMap<>();
        entries.forEach(entry -> LedgerCodec.read(entry.value(), (tenant, from, counts) -> {
            for (ItemState to : ItemState.values()) {
                if (counts[to.ordinal()] > 0) {
                    sums.merge(tenant + " " + from.label() + ">" + to.label(), counts[to.ordinal()],
                            Long::sum);
                }
            }
        }));
        return sums;
    }
}
