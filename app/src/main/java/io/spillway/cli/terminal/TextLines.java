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
 * The lines of a stream, one at a time, in bounded memory: neither a line without an end nor one that is not UTF-8
 * keeps the others from being read. Owner of the stream; not thread-safe.
 */
public final class TextLines implements Closeable {
    private final InputStream in;
    private final int maxBytes;
    private long number;

    /**
     * Reads lines.
     *
     * @param in       closed with this
     * @param maxBytes most bytes of one line, without its end
     */
    public TextLines(InputStream in, int maxBytes) {
        this.in = new BufferedInputStream(in, 64 * 1024);
        this.maxBytes = maxBytes;
    }

    /**
     * The next line without its end; null when there is none.
     *
     * @throws IllegalArgumentException when this line is too long or not UTF-8; the next call goes on behind it
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

    /** Number of the line that was read last, from 1. */
    public long number() {
        return number;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
