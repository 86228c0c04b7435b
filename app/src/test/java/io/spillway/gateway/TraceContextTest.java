package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceContextTest {
    private static final String GOOD = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            # what                        | traceparent                                                    | continued
            valid and sampled             | 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01         | true
            not sampled                   | 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00         | true
            future version, more parts    | 01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-extra   | true
            this version, more parts      | 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-extra   | false
            invalid version               | ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01         | false
            no trace                      | 00-00000000000000000000000000000000-b7ad6b7169203331-01         | false
            no span                       | 00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01         | false
            capitals                      | 00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01         | false
            too short                     | 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331            | false
            words                         | hello                                                           | false
            """)
    void a_valid_trace_is_continued_and_otherwise_a_new_one_starts(
            String what, String traceparent, boolean continued) {
        TraceContext trace = TraceContext.of(List.of(traceparent), List.of("a=b"), () -> 0x0123456789abcdefL);

        assertThat(trace.traceparent()).isEqualTo(
                continued ? traceparent : "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01");
        assertThat(trace.tracestate().isPresent()).isEqualTo(continued);
    }

    @Test
    void a_new_trace_is_never_all_zeros() {
        assertThat(TraceContext.of(List.of(), List.of("a=b"), () -> 0).traceparent())
                .isEqualTo("00-00000000000000000000000000000001-0000000000000001-01");
    }

    @Test
    void two_traceparents_are_ignored() {
        assertThat(TraceContext.of(List.of(GOOD, GOOD), List.of(), () -> 1).traceparent()).isNotEqualTo(GOOD);
    }

    @Test
    void a_tracestate_that_is_too_long_or_not_printable_is_omitted() {
        assertThat(TraceContext.of(List.of(GOOD), List.of("x".repeat(513)), () -> 1).tracestate()).isEmpty();
        assertThat(TraceContext.of(List.of(GOOD), List.of("a=\u00fc"), () -> 1).tracestate()).isEmpty();
        assertThat(TraceContext.of(List.of(GOOD), List.of("a=b", "c=d"), () -> 1).tracestate()).contains("a=b,c=d");
    }
}
