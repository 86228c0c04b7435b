package io.spillway.cli.terminal;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Log line as a JSON object in printable ASCII: what Logback's encoder leaves in other scripts, and control characters
 * that JSON allows, are escaped.
 */
public final class JsonLine extends JsonEncoder {
    @Override
    public byte[] encode(ILoggingEvent event) {
        String line = new String(super.encode(event), StandardCharsets.UTF_8).stripTrailing();
        StringBuilder out = new StringBuilder(line.length() + 1);
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c >= ' ' && c <= '~') {
                out.append(c);
            } else {
                out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            }
        }
        return out.append('\n').toString().getBytes(StandardCharsets.US_ASCII);
    }
}
