package io.spillway.router.source;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.core.item.DeadReason;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.UnreadableItem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/** Fields of JSON values and of CloudEvents, of which both modes of the binding for Kafka are read. */
final class JsonFields {
    private static final ObjectReader READER =
            JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build().reader();
    private static final String STRUCTURED = "application/cloudevents+json";

    private JsonFields() {}

    /** Reads the value as JSON. */
    static RecordFields.Fields json(byte[] value, int offset) {
        JsonNode root = parse(value, offset);
        return pointer -> text(root, pointer);
    }

    /**
     * Reads a CloudEvent: pointers lead into its data, which are read when the first pointer is asked for, because in
     * the binary mode they may have any format.
     */
    static RecordFields.Fields cloudEvent(byte[] value, Headers headers) {
        boolean isStructured = text(headers, "content-type").filter(type -> type.startsWith(STRUCTURED)).isPresent();
        return isStructured ? structured(parse(value, 0)) : new RecordFields.Fields() {
            private Optional<JsonNode> data = Optional.empty();

            @Override
            public Optional<String> at(JsonPointer pointer) {
                data = data.or(() -> Optional.of(parse(value, 0)));
                return text(data.orElseThrow(), pointer);
            }

            @Override
            public Optional<String> attribute(String name) {
                return text(headers, ItemHeaders.CLOUD_EVENT + name);
            }
        };
    }

    private static RecordFields.Fields structured(JsonNode event) {
        return new RecordFields.Fields() {
            @Override
            public Optional<String> at(JsonPointer pointer) {
                return text(event.path("data"), pointer);
            }

            @Override
            public Optional<String> attribute(String name) {
                return text(event, JsonPointer.empty().appendProperty(name));
            }
        };
    }

    /** Returns the text of the last header of this name; empty if there is none or it has no value. */
    static Optional<String> text(Headers headers, String name) {
        return Optional.ofNullable(headers.lastHeader(name)).map(Header::value).map(JsonFields::text);
    }

    /** Returns bytes as text. A substitute for what is no text would give different bytes the same name. */
    static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new UnreadableItem(DeadReason.MALFORMED, "the key or a header of a field is not text in UTF-8");
        }
    }

    private static JsonNode parse(byte[] value, int offset) {
        try {
            JsonNode root = READER.readTree(value, offset, value.length - offset);
            if (!root.isMissingNode()) {
                return root;
            }
            throw new UnreadableItem(DeadReason.MALFORMED, "the value is empty and not JSON");
        } catch (JsonProcessingException e) {
            throw new UnreadableItem(DeadReason.MALFORMED, "the value is not JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<String> text(JsonNode root, JsonPointer pointer) {
        JsonNode node = root.at(pointer);
        if (node.isContainerNode()) {
            throw new UnreadableItem(DeadReason.MALFORMED,
                    "the value has " + (node.isArray() ? "a list" : "an object") + " at " + pointer);
        }
        return node.isMissingNode() || node.isNull() ? Optional.empty() : Optional.of(node.asText());
    }
}
