package io.spillway.cli.terminal;

import io.spillway.core.text.FileText;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reader of UTF-8 lines in bounded memory, with line ends of any system and perhaps a byte order mark. After a line
 * that is too long or not UTF-8 it continues with the next one. Owner of the stream; not thread-safe.
 */
public final class TextLines implements Closeable {
    private final InputStream in;
    private final int maxBytes;
    private long number;
    private boolean isAfterReturn;

    /** @param maxBytes most bytes of one line, without its end */
    public TextLines(InputStream in, int maxBytes) {
        this.in = new BufferedInputStream(in, 64 * 1024);
        this.maxBytes = maxBytes;
    }

    /**
     * Returns the next line without its end; null at the end of the stream.
     *
     * @throws IllegalArgumentException if this line is too long or not UTF-8; the next call reads the line after it
     * @throws CommandFailure if the whole text is UTF-16
     */
    public String next() throws IOException {
        if (number == 0) {
            skipMark();
        }
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int read = in.read();
        if (isAfterReturn && read == '\n') {
            read = in.read();
        }
        isAfterReturn = false;
        if (read < 0) {
            return null;
        }
        number++;
        long length = 0;
        for (; read >= 0 && read != '\n' && read != '\r'; read = in.read()) {
            if (++length <= maxBytes) {
                line.write(read);
            }
        }
        isAfterReturn = read == '\r';
        if (length > maxBytes) {
            throw new IllegalArgumentException("longer than " + maxBytes + " bytes");
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line.toByteArray())).toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("not UTF-8", e);
        }
    }

    private void skipMark() throws IOException {
        in.mark(3);
        byte[] first = in.readNBytes(3);
        if (FileText.isUtf16(first)) {
            throw CommandFailure.usage("The lines are UTF-16. Write them as UTF-8: iconv -f UTF-16 -t UTF-8");
        }
        if (FileText.utf8MarkBytes(first) == 0) {
            in.reset();
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
