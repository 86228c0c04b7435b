package io.spillway.kafka.codec;

import io.spillway.schema.WorkItem;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Builder of the bytes of an item, field by field, so that each can be invalid. The defaults make a valid item. */
final class ItemBytes {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    static ItemBytes afterPrefix() {
        return withFingerprint(ItemSchemas.fingerprint(WorkItem.getClassSchema()));
    }

    static ItemBytes withFingerprint(long fingerprint) {
        return new ItemBytes()
                .raw(0xC3, 0x01)
                .raw(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(fingerprint).array());
    }

    /** Returns a builder that has the routing fields. */
    static ItemBytes afterRoutingFields() {
        return afterPrefix().string("acme").string("order-1").number(Items.ENQUEUED_AT).string("mail");
    }

    ItemBytes raw(int... bytes) {
        for (int b : bytes) {
            out.write(b);
        }
        return this;
    }

    ItemBytes raw(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    /** Writes a zig-zag varint. */
    ItemBytes number(long value) {
        long rest = value << 1 ^ value >> 63;
        while ((rest & ~0x7fL) != 0) {
            out.write((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
        return this;
    }

    ItemBytes string(String text) {
        return string(Items.bytes(text));
    }

    ItemBytes string(byte[] bytes) {
        return number(bytes.length).raw(bytes);
    }

    /** Completes the item without a channel, content type, attributes and payload. */
    byte[] withTail() {
        return raw(0, 0, 0, 0).bytes();
    }

    byte[] bytes() {
        return out.toByteArray();
    }
}
