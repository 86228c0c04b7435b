package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A batch has one deadline, and ends at the first line that Kafka does not confirm. */
@Timeout(30) // The line-by-line timeouts of these batches add up to minutes.
class BatchDeadlineTest {
    private static final int LINES = 200;
    private static final String BATCH = "{\"payload\":\"x\"}\n".repeat(LINES);

    @Test
    void a_batch_that_kafka_never_confirms_is_answered_within_one_confirm_timeout() {
        try (GatewayUnderTest gateway = new GatewayUnderTest(
                false, "gateway.limits.confirmTimeout", "60s", "gateway.limits.tenantRequests", "1")) {
            String key = gateway.key("acme");
            nearDeadlineAtTheLast(gateway, () -> { });

            assertThat(types(gateway.batch(key, BATCH).body()))
                    .isEqualTo(Collections.nCopies(LINES, "not-confirmed"));
            assertThat(gateway.stored()).as("sent before the deadline").hasSize(LINES);
            assertThat(gateway.batch(key, "{").body()).as("its room is free again").contains("bad-request");
        }
    }

    @Test
    void lines_that_are_confirmed_before_the_deadline_are_accepted() {
        try (GatewayUnderTest gateway = new GatewayUnderTest(false, "gateway.limits.confirmTimeout", "60s")) {
            AtomicInteger sent = new AtomicInteger();
            // The second send finds the first record, and so on: three of them are confirmed.
            nearDeadlineAtTheLast(gateway, () -> {
                if (sent.getAndIncrement() < 4) {
                    gateway.kafka.completeNext();
                }
            });
            List<String> types = types(gateway.batch(gateway.key("acme"), BATCH).body());

            assertThat(types.subList(0, 5)).containsExactly("", "", "", "not-confirmed", "not-confirmed");
            assertThat(types.subList(3, LINES)).containsOnly("not-confirmed");
        }
    }

    @Test
    void after_a_line_that_cannot_be_sent_no_further_line_is_tried() {
        try (GatewayUnderTest gateway = new GatewayUnderTest(true)) {
            AtomicInteger tried = new AtomicInteger();
            gateway.onSend = () -> {
                if (tried.incrementAndGet() > 2) {
                    throw new TimeoutException("Topic spillway.ingress not present in metadata after 5000 ms.");
                }
            };
            String body = gateway.batch(gateway.key("acme"), "not json\n" + BATCH).body();

            assertThat(types(body).subList(0, 5))
                    .containsExactly("bad-request", "", "", "not-confirmed", "not-accepted");
            assertThat(types(body).subList(4, LINES + 1)).containsOnly("not-accepted");
            assertThat(tried).hasValue(3);
            assertThat(gateway.stored()).hasSize(2);
            assertThat(body.lines().toList().getLast())
                    .contains("\"status\":503", "\"retryAfter\":1", "not stored");
            assertThat(gateway.registry.get("spillway.gateway.lines").tag("status", "503").counter().count())
                    .isEqualTo(LINES - 2);
        }
    }

    @Test
    void no_line_is_sent_when_it_could_block_beyond_the_deadline() {
        try (GatewayUnderTest gateway = new GatewayUnderTest(true, "gateway.limits.confirmTimeout", "120s")) {
            gateway.onSend = () -> gateway.skippedNanos.addAndGet(TimeUnit.SECONDS.toNanos(48));

            List<String> types = types(gateway.batch(gateway.key("acme"), BATCH).body());

            assertThat(types.subList(0, 2)).as("sent at 0 s and 48 s").containsExactly("", "");
            assertThat(types.subList(2, LINES)).containsOnly("not-accepted");
        }
    }

    /** The last line is sent at most a second before the deadline of 60 s, however slow the machine is. */
    private static void nearDeadlineAtTheLast(GatewayUnderTest gateway, Runnable eachSend) {
        AtomicInteger sent = new AtomicInteger();
        gateway.onSend = () -> {
            eachSend.run();
            if (sent.incrementAndGet() == LINES) {
                gateway.skippedNanos.addAndGet(TimeUnit.SECONDS.toNanos(59));
            }
        };
    }

    /** Returns the type of each line's problem, without its prefix; empty for an accepted line. */
    private static List<String> types(String body) {
        List<String> types = new ArrayList<>();
        try {
            for (String line : body.split("\n")) {
                JsonNode json = new JsonMapper().readTree(line);
                types.add(json.path("type").asText().replace("urn:spillway:problem:", ""));
            }
        } catch (JsonProcessingException e) {
            throw new AssertionError(body, e);
        }
        return types;
    }
}
