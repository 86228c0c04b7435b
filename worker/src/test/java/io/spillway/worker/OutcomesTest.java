package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Timer;
import io.spillway.core.item.DeadReason;
import io.spillway.core.item.Lane;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.routing.Route;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Records to which each outcome of a handler leads. Four attempts are allowed; the backoff is 1 s at first. */
class OutcomesTest {
    private static final long NOW_MILLIS = CoreScene.NOW_MILLIS;

    private final CoreScene scene = new CoreScene(1 << 20);
    private final OwnedPartition partition = scene.take(0, ProgressState.fresh(0), Long.MAX_VALUE);
    private long offset;

    OutcomesTest() {
        scene.commit();
    }

    @Test
    void a_retry_is_blamed_on_the_item_and_an_unavailable_destination_is_not() {
        assertThat(moved(Outcome.retry("no"))).containsEntry("topic", "spillway.delay")
                .containsEntry("spillway-lane-reason", "retry").containsEntry("spillway-attempt", "1")
                .containsEntry("spillway-blame", "1000");
        assertThat(moved(Outcome.unavailable("no"))).containsEntry("topic", "spillway.delay")
                .containsEntry("spillway-lane-reason", "retry").containsEntry("spillway-attempt", "1")
                .containsEntry("spillway-blame", "0");
    }

    @Test
    void the_wait_is_recorded_as_drawn_without_what_the_destination_asked_for() {
        Map<String, String> moved = moved(Outcome.retry(Duration.ofMinutes(2), "no"));
        long waitMillis = Long.parseLong(moved.get("spillway-wait"));

        assertThat(waitMillis).isBetween(0L, 1_000L);
        assertThat(moved).containsEntry("spillway-due", Long.toString(NOW_MILLIS + 120_000 + waitMillis));
    }

    @Test
    void a_failure_of_the_destination_alone_records_no_wait() {
        for (int minutes : List.of(2, 0, -2)) {
            Map<String, String> moved = moved(Outcome.unavailable(Duration.ofMinutes(minutes), "no"));
            long askedMillis = Math.max(0, minutes) * 60_000;

            assertThat(moved).containsEntry("spillway-wait", "0");
            assertThat(Long.parseLong(moved.get("spillway-due")) - NOW_MILLIS)
                    .isBetween(askedMillis, askedMillis + 1_000);
        }
    }

    @Test
    void an_item_that_is_put_off_was_not_attempted() {
        assertThat(moved(Outcome.later(Duration.ofHours(10)))).containsEntry("topic", "spillway.delay")
                .containsEntry("spillway-lane-reason", "later")
                .containsEntry("spillway-due", Long.toString(NOW_MILLIS + 36_000_000))
                .doesNotContainKeys("spillway-attempt", "spillway-first-attempt-at", "spillway-blame", "spillway-wait",
                        "spillway-destination");
        assertThat(moved(Outcome.later(Duration.ofSeconds(-1))))
                .containsEntry("spillway-due", Long.toString(NOW_MILLIS));
        assertThat(moved(Outcome.later(Duration.ofSeconds(Long.MAX_VALUE)))).as("no overflow")
                .satisfies(moved -> assertThat(Long.parseLong(moved.get("spillway-due"))).isGreaterThan(NOW_MILLIS));
    }

    /** Enqueued at 0 s, put off for 100 s at 2 s, and taken 3 s after it was due; or a retry that is put off at 2 s. */
    @Test
    void after_an_item_was_put_off_its_age_counts_from_when_it_was_due() {
        scene.nowMillis += 2_000;
        Headers later = headersAfter(Outcome.later(Duration.ofSeconds(100)), item());
        assertThat(ages("spillway.age_of_first_attempt")).isEqualTo("1 calls, 2 s");

        scene.nowMillis += 103_000;
        handle(delivery -> Outcome.retry("no"), later);
        assertThat(ages("spillway.age_of_first_attempt")).as("3 s since it was due").isEqualTo("2 calls, 5 s");

        Headers retry = item().add(ItemHeaders.FIRST_ATTEMPT_AT, bytes("1")).add(ItemHeaders.ATTEMPT, bytes("1"))
                .add(ItemHeaders.DUE, bytes(Long.toString(scene.nowMillis)));
        handle(delivery -> Outcome.later(Duration.ofSeconds(1)), retry);
        assertThat(ages("spillway.age_of_retry")).isEqualTo("1 calls, 105 s");
        handle(delivery -> Outcome.retry("no"), retry);
        assertThat(ages("spillway.age_of_retry")).as("since its creation").isEqualTo("2 calls, 210 s");
    }

    private String ages(String timer) {
        return "%d calls, %.0f s".formatted(
                scene.registry.find(timer).timers().stream().mapToLong(Timer::count).sum(),
                scene.registry.find(timer).timers().stream()
                        .mapToDouble(each -> each.totalTime(TimeUnit.SECONDS)).sum());
    }

    @Test
    void an_item_can_be_put_off_as_often_as_one_likes_and_keeps_its_history() {
        Headers headers = item();
        headers = headersAfter(Outcome.retry("no"), headers);
        String wait = text(headers, ItemHeaders.WAIT);
        for (int i = 0; i < 100; i++) {
            headers = headersAfter(Outcome.later(Duration.ofSeconds(1)), headers);
        }

        assertThat(text(headers, ItemHeaders.LANE_REASON)).isEqualTo("later");
        assertThat(text(headers, ItemHeaders.MOVES)).isEqualTo("0");
        assertThat(text(headers, ItemHeaders.ATTEMPT)).isEqualTo("1");
        assertThat(text(headers, ItemHeaders.BLAME)).isEqualTo("1000");
        assertThat(text(headers, ItemHeaders.WAIT)).isEqualTo(wait);
    }

    @Test
    void blame_grows_with_the_items_own_failures_until_it_is_a_dead_letter() {
        Headers headers = item();
        for (int attempt = 1; attempt <= 20; attempt++) {
            headers = headersAfter(Outcome.unavailable("no"), headers);
            assertThat(text(headers, ItemHeaders.ATTEMPT)).isEqualTo(Integer.toString(attempt));
            assertThat(text(headers, ItemHeaders.BLAME)).isEqualTo("0");
        }
        for (int own = 1; own <= 3; own++) {
            headers = headersAfter(Outcome.retry("no"), headers);
            assertThat(text(headers, ItemHeaders.BLAME)).isEqualTo(Integer.toString(1_000 * own));
        }

        Map<String, String> dead = moved(named(delivery -> Outcome.retry("no"), "mail.example.org:25"), headers);
        assertThat(dead).containsEntry("topic", "spillway.dead-letter")
                .containsEntry("spillway-dead-reason", "attempts-used-up").containsEntry("spillway-attempt", "24")
                .containsEntry("spillway-destination", "mail.example.org:25").containsKey("spillway-blame")
                .doesNotContainKeys("spillway-wait", "spillway-due");
    }

    @Test
    void the_destination_of_the_last_attempt_is_recorded_unless_it_is_the_default() {
        Headers first = new RecordHeaders();
        moved(named(delivery -> Outcome.retry("no"), "a"), item()).forEach((name, value) ->
                first.add(name, value.getBytes(StandardCharsets.UTF_8)));

        assertThat(text(first, ItemHeaders.DESTINATION)).isEqualTo("a");
        assertThat(moved(named(delivery -> Outcome.unavailable("no"), "b"), first))
                .containsEntry("spillway-destination", "b");
        assertThat(moved(named(delivery -> Outcome.retry("no"), ""), first)).doesNotContainKey("spillway-destination");
        assertThat(moved(named(delivery -> Outcome.dead("no"), "c"), first))
                .containsEntry("spillway-destination", "c").containsEntry("spillway-dead-reason", "final-failure");
    }

    @Test
    void a_destination_is_printable_and_bounded() {
        assertThat(destination("x".repeat(255))).isEqualTo("x".repeat(255));
        assertThat(destination("x".repeat(256))).isEqualTo("x".repeat(252) + "...");
        assertThat(destination("é\n\\")).isEqualTo("\\u00e9\\u000a\\\\");
        assertThat(destination("\n".repeat(1_000))).hasSizeLessThanOrEqualTo(255).startsWith("\\u000a\\u000a");
    }

    @Test
    void a_destination_that_fails_is_a_failed_attempt_without_a_call() {
        Handler throwing = new Handler() {
            @Override
            public Outcome handle(Delivery delivery) {
                throw new AssertionError("must not be called");
            }

            @Override
            public String destination(Delivery delivery) {
                throw new IllegalStateException("no route");
            }
        };
        Headers last = item().add(ItemHeaders.ATTEMPT, bytes("3")).add(ItemHeaders.BLAME, bytes("3000"))
                .add(ItemHeaders.DESTINATION, bytes("old"));

        assertThat(moved(throwing, item())).containsEntry("spillway-attempt", "1")
                .containsEntry("spillway-lane-reason", "retry").containsEntry("spillway-blame", "1000");
        assertThat(moved(throwing, last)).doesNotContainKey("spillway-destination")
                .containsEntry("spillway-dead-detail", "The handler's method destination failed:"
                        + " java.lang.IllegalStateException: no route");
        assertThat(moved(named(delivery -> Outcome.done(), null), last)).containsEntry("spillway-dead-detail",
                "The handler's method destination returned null. It must return a name, or an empty one.");
        assertThat(scene.failures).isEmpty();
    }

    @Test
    void a_dead_letter_by_time_tells_its_last_failure() {
        Headers failing = headersAfter(Outcome.retry("HTTP status 503\n" + "x".repeat(200)), item());
        String last = text(failing, "spillway-last-failure");
        assertThat(last).startsWith("HTTP status 503\\u000axxx").endsWith("x...").hasSize(100);

        ItemHeaders.addDeadLetter(failing, new Route.DeadLetter(DeadReason.RETRY_TIME_OVER, "still failing 6h after"),
                "delay", NOW_MILLIS, "spillway.delay", 0, 7);

        assertThat(text(failing, "spillway-dead-detail"))
                .startsWith("still failing 6h after; last failure: HTTP status")
                .hasSizeLessThan(200);
        assertThat(failing.lastHeader("spillway-last-failure")).isNull();
        ItemHeaders.addDeadLetter(item(), new Route.DeadLetter(DeadReason.RETRY_TIME_OVER, "no header"), "delay",
                NOW_MILLIS, "spillway.delay", 0, 7);
    }

    @ParameterizedTest
    @CsvSource({"2500, 2500", "0, 0", "-5, 0", "abc, 0", "'', 0", "2147483648, 2147483647",
        "9223372036854775807, 2147483647"})
    void blame_is_read_from_its_header_and_bounded(String header, int expected) {
        Headers headers = item().add(ItemHeaders.BLAME, bytes(header));

        assertThat(read(headers).blameThousandths()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"2500, 2500", "0, 0", "-5, 0", "abc, 0", "86400001, 86400000", "9223372036854775807, 86400000"})
    void the_previous_wait_is_read_from_its_header_and_bounded(String header, long expected) {
        assertThat(read(item().add(ItemHeaders.WAIT, bytes(header))).waitMillis()).isEqualTo(expected);
        assertThat(read(item()).waitMillis()).isZero();
    }

    private String destination(String name) {
        return moved(named(delivery -> Outcome.retry("no"), name), item()).get("spillway-destination");
    }

    private LaneItem read(Headers headers) {
        ItemGate gate = new ItemGate(new ItemReader(ItemSchemas.load(), 1 << 20),
                new TenantPolicies(scene.defaults), new Sweeps(), item -> false, () -> 0);
        return gate.read(partition, record(headers), NOW_MILLIS);
    }

    private Map<String, String> moved(Outcome outcome) {
        return moved(delivery -> outcome, item());
    }

    /** Returns the topic and the headers of the record that one attempt leads to. */
    private Map<String, String> moved(Handler handler, Headers headers) {
        ProducerRecord<byte[], byte[]> record = handle(handler, headers);
        Map<String, String> all = new TreeMap<>(Map.of("topic", record.topic()));
        for (Header header : record.headers()) {
            all.put(header.key(), new String(header.value(), StandardCharsets.UTF_8));
        }
        return all;
    }

    @Test
    void an_answer_that_a_handler_on_demand_has_accepted_counts_although_the_lease_ends_at_the_same_time() {
        assertThat(laneAfterLeaseEnds(onDemand(() -> Outcome.dead("refused")))).isEqualTo(Lane.DEAD_LETTER);
        assertThat(laneAfterLeaseEnds(onDemand(() -> {
            throw new InterruptedException();
        }))).as("nobody has answered").isEqualTo(Lane.DELAY);
        assertThat(laneAfterLeaseEnds(delivery -> Outcome.dead("refused"))).as("not on demand")
                .isEqualTo(Lane.DELAY);
    }

    private Lane laneAfterLeaseEnds(Handler handler) {
        Attempt attempt = scene.poll(partition, List.of(record(item()))).getFirst();
        attempt.interrupt(Attempt.Interruption.LEASE_ENDED);
        scene.runner(handler).handle(attempt);
        Thread.interrupted();
        var batch = scene.core.batch();
        scene.core.committed(batch);
        String topic = batch.parts().get(partition).moves().getLast().topic();
        return Stream.of(Lane.values()).filter(lane -> scene.topics.lane(lane).equals(topic)).findFirst().orElseThrow();
    }

    private static Handler onDemand(Callable<Outcome> answer) {
        return new Worker.OnDemand() {
            @Override
            public int limit() {
                return 1;
            }

            @Override
            public void onDemand(Runnable grown) {}

            @Override
            public Outcome handle(Delivery delivery) throws Exception {
                return answer.call();
            }
        };
    }

    private Headers headersAfter(Outcome outcome, Headers headers) {
        return handle(delivery -> outcome, headers).headers();
    }

    private ProducerRecord<byte[], byte[]> handle(Handler handler, Headers headers) {
        List<Attempt> attempts = scene.poll(partition, List.of(record(headers)));
        assertThat(attempts).hasSize(1);
        attempts.forEach(scene.runner(handler)::handle);
        var batch = scene.core.batch();
        scene.core.committed(batch);
        return batch.parts().get(partition).moves().getLast();
    }

    private ConsumerRecord<byte[], byte[]> record(Headers headers) {
        byte[] value = {1};
        return new ConsumerRecord<>(scene.topics.lane(Lane.HOT), 0, offset++, NOW_MILLIS, TimestampType.CREATE_TIME,
                -1, value.length, null, value, new RecordHeaders(headers), Optional.empty());
    }

    private static Headers item() {
        return new RecordHeaders().add(ItemHeaders.TENANT, bytes("acme")).add(ItemHeaders.ID, bytes("order-17"))
                .add(ItemHeaders.ENQUEUED_AT, bytes(Long.toString(NOW_MILLIS)));
    }

    private static Handler named(Function<Delivery, Outcome> handle, String destination) {
        return new Handler() {
            @Override
            public Outcome handle(Delivery delivery) {
                return handle.apply(delivery);
            }

            @Override
            public String destination(Delivery delivery) {
                return destination;
            }
        };
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(Headers headers, String name) {
        return ItemHeaders.text(headers, name).orElse("");
    }
}
