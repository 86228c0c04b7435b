package io.spillway.router.delay;

import io.spillway.core.progress.Varint;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Encoding of a delayed record in the timer store, version 1:
 *
 * <pre>
 * version (1 byte) | timestamp (8, big endian) | key | value | count | count times: name | value
 * </pre>
 *
 * <p>Key and values are a length plus one and the bytes; 0 stands for null. A name is its length and UTF-8. Lengths and
 * the count are unsigned varints, seven bits per byte, lowest first. No bytes may follow. A length is compared with the
 * remaining bytes before anything is allocated.
 */
final class TimerCodec {
    private static final byte VERSION = 1;
    private static final int FIXED_BYTES = 1 + Long.BYTES;
    /** An empty name and a null value. */
    private static final int LEAST_HEADER_BYTES = 2;

    private TimerCodec() {}

    static byte[] encode(Record<byte[], byte[]> record) {
        Header[] headers = record.headers().toArray();
        byte[][] names = new byte[headers.length][];
        long size = FIXED_BYTES + sizeOf(record.key()) + sizeOf(record.value()) + Varint.size(headers.length);
        for (int i = 0; i < headers.length; i++) {
            names[i] = headers[i].key().getBytes(StandardCharsets.UTF_8);
            size += Varint.size(names[i].length) + names[i].length + sizeOf(headers[i].value());
        }
        ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(size));
        out.put(VERSION).putLong(record.timestamp());
        put(out, record.key());
        put(out, record.value());
        Varint.write(headers.length, out);
        for (int i = 0; i < headers.length; i++) {
            Varint.write(names[i].length, out);
            out.put(names[i]);
            put(out, headers[i].value());
        }
        return out.array();
    }

    /**
     * Decodes a record; its headers can be changed.
     *
     * @throws LaterTimerException   when a later release encoded it
     * @throws DamagedTimerException when the bytes are not those of {@link #encode}
     */
    static Record<byte[], byte[]> decode(byte[] timer) {
        ByteBuffer in = ByteBuffer.wrap(timer);
        if (timer.length < FIXED_BYTES) {
            throw new DamagedTimerException("timer of " + timer.length + " bytes is too short");
        }
        byte version = in.get();
        if (version > VERSION) {
            throw new LaterTimerException(version, VERSION);
        }
        if (version != VERSION) {
            throw new DamagedTimerException("timer has version " + version + "; this release reads version " + VERSION);
        }
        long timestampMillis = in.getLong();
        if (timestampMillis < 0) {
            throw new DamagedTimerException("timer has the timestamp " + timestampMillis);
        }
        byte[] key = getNullable(in);
        byte[] value = getNullable(in);
        int count = getVarint(in);
        if (count > in.remaining() / LEAST_HEADER_BYTES) {
            throw new DamagedTimerException("timer claims " + count + " headers in " + in.remaining() + " bytes");
        }
        Headers headers = new RecordHeaders();
        for (int i = 0; i < count; i++) {
            String name = new String(getBytes(in, getVarint(in)), StandardCharsets.UTF_8);
            headers.add(name, getNullable(in));
        }
        if (in.hasRemaining()) {
            throw new DamagedTimerException(in.remaining() + " bytes are left after the timer");
        }
        return new Record<>(key, value, timestampMillis, headers);
    }

    private static long sizeOf(byte[] bytes) {
        return bytes == null ? 1 : (long) Varint.size(bytes.length + 1) + bytes.length;
    }

    private static void put(ByteBuffer out, byte[] bytes) {
        if (bytes == null) {
            Varint.write(0, out);
        } else {
            Varint.write(bytes.length + 1, out);
            out.put(bytes);
        }
    }

    private static byte[] getNullable(ByteBuffer in) {
        int lengthPlusOne = getVarint(in);
        return lengthPlusOne == 0 ? null : getBytes(in, lengthPlusOne - 1);
    }

    private static byte[] getBytes(ByteBuffer in, int length) {
        if (length > in.remaining()) {
            throw new DamagedTimerException(
                    "timer claims a length of " + length + " with " + in.remaining() + " bytes left");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private static int getVarint(ByteBuffer in) {
        int start = in.position();
        long value;
        try {
            value = Varint.read(in);
        } catch (IllegalArgumentException e) {
            throw new DamagedTimerException("timer has a broken number: " + e.getMessage());
        }
        if (value > Integer.MAX_VALUE || in.position() - start > Varint.size(Integer.MAX_VALUE)) {
            throw new DamagedTimerException("timer has a number of more than 5 bytes or above " + Integer.MAX_VALUE);
        }
        return (int) value;
    }
}
