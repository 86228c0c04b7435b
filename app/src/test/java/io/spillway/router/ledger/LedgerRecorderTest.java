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
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** What the router books, and in which transactions that goes. */
class LedgerRecorderTest {
    private static final long AT = 1_795_248_000_000L;
    private static final ConsumerGroupMetadata GROUP = new MockConsumer<byte[], byte[]>("none").groupMetadata();
    private static final Map<TopicPartition, OffsetAndMetadata> OFFSETS =
            Map.of(new TopicPartition("in", 0), new OffsetAndMetadata(1));

    private final Topics topics = new Topics(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of()).queue());
    private final LedgerRecorder books = new LedgerRecorder(topics, 1);
    private int flushes;
    private final MockProducer<byte[], byte[]> kafka =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                @Override
                public synchronized void flush() {
                    super.flush();
                    flushes++;
                }
            };
    private final LedgerProducer producer = new LedgerProducer(kafka, books, () -> Instant.ofEpochMilli(AT));

    @Test
    void what_the_tasks_of_a_thread_did_is_in_the_transaction_with_their_offsets() {
        LedgerRecorder.Book fresh = books.open(ItemState.OUTSIDE);
        LedgerRecorder.Book due = books.open(ItemState.DELAY);
        begin();
        fresh.book("a", ItemState.HOT);
        fresh.book("a", ItemState.HOT);
        due.book("a", ItemState.DROPPED);
        assertThat(kafka.uncommittedRecords()).isEmpty();
        commit();
        assertThat(sums(kafka.history())).isEqualTo(Map.of("a outside>hot", 2L, "a delay>dropped", 1L));
        assertThat(kafka.consumerGroupOffsetsHistory()).hasSize(1);
    }

    @Test
    void a_commit_tells_only_what_is_new_and_one_of_nothing_writes_nothing() {
        LedgerRecorder.Book book = books.open(ItemState.OUTSIDE);
        begin();
        book.book("a", ItemState.HOT);
        commit();
        producer.beginTransaction();
        commit();
        assertThat(kafka.history()).hasSize(1);
        producer.beginTransaction();
        book.book("a", ItemState.AGED);
        commit();
        assertThat(sums(kafka.history())).isEqualTo(Map.of("a outside>hot", 1L, "a outside>aged", 1L));
    }

    @Test
    void after_an_abort_the_task_that_begins_again_books_once() {
        LedgerRecorder.Book lost = books.open(ItemState.OUTSIDE);
        begin();
        lost.book("a", ItemState.HOT);
        producer.abortTransaction();
        lost.close();
        LedgerRecorder.Book again = books.open(ItemState.OUTSIDE);
        producer.beginTransaction();
        again.book("a", ItemState.HOT);
        commit();
        assertThat(sums(kafka.history())).isEqualTo(Map.of("a outside>hot", 1L));
    }

    /** Kafka Streams has no transaction to abort when a task that has only dropped items is closed without a commit. */
    @Test
    void a_task_that_goes_elsewhere_without_a_commit_takes_its_sums_along_and_leaves_the_others_theirs() {
        LedgerRecorder.Book goes = books.open(ItemState.OUTSIDE);
        LedgerRecorder.Book stays = books.open(ItemState.OUTSIDE);
        begin();
        goes.book("a", ItemState.DROPPED);
        stays.book("b", ItemState.DROPPED);
        goes.close();
        commit();
        assertThat(sums(kafka.history())).isEqualTo(Map.of("b outside>dropped", 1L));
    }

    @Test
    void a_thread_sends_only_the_books_of_its_own_tasks() throws Exception {
        LedgerRecorder.Book mine = books.open(ItemState.OUTSIDE);
        mine.book("mine", ItemState.HOT);
        Thread other = new Thread(() -> books.open(ItemState.OUTSIDE).book("theirs", ItemState.HOT));
        other.start();
        other.join();
        begin();
        commit();
        assertThat(sums(kafka.history())).isEqualTo(Map.of("mine outside>hot", 1L));
    }

    @Test
    void entries_that_cannot_be_sent_fail_the_commit_before_the_offsets() {
        books.open(ItemState.OUTSIDE).book("a", ItemState.HOT);
        begin();
        kafka.sendException = new KafkaException("no room");
        assertThatThrownBy(this::commit).hasMessageContaining("no room");
        assertThat(kafka.consumerGroupOffsetsHistory()).isEmpty();
    }

    @Test
    void only_a_flush_of_something_reaches_the_producer() {
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
    void every_way_that_ingress_can_go_is_booked_for_its_tenant() {
        try (RouterHarness router = new RouterHarness()) {
            router.set("limited", PolicyField.RATE, "1");
            router.set("short", PolicyField.TTL, "10s");
            router.send(RouterHarness.item("limited", RouterHarness.START_MILLIS));
            router.send(RouterHarness.item("limited", RouterHarness.START_MILLIS));
            router.send(RouterHarness.item("old", RouterHarness.START_MILLIS - 3_600_000));
            router.send(RouterHarness.item("short", RouterHarness.START_MILLIS - 60_000));
            router.send(new byte[] {1, 2, 3});
            router.send(new byte[30_000], RouterHarness.headers("spillway-tenant", "large"));
            assertThat(settle(router)).isEqualTo(Map.of(
                    "limited outside>hot", 1L, "limited outside>overflow", 1L, "old outside>aged", 1L,
                    "short outside>dropped", 1L, "(none) outside>dead-letter", 1L, "large outside>dead-letter", 1L));
        }
    }

    @Test
    void what_leaves_the_delay_lane_is_booked_when_it_leaves_and_not_while_it_waits() {
        try (RouterHarness router = new RouterHarness()) {
            router.set("short", PolicyField.TTL, "10s");
            long due = RouterHarness.START_MILLIS + 5_000;
            router.sendDelayed(RouterHarness.item("a", RouterHarness.START_MILLIS), RouterHarness.headers("spillway-due", "" + due));
            router.sendDelayed(RouterHarness.item("short", RouterHarness.START_MILLIS - 6_000),
                    RouterHarness.headers("spillway-due", "" + due));
            router.sendDelayed(RouterHarness.item("b", RouterHarness.START_MILLIS), new RecordHeaders());
            assertThat(settle(router)).isEqualTo(Map.of("b delay>dead-letter", 1L));
            router.advance(Duration.ofSeconds(6));
            assertThat(settle(router)).isEqualTo(Map.of("a delay>hot", 1L, "short delay>dropped", 1L));
        }
    }

    @Test
    void what_our_own_code_fails_on_is_booked_as_the_dead_letter_it_becomes() {
        try (RouterHarness router = new RouterHarness(decider -> (record, nowMillis) -> {
            throw new IllegalStateException("a bug");
        })) {
            router.send(RouterHarness.item("a", RouterHarness.START_MILLIS));
            assertThat(settle(router)).isEqualTo(Map.of("a outside>dead-letter", 1L));
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

    private static Map<String, Long> settle(RouterHarness router) {
        List<ProducerRecord<byte[], byte[]>> sent = new ArrayList<>();
        router.books.settle(AT, sent::add);
        return sums(sent);
    }

    static Map<String, Long> sums(List<ProducerRecord<byte[], byte[]>> entries) {
        Map<String, Long> sums = new TreeMap<>();
        entries.forEach(entry -> LedgerCodec.read(entry.value(), (tenant, from, counts, offset) -> {
            for (ItemState to : ItemState.values()) {
                if (counts[offset + to.ordinal()] > 0) {
                    sums.merge(tenant + " " + from.label() + ">" + to.label(), counts[offset + to.ordinal()], Long::sum);
                }
            }
        }));
        return sums;
    }
}
