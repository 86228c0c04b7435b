package io.spillway.gateway;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * Trace of an item (W3C Trace Context), stored in the headers of its record. The caller's trace is kept unchanged,
 * because the gateway reports no span of its own. Without a valid one a new, sampled trace starts.
 *
 * @param traceparent valid
 * @param tracestate  the caller's state, if its traceparent is valid
 */
record TraceContext(String traceparent, Optional<String> tracestate) {
    private static final Pattern FORM = Pattern.compile(
            "(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-[!-~]{1,128})?");
    private static final Pattern STATE = Pattern.compile("[ -~]{1,512}");

    /** Continues the caller's trace if it has exactly one valid {@code traceparent}; otherwise starts a new trace. */
    static TraceContext of(List<String> traceparents, List<String> tracestates, LongSupplier random) {
        if (traceparents.size() == 1 && isValid(traceparents.getFirst())) {
            return new TraceContext(
                    traceparents.getFirst(),
                    Optional.of(String.join(",", tracestates)).filter(state -> STATE.matcher(state).matches()));
        }
        HexFormat hex = HexFormat.of();
        return new TraceContext("00-" + hex.toHexDigits(random.getAsLong()) + hex.toHexDigits(random.getAsLong() | 1)
                + "-" + hex.toHexDigits(random.getAsLong() | 1) + "-01", Optional.empty());
    }

    private static boolean isValid(String traceparent) {
        // Only future versions may have more than these four parts.
        return FORM.matcher(traceparent).matches() && (traceparent.length() == 55 || !traceparent.startsWith("00"));
    }
}
