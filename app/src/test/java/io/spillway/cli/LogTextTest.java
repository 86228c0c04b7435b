package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;

/** Log output with the shipped logback.xml. */
class LogTextTest {
    private static final String FORGED = "x\r\n2026-01-01 ERROR [main] Forged: \u001b[31mline\u0085\u2028\u202e";

    private static final ObjectMapper JSON = new ObjectMapper();

    private final PrintStream realErr = System.err;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final LoggerContext context = new LoggerContext();
    private Logger log;

    @BeforeEach
    void configure() throws Exception {
        configure("text");
    }

    /** @param format value of the variable SPILLWAY_LOG_FORMAT */
    private void configure(String format) throws Exception {
        context.reset();
        context.putProperty("SPILLWAY_LOG_FORMAT", format);
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        context.setMDCAdapter(new LogbackMDCAdapter());
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(LogTextTest.class.getResource("/logback.xml"));
        log = context.getLogger("io.spillway.test");
    }

    @AfterEach
    void restore() {
        context.stop();
        System.setErr(realErr);
    }

    @Test
    void two_first_producers_of_a_new_kafka_cause_no_warning() throws Exception {
        Class<?> manager = Class.forName("kafka.server.DefaultAutoTopicCreationManager");
        context.getLogger(manager.getName()).warn("Auto topic creation failed for __transaction_state");

        assertThat(written()).isEmpty();
    }

    @Test
    void a_message_stays_on_one_line() {
        log.warn("Skipped {}", FORGED);

        assertThat(written()).matches("\\S+Z WARN  \\[.*] test: Skipped x 2026-01-01 ERROR \\[main] Forged: "
                + "\\\\u001b\\[31mline  \\\\u202e\n");
    }

    @Test
    void a_stack_trace_has_no_lines_from_quoted_messages() {
        RuntimeException fault = new IllegalStateException(FORGED, new IllegalArgumentException(FORGED));
        fault.addSuppressed(new RuntimeException(FORGED));
        log.error("Failed", fault);

        assertThat(written()).doesNotContain("\u001b", "\r", "\u0085", "\u2028", "\u202e");
        assertThat(written().lines()).allMatch(line ->
                line.matches("\\S+Z ERROR .*|\\s*(Suppressed: |Caused by: )?java\\.lang\\.\\w+Exception: x\\\\u000d.*"
                        + "|\\s+at .*|\\s+\\.\\.\\. .*|\\s*"));
        assertThat(written())
                .contains(
                        "IllegalStateException: x", "Caused by: java.lang.IllegalArgumentException: x", "Suppressed: ");
    }

    @Test
    void other_text_is_unchanged() {
        log.info("größe 10 µs → \\u0041");

        assertThat(written()).endsWith("test: größe 10 µs → \\u0041\n");
    }

    @Test
    void a_line_about_an_attempt_has_its_trace() {
        context.getMDCAdapter().put("trace_id", "0af7");
        context.getMDCAdapter().put("span_id", "b7ad");
        log.warn("late");
        context.getMDCAdapter().clear();
        log.warn("other");

        assertThat(written().lines().toList()).satisfiesExactly(
                line -> assertThat(line).endsWith(" test: trace_id=0af7 span_id=b7ad late"),
                line -> assertThat(line).endsWith(" test: other"));
    }

    @Test
    void in_json_each_event_is_one_line_of_printable_ascii_with_nothing_lost() throws Exception {
        configure("json");
        context.getMDCAdapter().put("trace_id", FORGED);
        log.error("Skipped {} \"größe\" \\", FORGED, new IllegalStateException(FORGED, new RuntimeException("why")));
        context.getMDCAdapter().clear();
        log.info("second");

        assertThat(written()).matches("(?:[ -~]+\n){2}");
        JsonNode first = JSON.readTree(written().lines().toList().getFirst());
        assertThat(first.get("formattedMessage").asText()).isEqualTo("Skipped " + FORGED + " \"größe\" \\");
        assertThat(first.get("level").asText()).isEqualTo("ERROR");
        assertThat(first.get("loggerName").asText()).isEqualTo("io.spillway.test");
        assertThat(first.get("threadName").asText()).isEqualTo(Thread.currentThread().getName());
        assertThat(first.get("timestamp").isIntegralNumber()).isTrue();
        assertThat(first.get("mdc").get("trace_id").asText()).isEqualTo(FORGED);
        assertThat(first.get("throwable").get("message").asText()).isEqualTo(FORGED);
        assertThat(first.get("throwable").get("cause").get("message").asText()).isEqualTo("why");
        assertThat(first.has("arguments") || first.has("context") || first.has("sequenceNumber")).isFalse();
        assertThat(JSON.readTree(written().lines().toList().getLast()).get("formattedMessage").asText())
                .isEqualTo("second");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "JSON", "xml", "../x\u001b"})
    void an_unknown_format_is_refused_with_what_is_allowed(String format) {
        assertThat(Main.logProblem(Map.of("SPILLWAY_LOG_FORMAT", format))).hasValueSatisfying(line ->
                assertThat(line).startsWith("Environment variable SPILLWAY_LOG_FORMAT is ")
                        .endsWith("; must be text or json.").doesNotContain("\u001b"));
        assertThat(Main.logProblem(Map.of("SPILLWAY_LOG_FORMAT", "json"))).isEmpty();
        assertThat(Main.logProblem(Map.of())).isEmpty();
    }

    private String written() {
        return written.toString(StandardCharsets.UTF_8);
    }
}
