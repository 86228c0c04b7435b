package io.spillway.gateway;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * The trace that an item belongs to (W3C Trace Context), as it goes onto its record: the caller's, untouched, since the
 * gateway reports no span of its own that could stand between; else a new one, sampled, as a handler's tracer would begin it.
 *
 * @param traceparent well-formed
 * @param tracestate  the caller's, when it came with a traceparent that was good
 */
record TraceContext(String traceparent, Optional<String> tracestate) {
    private static final Pattern FORM =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-[!-~]{1,128})?");
    private static final Pattern STATE = Pattern.compile("[ -~]{1,512}");

    /**
     * Continues the caller's trace or starts one.
     *
     * @param traceparents values of that header field
     * @param tracestates  values of that header field, of which there may be several
     * @param random       64 random bits at each call
     */
    static TraceContext of(List<String> traceparents, List<String> tracestates, LongSupplier random) {
        if (traceparents.size() == 1 && isGood(traceparents.getFirst())) {
            return new TraceContext(
                    traceparents.getFirst(),
                    Optional.of(String.join(",", tracestates)).filter(state -> STATE.matcher(state).matches()));
        }
        HexFormat hex = HexFormat.of();
        return new TraceContext("00-" + hex.toHexDigits(random.getAsLong()) + hex.toHexDigits(random.getAsLong() | 1)
                + "-" + hex.toHexDigits(random.getAsLong() | 1) + "-01", Optional.empty());
    }

    private static boolean isGood(String traceparent) {
        // Only versions to come may have more than these four parts.
        return FORM.matcher(traceparent).matches() && (traceparent.length() == 55 || !traceparent.startsWith("00"));
    }
}
