package io.spillway.cli.terminal;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reader of UTF-8 lines in bounded memory: after a line that is too long or not UTF-8 it continues with the next one.
 * Owner of the stream; not thread-safe.
 */
public final class TextLines implements Closeable {
    private final InputStream in;
    private final int maxBytes;
    private long number;

    /** @param maxBytes most bytes of one line, without its end */
    public TextLines(InputStream in, int maxBytes) {
        this.in = new BufferedInputStream(in, 64 * 1024);
        this.maxBytes = maxBytes;
    }

    /**
     * Returns the next line without its end; null at the end of the stream.
     *
     * @throws IllegalArgumentException if this line is too long or not UTF-8; the next call reads the line after it
     */
    public String next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int read = in.read();
        if (read < 0) {
            return null;
        }
        number++;
        long length = 0;
        for (; read >= 0 && read != '\n'; read = in.read()) {
            if (++length <= maxBytes) {
                line.write(read);
            }
        }
        if (length > maxBytes) {
            throw new IllegalArgumentException("longer than " + maxBytes + " bytes");
        }
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line.toByteArray())).toString();
            return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("not UTF-8", e);
        }
    }

    /** Returns the number of the last line read, from 1. */
    public long number() {
        return number;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
