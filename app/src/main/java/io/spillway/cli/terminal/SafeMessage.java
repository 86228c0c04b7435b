package io.spillway.cli.terminal;

import ch.qos.logback.classic.pattern.MessageConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.core.item.Printable;

/** The conversion word {@code %safemsg} of logback.xml: a log message with nothing in it that a terminal obeys. */
public final class SafeMessage extends MessageConverter {
    @Override
    public String convert(ILoggingEvent event) {
        return Printable.onOneLine(super.convert(event));
    }
}
