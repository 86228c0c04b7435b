package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class FailureTextTest {
    @Test
    void class_message_trace_and_causes_are_kept() {
        Throwable thrown = new IllegalStateException("no luck", new IOException("disk full"));

        assertThat(FailureText.of(thrown).lines().toList())
                .startsWith("java.lang.IllegalStateException: no luck")
                .contains("Caused by: java.io.IOException: disk full")
                .anyMatch(line -> line.startsWith("    at io.spillway.worker.FailureTextTest.class_message"));
    }

    @Test
    void a_message_cannot_forge_a_line() {
        String text = FailureText.of(new IOException("a\n    at forged\u001b[31m é"));

        assertThat(text).startsWith("java.io.IOException: a\\u000a    at forged\\u001b[31m \\u00e9\n");
        assertThat(text.chars()).allMatch(c -> c == '\n' || c >= ' ' && c <= '~');
    }

    @Test
    void a_long_chain_with_long_messages_is_cut() {
        Throwable thrown = new IOException("x".repeat(100_000));
        for (int i = 0; i < 50; i++) {
            thrown = new IOException("y".repeat(5_000), thrown);
        }

        assertThat(FailureText.of(thrown)).hasSize(FailureText.MAX_BYTES).endsWith("...");
    }

    @Test
    void a_cause_that_is_its_own_cause_ends() {
        Throwable thrown = new IOException("a") {
            @Override
            public synchronized Throwable getCause() {
                return this;
            }
        };

        assertThat(FailureText.of(thrown)).hasSizeLessThanOrEqualTo(FailureText.MAX_BYTES);
        assertThat(FailureText.forLog(thrown)).hasMessageContaining(": a");
    }

    @Test
    void an_exception_whose_methods_fail_is_named_by_its_class() {
        Throwable broken = new IllegalStateException() {
            @Override
            public String toString() {
                throw new IllegalStateException("toString fails");
            }

            @Override
            public synchronized Throwable getCause() {
                throw new IllegalStateException("getCause fails");
            }

            @Override
            public StackTraceElement[] getStackTrace() {
                throw new IllegalStateException("getStackTrace fails");
            }
        };

        assertThat(FailureText.of(broken)).isEqualTo(broken.getClass().getName());
        assertThat(FailureText.forLog(broken)).hasMessage(broken.getClass().getName());
    }

    @Test
    void a_detail_is_kept_apart_only_when_its_header_cuts_it() {
        assertThat(FailureText.ofLong("x".repeat(197))).isEmpty();
        assertThat(FailureText.ofLong("x".repeat(500))).contains("x".repeat(500));
        assertThat(FailureText.ofLong("x".repeat(9_000)).orElseThrow()).hasSizeLessThanOrEqualTo(FailureText.MAX_BYTES);
    }
}
