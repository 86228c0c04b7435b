package io.spillway.router.source;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.core.item.DeadReason;
import io.spillway.kafka.codec.UnreadableItem;
import io.spillway.router.route.SourceUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.kafka.common.header.Headers;

/**
 * Reader of values in Confluent's wire format: a zero byte, the id of a schema in four bytes, and Avro or JSON. It asks
 * the registry for each schema once ({@code GET /schemas/ids/ID}) and waits for the answer. Thread-safe. Bound:
 * {@value #MOST} schemas; then it forgets all.
 */
final class RegistrySchemas implements RecordFields {
    private static final int MOST = 1_000;
    private static final int PREFIX_BYTES = 5;
    private static final int NOT_FOUND = 404;
    private static final int OK = 200;
    private static final int MOST_BYTES = 4 * 1024 * 1024;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final ObjectReader JSON = JsonMapper.builder().build().reader();

    private final String address;
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final Map<Integer, Known> known = new ConcurrentHashMap<>();

    /** A schema: of Avro, or empty for one of JSON, whose values are read without it. */
    private record Known(Optional<Schema> avro) {}

    RegistrySchemas(String address) {
        this.address = address.replaceAll("/+$", "");
    }

    @Override
    public Fields read(byte[] value, Headers headers) {
        if (value.length < PREFIX_BYTES || value[0] != 0) {
            throw new UnreadableItem(DeadReason.MALFORMED, "the value does not begin with the id of a schema");
        }
        int id = ByteBuffer.wrap(value, 1, Integer.BYTES).getInt();
        Known schema = known.get(id);
        if (schema == null) {
            schema = ask(id);
            if (known.size() >= MOST) {
                known.clear();
            }
            known.put(id, schema);
        }
        return schema.avro().map(avro -> RecordFields.avro(avro, value, PREFIX_BYTES))
                .orElseGet(() -> JsonFields.json(value, PREFIX_BYTES));
    }

    private Known ask(int id) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + "/schemas/ids/" + id)).timeout(TIMEOUT)
                .header("accept", "application/vnd.schemaregistry.v1+json, application/json").build();
        try {
            HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            if (response.statusCode() == NOT_FOUND) {
                throw new UnreadableItem(DeadReason.UNKNOWN_SCHEMA, "the schema registry does not know id " + id);
            }
            if (response.statusCode() != OK) {
                throw new SourceUnavailableException("the schema registry answered status " + response.statusCode()
                        + " for schema " + id);
            }
            try (InputStream body = response.body()) {
                return schema(id, JSON.readTree(body.readNBytes(MOST_BYTES)));
            }
        } catch (JsonProcessingException e) {
            throw new SourceUnavailableException("the schema registry did not answer JSON for schema " + id);
        } catch (IOException e) {
            throw new SourceUnavailableException("the schema registry cannot be reached: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SourceUnavailableException("the source was closed");
        }
    }

    private static Known schema(int id, JsonNode answer) {
        String type = answer.path("schemaType").asText("AVRO");
        try {
            return switch (type) {
                case "AVRO" -> new Known(Optional.of(new Schema.Parser().parse(answer.path("schema").asText())));
                case "JSON" -> new Known(Optional.empty());
                default -> throw new UnreadableItem(DeadReason.UNKNOWN_SCHEMA, "schema " + id + " is of type " + type
                        + ", of which no fields can be read: use the key or headers");
            };
        } catch (AvroRuntimeException e) {
            throw new UnreadableItem(DeadReason.UNKNOWN_SCHEMA, "schema " + id + " cannot be parsed: " + e);
        }
    }
}
