package io.spillway.gateway;

import io.spillway.tracing.TraceHeaders;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.apache.kafka.common.header.Headers;

/**
 * Trace of an item (W3C Trace Context), stored in the headers of its record. Without traces the caller's is kept
 * unchanged, because the gateway reports no span of its own, and without a valid one a new, sampled trace starts.
 *
 * @param traceparent valid
 * @param tracestate  the caller's state, if its traceparent is valid
 * @param isCallers   whether it came with the request
 */
record TraceContext(String traceparent, Optional<String> tracestate, boolean isCallers) {
    private static final Pattern FORM = Pattern.compile(
            "(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-[!-~]{1,128})?");
    private static final Pattern STATE = Pattern.compile("[ -~]{1,512}");

    /** Continues the caller's trace if it has exactly one valid {@code traceparent}; otherwise starts a new trace. */
    static TraceContext of(List<String> traceparents, List<String> tracestates, LongSupplier random) {
        if (traceparents.size() == 1 && isValid(traceparents.getFirst())) {
            return new TraceContext(
                    traceparents.getFirst(),
                    Optional.of(String.join(",", tracestates)).filter(state -> STATE.matcher(state).matches()),
                    true);
        }
        HexFormat hex = HexFormat.of();
        return new TraceContext("00-" + hex.toHexDigits(random.getAsLong()) + hex.toHexDigits(random.getAsLong() | 1)
                + "-" + hex.toHexDigits(random.getAsLong() | 1) + "-01", Optional.empty(), false);
    }

    /** Adds the headers of an item's record. */
    void addTo(Headers headers) {
        headers.add(TraceHeaders.PARENT, traceparent.getBytes(StandardCharsets.US_ASCII));
        tracestate.ifPresent(state -> headers.add(TraceHeaders.STATE, state.getBytes(StandardCharsets.US_ASCII)));
    }

    /** Returns the caller's header with this name; empty for a trace that started here. */
    Optional<String> header(String name) {
        return !isCallers ? Optional.empty()
                : name.equals(TraceHeaders.PARENT) ? Optional.of(traceparent)
                : name.equals(TraceHeaders.STATE) ? tracestate : Optional.empty();
    }

    private static boolean isValid(String traceparent) {
        // Only future versions may have more than these four parts.
        return FORM.matcher(traceparent).matches() && (traceparent.length() == 55 || !traceparent.startsWith("00"));
    }
}
