package io.spillway.cli.terminal;

import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.core.text.Printable;

/** Log message on one line with its control characters escaped: {@code %safemsg} in logback.xml. */
public final class SafeMessage extends MessageConverter {
    @Override
    public String convert(ILoggingEvent event) {
        return Printable.onOneLine(super.convert(event));
    }
}
