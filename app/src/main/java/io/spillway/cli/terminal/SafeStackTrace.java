package io.spillway.cli.terminal;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import io.spillway.core.text.Printable;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Stack trace with escaped control characters in its messages, which may quote external input: {@code %safeex} in
 * logback.xml.
 */
public final class SafeStackTrace extends ThrowableProxyConverter {
    private static final String STREAMS = "org.apache.kafka.streams.";
    /** Faults from which Kafka Streams recovers, as after the death of a broker. The message names the tasks. */
    private static final Set<String> RECOVERED = Set.of(
            "org.apache.kafka.streams.errors.TaskCorruptedException",
            "org.apache.kafka.streams.errors.TaskMigratedException",
            "org.apache.kafka.common.errors.TimeoutException",
            "org.apache.kafka.common.errors.DisconnectException");

    /** Renders a fault from which Kafka Streams recovers as its cause in one line, without the trace. */
    @Override
    public String convert(ILoggingEvent event) {
        IThrowableProxy fault = event.getThrowableProxy();
        if (fault == null || !event.getLoggerName().startsWith(STREAMS)) {
            return super.convert(event);
        }
        while (fault.getCause() != null && !RECOVERED.contains(fault.getClassName())) {
            fault = fault.getCause();
        }
        return RECOVERED.contains(fault.getClassName())
                ? "    " + Printable.onOneLine(fault.getClassName() + ": " + fault.getMessage())
                        + System.lineSeparator()
                : super.convert(event);
    }

    @Override
    protected String throwableProxyToString(IThrowableProxy proxy) {
        return super.throwableProxyToString(Safe.of(proxy));
    }

    /** Throwable whose message and causes are escaped. */
    private record Safe(IThrowableProxy fault) implements IThrowableProxy {
        static IThrowableProxy of(IThrowableProxy fault) {
            return fault == null ? null : new Safe(fault);
        }

        @Override
        public String getMessage() {
            return fault.getMessage() == null ? null : Printable.inFull(fault.getMessage());
        }

        @Override
        public String getOverridingMessage() {
            return fault.getOverridingMessage() == null ? null : Printable.inFull(fault.getOverridingMessage());
        }

        @Override
        public String getClassName() {
            return fault.getClassName();
        }

        @Override
        public StackTraceElementProxy[] getStackTraceElementProxyArray() {
            return fault.getStackTraceElementProxyArray();
        }

        @Override
        public int getCommonFrames() {
            return fault.getCommonFrames();
        }

        @Override
        public IThrowableProxy getCause() {
            return of(fault.getCause());
        }

        @Override
        public IThrowableProxy[] getSuppressed() {
            return Stream.of(fault.getSuppressed()).map(Safe::of).toArray(IThrowableProxy[]::new);
        }

        @Override
        public boolean isCyclic() {
            return fault.isCyclic();
        }
    }
}
