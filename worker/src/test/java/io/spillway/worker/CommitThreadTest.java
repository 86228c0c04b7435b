package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.LedgerCodec;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.LedgerWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commit thread with a producer that fails at each of its calls in turn. */
@Timeout(120) // Only against a hang.
class CommitThreadTest {
    private static final int ITEMS = 40;
    private static final int TENANTS = 10;

    private final CoreScene scene = new CoreScene(1 << 26);
    private final List<ProducerRecord<byte[], byte[]>> written = new ArrayList<>();
    private final Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    private final AtomicInteger calls = new AtomicInteger();
    private int producers;

    /** How a call fails, and whether the transaction can still be aborted. */
    enum Fault {
        ABORTABLE(new KafkaException("a send failed"), false),
        TIMEOUT(new TimeoutException("no answer"), false),
        FATAL(new KafkaException("the producer is in its error state"), true),
        FENCED(new ProducerFencedException("another producer"), true),
        ILLEGAL_STATE(new IllegalStateException("no transaction"), true);

        final RuntimeException error;
        final boolean isFatal;

        Fault(RuntimeException error, boolean isFatal) {
            this.error = error;
            this.isFatal = isFatal;
        }
    }

    @ParameterizedTest
    @EnumSource
    void after_any_call_that_fails_each_move_and_each_ledger_line_is_committed_once(Fault fault) throws Exception {
        int failAt = 1;
        int used = Integer.MAX_VALUE;
        for (; failAt <= used; failAt++) {
            CommitThreadTest run = new CommitThreadTest();
            run.handleAll(fault, failAt);
            used = run.calls.get() - 1;
            assertThat(run.deltas()).as("%s at call %d", fault, failAt).isEqualTo(expected());
            assertThat(run.written.stream().filter(record -> record.topic().endsWith("dead-letter")))
                    .as("%s at call %d", fault, failAt).hasSize(ITEMS / 2);
            assertThat(run.scene.failures).isEmpty();
        }
        assertThat(failAt).as("calls that failed").isGreaterThan(20);
    }

    @Test
    void the_faults_replace_the_producer_when_it_cannot_abort() throws Exception {
        handleAll(Fault.FATAL, 5);
        assertThat(producers).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void a_commit_that_never_succeeds_is_not_ready_and_ends_the_worker_with_the_reason(Fault fault) throws Exception {
        AtomicLong seconds = new AtomicLong();
        Outage outage = new Outage(Duration.ofSeconds(30), () -> TimeUnit.SECONDS.toNanos(seconds.get()));
        List<Boolean> lasted = new ArrayList<>();
        WorkerTransactions transactions = new WorkerTransactions(() -> new ModelProducer(new ModelProducer.Cluster() {
            @Override
            public void called(String method) {
                if (method.equals("commitTransaction")) {
                    lasted.add(outage.hasLasted(Duration.ofSeconds(10)));
                    seconds.incrementAndGet();
                    throw fault.error;
                }
            }

            @Override
            public void committed(
                    List<ProducerRecord<byte[], byte[]>> records, Map<TopicPartition, OffsetAndMetadata> progress) {
                throw new AssertionError("no commit succeeds");
            }
        }), partitions -> Map.of(), new LedgerWriter(scene.topics), new SameName("w", Map::of), outage, scene.limits);
        scene.take(0, ProgressState.fresh(0), 0);
        CommitBatch batch = scene.core.batch();
        assertThatThrownBy(() -> {
            while (!transactions.commit(batch, owned -> true, () -> false)) {
                scene.core.notCommitted(batch);
            }
        }).isInstanceOf(WorkerException.class).hasMessageContaining("since 31 s")
                .hasMessageContaining("worker.kafkaTimeout").hasMessageContaining(fault.error.getMessage());
        assertThat(lasted).hasSize(31).endsWith(true).startsWith(false);
    }

    @Test
    void a_commit_that_blocks_is_not_ready_before_it_fails() throws Exception {
        AtomicLong seconds = new AtomicLong();
        Outage outage = new Outage(Duration.ofMinutes(5), () -> TimeUnit.SECONDS.toNanos(seconds.get()));
        List<Boolean> lasted = new ArrayList<>();
        WorkerTransactions transactions = new WorkerTransactions(() -> new ModelProducer(new ModelProducer.Cluster() {
            @Override
            public void called(String method) {
                if (method.equals("sendOffsetsToTransaction")) {
                    lasted.add(outage.hasLasted(Duration.ofSeconds(10)));
                    seconds.addAndGet(11);
                    lasted.add(outage.hasLasted(Duration.ofSeconds(10)));
                }
            }

            @Override
            public void committed(
                    List<ProducerRecord<byte[], byte[]>> records, Map<TopicPartition, OffsetAndMetadata> progress) {}
        }), partitions -> Map.of(), new LedgerWriter(scene.topics), new SameName("w", Map::of), outage, scene.limits);
        scene.take(0, ProgressState.fresh(0), 0);

        assertThat(transactions.commit(scene.core.batch(), owned -> true, () -> false)).isTrue();

        assertThat(lasted).containsExactly(false, true);
        assertThat(outage.hasLasted(Duration.ofSeconds(10))).as("after the commit").isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void offsets_that_disagree_wait_until_it_is_known_which_partition_was_lost(boolean isCommitted) throws Exception {
        AtomicLong commits = new AtomicLong();
        Map<TopicPartition, OffsetAndMetadata> wanted = new HashMap<>();
        ModelProducer.Cluster cluster = new ModelProducer.Cluster() {
            @Override
            public void called(String method) {
                if (method.equals("abortTransaction")) {
                    throw new ProducerFencedException("a zombie");
                }
            }

            @Override
            public void committed(
                    List<ProducerRecord<byte[], byte[]>> records, Map<TopicPartition, OffsetAndMetadata> progress) {
                wanted.putAll(progress);
                commits.incrementAndGet();
            }

            @Override
            public void answered() {
                throw new ProducerFencedException("a zombie");
            }
        };
        OwnedPartition kept = scene.take(0, ProgressState.fresh(0), 0);
        OwnedPartition lost = scene.take(1, ProgressState.fresh(0), 0);
        scene.commit();
        scene.poll(kept, List.of(CoreScene.bad(kept, 0, 10)));
        scene.poll(lost, List.of(CoreScene.bad(lost, 0, 10)));
        AtomicInteger questions = new AtomicInteger();
        WorkerTransactions transactions = new WorkerTransactions(() -> new ModelProducer(cluster), partitions -> {
            if (questions.incrementAndGet() == 3) {
                scene.core.forget(List.of(lost.partition));
            }
            Map<TopicPartition, OffsetAndMetadata> found = new HashMap<>(wanted);
            // Its next owner has done more, or, where the commit was aborted, has come as far.
            found.put((isCommitted ? lost : kept).partition, new OffsetAndMetadata(isCommitted ? 5 : 0, ""));
            found.keySet().retainAll(partitions);
            return found;
        }, new LedgerWriter(scene.topics), new SameName("w", Map::of), new Outage(Duration.ofHours(1), () -> 0),
                scene.limits);

        boolean result = transactions.commit(scene.core.batch(),
                owned -> scene.core.owned(owned.partition).isPresent(), () -> false);

        assertThat(result).isEqualTo(isCommitted);
        assertThat(commits).hasValue(1);
        assertThat(questions).as("two before the loss, one with it, and one of the partition that is left").hasValue(4);
    }

    @ParameterizedTest
    @CsvSource({"delay,DEAD_LETTER", "delay+dead-letter,", "dead-letter,DELAY"})
    void a_move_that_its_topic_has_become_too_small_for_goes_elsewhere_and_the_rest_is_committed(
            String lowered, ItemState to) throws Exception {
        WorkerTransactions transactions = new WorkerTransactions(() -> new ModelProducer(new ModelProducer.Cluster() {
            @Override
            public void called(String method) {}

            @Override
            public void committed(
                    List<ProducerRecord<byte[], byte[]>> records, Map<TopicPartition, OffsetAndMetadata> progress) {
                if (records.stream().anyMatch(each -> scene.lowered.containsKey(each.topic())
                        && each.headers().lastHeader("note").value().length > 1_000)) {
                    throw new KafkaException("in an error state", new RecordTooLargeException());
                }
                written.addAll(records);
            }
        }), partitions -> Map.of(), new LedgerWriter(scene.topics), new SameName("w", Map::of),
                new Outage(Duration.ofHours(1), () -> 0), scene.limits);
        for (String lane : lowered.split("\\+")) {
            scene.lowered.put("spillway." + lane, 1_000);
        }
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
        scene.commit();
        AttemptRunner runner = scene.runner(delivery -> lowered.startsWith("delay")
                ? Outcome.retry("as requested") : Outcome.dead("as requested"));
        scene.poll(owned, List.of(CoreScene.item(owned, 0, "acme", 5_000), CoreScene.item(owned, 1, "bolt", 0)))
                .forEach(runner::handle);

        boolean isCommitted = false;
        for (int i = 0; i < 3 && !isCommitted; i++) {
            CommitBatch batch = scene.core.batch();
            isCommitted = transactions.commit(batch, each -> true, () -> false);
            if (!isCommitted) {
                scene.core.notCommitted(batch);
            }
        }

        assertThat(isCommitted).as("nothing takes the item").isEqualTo(to != null);
        if (to != null) {
            assertThat(written).filteredOn(each -> each.topic().equals("spillway." + to.label())
                    && ItemHeaders.text(each.headers(), "spillway-tenant").orElse("").equals("acme")).singleElement()
                    .satisfies(each -> assertThat(ItemHeaders.text(each.headers(), "spillway-dead-detail").orElse(""))
                            .contains(to == ItemState.DELAY ? "" : "spillway.delay, whose max.message.bytes"));
            assertThat(states("acme")).isEqualTo(Map.of(to, 1L));
            assertThat(states("bolt")).isEqualTo(Map.of(ItemState.valueOf(
                    to == ItemState.DELAY ? "DEAD_LETTER" : "DELAY"), 1L));
            assertThat(states(LedgerOwner.of(DeadReason.TOO_LARGE)).keySet())
                    .isEqualTo(to == ItemState.DELAY ? Set.of() : Set.of(ItemState.DEAD_LETTER));
            assertThat(states(LedgerOwner.of(DeadReason.FINAL_FAILURE)).getOrDefault(ItemState.DEAD_LETTER, 0L))
                    .as("that of bolt").isEqualTo(to == ItemState.DELAY ? 1 : 0);
        }
    }

    /** Returns the number of a tenant's items by the state to which they went. */
    private Map<ItemState, Long> states(String tenant) {
        Map<ItemState, Long> states = new EnumMap<>(ItemState.class);
        written.stream().filter(record -> record.topic().equals(scene.topics.ledger())).forEach(entry ->
                LedgerCodec.read(entry.value(), (name, from, counts) -> {
                    for (ItemState state : ItemState.values()) {
                        if (name.equals(tenant) && counts[state.ordinal()] != 0) {
                            states.merge(state, counts[state.ordinal()], Long::sum);
                        }
                    }
                }));
        return states;
    }

    /** Handles all items with the real threads, while one call fails. */
    private void handleAll(Fault fault, int failAt) throws Exception {
        ModelProducer.Cluster cluster = new ModelProducer.Cluster() {
            private boolean isBroken;

            @Override
            public void called(String method) {
                if (method.equals("initTransactions")) {
                    isBroken = false;
                    return;
                }
                int call = calls.incrementAndGet();
                isBroken |= call == failAt && fault.isFatal;
                if (call == failAt || isBroken) {
                    throw fault.error;
                }
            }

            @Override
            public void committed(
                    List<ProducerRecord<byte[], byte[]>> records, Map<TopicPartition, OffsetAndMetadata> progress) {
                written.addAll(records);
                offsets.putAll(progress);
            }

            @Override
            public void answered() {
                // An error from which a producer recovers is never an answer to a commit that succeeded.
                if (fault.isFatal) {
                    called("the answer to commitTransaction");
                }
            }
        };
        AttemptRunner runner = scene.runner(delivery -> Integer.parseInt(delivery.id().substring(5)) % 2 == 0
                ? Outcome.done() : Outcome.dead("as requested"));
        WorkerTransactions transactions = new WorkerTransactions(() -> {
            producers++;
            return new ModelProducer(cluster);
        }, partitions -> offsets, new LedgerWriter(scene.topics), new SameName("w", Map::of),
                new Outage(Duration.ofHours(1), () -> 0), scene.limits);
        try (CommitThread committer =
                new CommitThread(scene.core, runner, scene.metrics, transactions, Duration.ofMillis(5),
                        System::nanoTime, scene.failures::add)) {
            OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 0);
            runner.run(scene.poll(owned, IntStream.range(0, ITEMS)
                    .mapToObj(i -> CoreScene.item(owned, i, "tenant-" + i % TENANTS, 0)).toList()));
            committer.start();
            // In this order: an item that ends after the first question has still to be committed.
            while (owned.unfinished() > 0 || scene.core.hasToCommit(List.of(owned.partition))) {
                committer.flush().get(30, TimeUnit.SECONDS);
            }
            assertThat(offsets.get(owned.partition).offset()).isEqualTo(ITEMS);
        }
    }

    private Map<String, Long> deltas() {
        Map<String, Long> sums = new TreeMap<>();
        written.stream().filter(record -> record.topic().equals(scene.topics.ledger())).forEach(entry ->
                LedgerCodec.read(entry.value(), (tenant, from, counts) -> {
                    for (int to = 0; to < ItemState.COUNT; to++) {
                        sums.merge(tenant + " from " + from, counts[to], Long::sum);
                    }
                }));
        return sums;
    }

    private static Map<String, Long> expected() {
        Map<String, Long> sums = new TreeMap<>();
        for (int i = 0; i < ITEMS; i++) {
            sums.merge("tenant-" + i % TENANTS + " from HOT", 1L, Long::sum);
            if (i % 2 != 0) {
                sums.merge(LedgerOwner.of(DeadReason.FINAL_FAILURE) + " from HOT", 1L, Long::sum);
            }
        }
        return sums;
    }
}
