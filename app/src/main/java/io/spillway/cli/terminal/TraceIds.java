package io.spillway.cli.terminal;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.core.text.Printable;
import java.util.Map;

/** Trace and span of the attempt that a line is about, and nothing outside of attempts: {@code %trace} in the log. */
public final class TraceIds extends ClassicConverter {
    @Override
    public String convert(ILoggingEvent event) {
        Map<String, String> context = event.getMDCPropertyMap();
        String trace = context.get("trace_id");
        return trace == null ? ""
                : "trace_id=" + Printable.of(trace) + " span_id=" + Printable.of(context.get("span_id")) + " ";
    }
}
