package io.spillway.deadletter;

import static io.spillway.deadletter.DeadLetterFixture.ALL;
import static io.spillway.deadletter.DeadLetterFixture.UNWATCHED;
import static io.spillway.deadletter.DeadLetterFixture.bytes;
import static io.spillway.deadletter.DeadLetterFixture.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.Lane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.codec.ItemHeaders;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(900) // Against a hang; nothing is measured.
class DeadLetterRunIT {
    private static final long START = 1_800_000_000_000L;
    private static final InstantSource CLOCK = InstantSource.system();

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    private DeadLetterFixture fixture;
    private Replay replay;

    @BeforeEach
    void makeTopics() {
        fixture = new DeadLetterFixture(kafka);
        replay = new Replay(fixture.topics(), START, 10);
    }

    /** Simulates a kill: ends the run at once. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    @Test
    void a_replay_keeps_bytes_and_headers_and_resets_the_attempts() throws Exception {
        fixture.bury(4, i -> "acme");
        List<ConsumerRecord<byte[], byte[]>> before = kafka.readAll(fixture.topics().lane(Lane.DEAD_LETTER));

        assertThat(replayAll(ALL).done()).isEqualTo(4);
        List<ConsumerRecord<byte[], byte[]>> after = fixture.delayed();
        assertThat(after).hasSize(4);
        for (int i = 0; i < 4; i++) {
            ConsumerRecord<byte[], byte[]> dead = before.get(i);
            ConsumerRecord<byte[], byte[]> alive = after.get(i);
            assertThat(alive.key()).isEqualTo(dead.key());
            assertThat(alive.value()).isEqualTo(dead.value());
            assertThat(alive.timestamp()).isEqualTo(dead.timestamp());
            assertThat(alive.partition()).isEqualTo(dead.partition());
            List<String> names = new ArrayList<>();
            alive.headers().forEach(header -> names.add(header.key()));
            assertThat(names).containsExactlyInAnyOrder("traceparent", ItemHeaders.ORIGIN, ItemHeaders.FIRST_ATTEMPT_AT,
                    ItemHeaders.REPLAYED_AT, ItemHeaders.REPLAY_BEGAN_AT, ItemHeaders.DUE);
            assertThat(header(alive, "traceparent")).isEqualTo(header(dead, "traceparent"));
            assertThat(header(alive, ItemHeaders.ORIGIN)).isEqualTo(header(dead, ItemHeaders.ORIGIN));
            assertThat(header(alive, ItemHeaders.FIRST_ATTEMPT_AT)).isEqualTo("1786000000000");
            assertThat(List.of(header(alive, ItemHeaders.REPLAYED_AT), header(alive, ItemHeaders.REPLAY_BEGAN_AT)))
                    .containsExactly(header(alive, ItemHeaders.DUE), Long.toString(START));
        }
        assertThat(after).extracting(record -> header(record, ItemHeaders.DUE)).containsExactlyInAnyOrder(
                Long.toString(START), Long.toString(START + 100),
                Long.toString(START + 200), Long.toString(START + 300));
    }

    @Test
    void a_missing_origin_is_built_from_its_three_headers_or_the_position_of_the_dead_letter() throws Exception {
        ProducerRecord<byte[], byte[]> parts = fixture.dead(0, "acme", bytes("nonsense"), "malformed");
        parts.headers().remove(ItemHeaders.ORIGIN);
        ProducerRecord<byte[], byte[]> nothing = fixture.dead(2, "acme", bytes("more nonsense"), "malformed");
        nothing.headers().remove(ItemHeaders.ORIGIN).remove(ItemHeaders.ORIGIN_TOPIC);
        fixture.send(List.of(parts, nothing));

        replayAll(ALL);

        assertThat(fixture.delayed()).extracting(record -> header(record, ItemHeaders.ORIGIN)).containsExactly(
                fixture.topics().lane(Lane.HOT) + "-1-77", fixture.topics().lane(Lane.DEAD_LETTER) + "-0-1");
    }

    @Test
    void a_second_replay_replays_nothing_and_finished_records_are_purged() throws Exception {
        fixture.bury(10, i -> "acme");
        replayAll(ALL);

        assertThat(replayAll(ALL).done()).isZero();

        assertThat(fixture.waiting()).isEmpty();
        assertThat(kafka.readAll(fixture.topics().lane(Lane.DEAD_LETTER))).isEmpty();
        assertEachOnce(10);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void a_run_that_is_killed_in_a_commit_and_repeated_replays_each_once(int commitsBefore) throws Exception {
        fixture.bury(60, i -> i % 3 == 0 ? "other" : "acme");
        DeadLetterFilter acme = tenant("acme");

        assertThatThrownBy(() -> replay(acme, Long.MAX_VALUE, 5, killedAtCommit(commitsBefore)))
                .isInstanceOf(Killed.class);
        List<String> between = fixture.waiting();
        replay(acme, Long.MAX_VALUE, 5, UnaryOperator.identity());

        assertThat(between).as("nothing is lost or doubled in between").doesNotHaveDuplicates();
        assertEach(IntStream.range(0, 60).filter(i -> i % 3 != 0));
        assertThat(fixture.waiting())
                .containsExactlyInAnyOrderElementsOf(ids(IntStream.range(0, 60).filter(i -> i % 3 == 0)));
    }

    @Test
    void a_run_with_another_filter_purges_what_a_killed_run_has_replayed() throws Exception {
        fixture.bury(40, i -> i / 2 % 2 == 0 ? "even" : "odd");
        ScanListener kill = new ScanListener() {
            @Override
            public void progressed(String what, long done, long total) {
                if (what.equals("replayed")) {
                    throw new Killed();
                }
            }
        };
        DeadLetterRun run = open(1_000, UnaryOperator.identity());
        Survey survey = run.survey(tenant("even"), replay, 5, UNWATCHED).orElseThrow();
        assertThatThrownBy(() -> run.run(survey, tenant("even"), replay, kill)).isInstanceOf(Killed.class);
        assertThat(fixture.waiting()).hasSize(35);

        assertThat(replayAll(tenant("nobody")).done()).isZero();

        assertThat(kafka.readAll(fixture.topics().lane(Lane.DEAD_LETTER)))
                .as("replayed dead letters are purged").hasSize(35);
        replayAll(ALL);
        assertEachOnce(40);
        run.close();
    }

    @Test
    void of_two_concurrent_runs_the_later_fences_the_earlier_and_each_dead_letter_is_replayed_once() throws Exception {
        fixture.bury(100, i -> "acme");
        try (DeadLetterRun first = open(1_000, UnaryOperator.identity())) {
            Survey seenByFirst =
                    first.survey(ALL, replay, Long.MAX_VALUE, UNWATCHED).orElseThrow();
            List<RunResult> second = new ArrayList<>();
            ScanListener otherComes = new ScanListener() {
                @Override
                public boolean isStopped() {
                    return false;
                }

                @Override
                public void progressed(String what, long done, long total) {
                    second.add(replayAll(ALL));
                }
            };
            // The second run starts after the first of two partitions.
            assertThatThrownBy(() -> first.run(seenByFirst, ALL, replay, otherComes))
                    .isInstanceOfSatisfying(
                            SupersededException.class, superseded -> assertThat(superseded.done()).isEqualTo(50));
            assertThat(second).extracting(RunResult::done).containsExactly(50L);
        }
        assertEachOnce(100);
    }

    @Test
    void a_superseded_run_fails_without_changes() throws Exception {
        fixture.bury(20, i -> "acme");
        try (DeadLetterRun first = open(1_000, UnaryOperator.identity())) {
            Survey survey = first.survey(ALL, replay, Long.MAX_VALUE, UNWATCHED).orElseThrow();
            assertThat(replayAll(tenant("nobody")).done()).isZero();

            assertThatThrownBy(() -> first.run(survey, ALL, replay, UNWATCHED))
                    .isInstanceOf(SupersededException.class)
                    .hasMessageContaining("another replay or discard has started");
        }
        assertThat(fixture.waiting()).hasSize(20);
        assertThat(fixture.delayed()).isEmpty();
    }

    @Test
    void any_number_of_dead_letters_can_be_skipped_and_their_bytes_and_headers_are_unchanged() throws Exception {
        fixture.bury(300, i -> i % 50 > 47 ? "acme" : "other");
        List<ConsumerRecord<byte[], byte[]>> before = kafka.readAll(fixture.topics().lane(Lane.DEAD_LETTER));

        RunResult result = replay(tenant("acme"), Long.MAX_VALUE, 10, UnaryOperator.identity());

        assertThat(result.done()).isEqualTo(12);
        assertEach(IntStream.range(0, 300).filter(i -> i % 50 > 47));
        List<ConsumerRecord<byte[], byte[]>> after = kafka.readAll(fixture.topics().lane(Lane.DEAD_LETTER));
        assertThat(after).extracting(DeadLetterRunIT::whole).containsExactlyInAnyOrderElementsOf(before.stream()
                .filter(record -> !new String(record.key()).equals("acme"))
                .map(DeadLetterRunIT::whole)
                .toList());
        assertThat(fixture.waiting()).hasSize(288).doesNotHaveDuplicates();
    }

    @Test
    void a_limited_run_leaves_the_rest_for_a_later_run() throws Exception {
        fixture.bury(30, i -> "acme");

        assertThat(replay(ALL, 7, 1_000, UnaryOperator.identity()).done()).isEqualTo(7);
        assertThat(fixture.waiting()).hasSize(23);
        assertThat(replay(ALL, 16, 1_000, UnaryOperator.identity()).done()).isEqualTo(16);
        assertThat(replayAll(ALL).done()).isEqualTo(7);
        assertEachOnce(30);
    }

    @Test
    void a_stopped_run_ends_after_its_batch() throws Exception {
        fixture.bury(30, i -> "acme");
        ScanListener stop = new ScanListener() {
            private boolean stopped;

            @Override
            public boolean isStopped() {
                return stopped;
            }

            @Override
            public void progressed(String what, long done, long total) {
                stopped = true;
            }
        };
        try (DeadLetterRun run = open(1_000, UnaryOperator.identity())) {
            Survey survey = run.survey(ALL, replay, Long.MAX_VALUE, UNWATCHED).orElseThrow();

            RunResult result = run.run(survey, ALL, replay, stop);

            assertThat(result.stopped()).isTrue();
            assertThat(result.done()).as("one partition's batch").isEqualTo(15);
        }
        replayAll(ALL);
        assertEachOnce(30);
    }

    @Test
    void dead_letters_too_large_for_the_delay_lane_are_skipped_and_reported() throws Exception {
        fixture.bury(2, i -> "acme");
        byte[] large = new byte[fixture.topics().delayedMaxBytes() + 1];
        ProducerRecord<byte[], byte[]> many = fixture.dead(2, "acme", bytes("x"), "too-many-headers");
        IntStream.range(0, 1_100).forEach(i -> many.headers().add("h", bytes("v")));
        fixture.send(List.of(fixture.dead(0, "acme", large, "too-large"), many));

        try (DeadLetterRun run = open(1_000, UnaryOperator.identity())) {
            Survey survey = run.survey(ALL, replay, Long.MAX_VALUE, UNWATCHED).orElseThrow();
            assertThat(survey.unfit()).isEqualTo(2);
            // 0-1 is the marker of the first transaction.
            assertThat(survey.obstacles()).hasSize(2)
                    .anyMatch(obstacle -> obstacle.matches("0-2: \\d+ bytes; the delay lane allows \\d+.*"))
                    .anyMatch(obstacle -> obstacle.matches("0-3: 11\\d\\d headers; the delay lane allows 1032"));
            assertThat(run.run(survey, ALL, replay, UNWATCHED).done()).isEqualTo(2);
        }
        assertThat(fixture.delayed()).hasSize(2);
        assertThat(fixture.waiting()).hasSize(2);
    }

    @Test
    void discarded_dead_letters_are_removed_without_successors() throws Exception {
        fixture.bury(10, i -> i < 5 ? "acme" : "other");
        try (DeadLetterRun run = open(1_000, UnaryOperator.identity())) {
            Disposal discard = new Discard(fixture.topics());
            Survey survey = run.survey(tenant("acme"), discard, Long.MAX_VALUE, UNWATCHED).orElseThrow();

            assertThat(run.run(survey, tenant("acme"), discard, UNWATCHED).done()).isEqualTo(5);
        }
        assertThat(fixture.waiting()).containsExactlyInAnyOrderElementsOf(ids(IntStream.range(5, 10)));
        assertThat(fixture.delayed()).isEmpty();
        replayAll(ALL);
        assertEach(IntStream.range(5, 10));
    }

    private RunResult replayAll(DeadLetterFilter filter) {
        return replay(filter, Long.MAX_VALUE, 1_000, UnaryOperator.identity());
    }

    private RunResult replay(
            DeadLetterFilter filter, long limit, int maxSkipped, UnaryOperator<Producer<byte[], byte[]>> producers) {
        try (DeadLetterRun run = open(maxSkipped, producers)) {
            Survey survey = run.survey(filter, replay, limit, UNWATCHED).orElseThrow();
            return run.run(survey, filter, replay, UNWATCHED);
        }
    }

    private DeadLetterRun open(int maxSkipped, UnaryOperator<Producer<byte[], byte[]>> producers) {
        return new DeadLetterRun(fixture.configuration(), CLOCK, maxSkipped, producers);
    }

    /** Returns a producer that fails before a commit, with all records sent, and is neither closed nor aborted. */
    @SuppressWarnings("unchecked")
    private static UnaryOperator<Producer<byte[], byte[]>> killedAtCommit(int commitsBefore) {
        int[] commits = {0};
        return real -> (Producer<byte[], byte[]>) Proxy.newProxyInstance(
                DeadLetterRunIT.class.getClassLoader(), new Class<?>[] {Producer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("commitTransaction") && commits[0]++ == commitsBefore) {
                        real.flush();
                        throw new Killed();
                    }
                    if (method.getName().equals("close") && commits[0] > commitsBefore) {
                        return null;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void assertEachOnce(int count) {
        assertEach(IntStream.range(0, count));
    }

    private void assertEach(IntStream expected) {
        assertThat(fixture.delayed()).extracting(record -> header(record, ItemHeaders.ORIGIN))
                .containsExactlyInAnyOrderElementsOf(expected.mapToObj(fixture::origin).toList());
    }

    private static List<String> ids(IntStream numbers) {
        return numbers.mapToObj(i -> "id-" + i).toList();
    }

    private static DeadLetterFilter tenant(String name) {
        return new DeadLetterFilter(
                Optional.of(name), Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), Set.of(), Set.of());
    }

    private static String whole(ConsumerRecord<byte[], byte[]> record) {
        StringBuilder text =
                new StringBuilder(new String(record.key()) + record.timestamp() + new String(record.value()));
        record.headers().forEach(header -> text.append(header.key()).append(new String(header.value())));
        return text.toString();
    }
}
