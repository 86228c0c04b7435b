package io.spillway.kafka.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Prefix of Avro's single-object encoding: two marker bytes, and the fingerprint of the writer's schema. */
public final class SingleObject {
    /** Bytes of the prefix. */
    public static final int PREFIX_BYTES = 10;

    private static final byte MAGIC_0 = (byte) 0xC3;
    private static final byte MAGIC_1 = (byte) 0x01;
    private static final int FINGERPRINT_OFFSET = 2;
    /** View of eight bytes from any index on. */
    static final VarHandle EIGHT_BYTES = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private SingleObject() {}

    /** Returns whether a value begins with the marker and is as long as the prefix. */
    public static boolean hasPrefix(byte[] value) {
        return value.length >= PREFIX_BYTES && value[0] == MAGIC_0 && value[1] == MAGIC_1;
    }

    /** Returns the CRC-64-AVRO fingerprint of a value that has the prefix. */
    public static long fingerprint(byte[] value) {
        return (long) EIGHT_BYTES.get(value, FINGERPRINT_OFFSET);
    }
}
