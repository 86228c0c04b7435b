package io.spillway.cli.terminal;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import io.spillway.core.item.Printable;
import java.util.stream.Stream;

/**
 * Stack trace with escaped control characters in its messages, which may quote external input: {@code %safeex} in
 * logback.xml.
 */
public final class SafeStackTrace extends ThrowableProxyConverter {
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
