package com.example.shop;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Internal;
import com.google.protobuf.MessageLite;
import io.spillway.handler.Delivery;
import io.spillway.spring.PayloadConverter;
import java.io.IOException;
import java.lang.reflect.Type;
import org.springframework.stereotype.Component;

/** Reads classes that Protocol Buffers generated, also behind the id of a schema in a registry. */
@Component
final class ProtobufPayloads implements PayloadConverter {
    private static final int ID_BYTES = 5;

    @Override
    public boolean reads(Type type) {
        return type instanceof Class<?> message && MessageLite.class.isAssignableFrom(message);
    }

    @Override
    public Object read(Delivery delivery, Type type) throws IOException {
        Class<? extends MessageLite> message = ((Class<?>) type).asSubclass(MessageLite.class);
        return Internal.getDefaultInstance(message).getParserForType().parseFrom(body(delivery.payload()));
    }

    /**
     * Skips what the serializer of a registry writes: a zero, which no message begins with, four bytes of the schema's
     * id, and which message of that schema it is, as the length and the numbers of a path.
     */
    private static CodedInputStream body(byte[] payload) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(payload);
        if (payload.length > 0 && payload[0] == 0) {
            in.skipRawBytes(ID_BYTES);
            for (int left = in.readSInt32(); left > 0; left--) {
                in.readSInt32();
            }
        }
        return in;
    }
}
