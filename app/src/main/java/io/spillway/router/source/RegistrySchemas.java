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
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.kafka.common.header.Headers;

/**
 * Reader of values in Confluent's wire format: a zero byte, the id of a schema in four bytes, and Avro or JSON. It asks
 * the registry for each schema once ({@code GET /schemas/ids/ID}), and for those that it refers to
 * ({@code GET /subjects/SUBJECT/versions/VERSION}), and waits for the answers. Thread-safe. Bounds: {@value #MOST}
 * schemas, then it forgets all; {@value #MOST_REFERENCES} references of one.
 */
final class RegistrySchemas implements RecordFields {
    private static final int MOST = 1_000;
    private static final int MOST_REFERENCES = 100;
    private static final int PREFIX_BYTES = 5;
    private static final int NOT_FOUND = 404;
    private static final int OK = 200;
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int MOST_BYTES = 4 * 1024 * 1024;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final ObjectReader JSON = JsonMapper.builder().build().reader();

    private final String address;
    private final String credentials;
    private final Duration timeout;
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final Map<Integer, Known> known = new ConcurrentHashMap<>();

    /** A schema: of Avro, or empty for one of JSON, whose values are read without it. */
    private record Known(Optional<Schema> avro) {}

    /**
     * Creates a reader that is not connected yet.
     *
     * @param credentials value of the header {@code Authorization}; empty for none
     */
    RegistrySchemas(String address, String credentials) {
        this(address, credentials, TIMEOUT);
    }

    /** @param timeout of the headers of an answer, and of its body after them */
    RegistrySchemas(String address, String credentials, Duration timeout) {
        this.address = address.replaceAll("/+$", "");
        this.credentials = credentials;
        this.timeout = timeout;
    }

    @Override
    public Fields read(byte[] value, Headers headers) {
        if (value.length < PREFIX_BYTES || value[0] != 0) {
            throw new UnreadableItem(DeadReason.MALFORMED, "the value does not begin with the id of a schema");
        }
        int id = ByteBuffer.wrap(value, 1, Integer.BYTES).getInt();
        Known schema = known.get(id);
        if (schema == null) {
            schema = schema(id);
            if (known.size() >= MOST) {
                known.clear();
            }
            known.put(id, schema);
        }
        return schema.avro().map(avro -> RecordFields.avro(avro, value, PREFIX_BYTES))
                .orElseGet(() -> JsonFields.json(value, PREFIX_BYTES));
    }

    private Known schema(int id) {
        JsonNode answer = ask("/schemas/ids/" + id);
        String type = answer.path("schemaType").asText("AVRO");
        try {
            return switch (type) {
                case "AVRO" -> {
                    Schema.Parser parser = new Schema.Parser();
                    parseReferences(answer, parser, new HashSet<>());
                    yield new Known(Optional.of(parser.parse(answer.path("schema").asText())));
                }
                case "JSON" -> new Known(Optional.empty());
                default -> throw new UnreadableItem(DeadReason.UNKNOWN_SCHEMA, "schema " + id + " is of type " + type
                        + ", of which no fields can be read: use the key or headers");
            };
        } catch (AvroRuntimeException e) {
            throw new UnreadableItem(DeadReason.UNKNOWN_SCHEMA, "schema " + id + " cannot be parsed: " + e);
        }
    }

    /** Parses the schemas that a schema refers to, each after those that it refers to itself. */
    private void parseReferences(JsonNode answer, Schema.Parser parser, Set<String> asked) {
        for (JsonNode reference : answer.path("references")) {
            String path = "/subjects/" + URLEncoder.encode(reference.path("subject").asText(), StandardCharsets.UTF_8)
                    .replace("+", "%20") + "/versions/" + reference.path("version").asInt();
            if (asked.add(path)) {
                if (asked.size() > MOST_REFERENCES) {
                    throw new AvroRuntimeException("it refers to more than " + MOST_REFERENCES + " schemas");
                }
                JsonNode referred = ask(path);
                parseReferences(referred, parser, asked);
                parser.parse(referred.path("schema").asText());
            }
        }
    }

    private JsonNode ask(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path)).timeout(timeout)
                .header("accept", "application/vnd.schemaregistry.v1+json, application/json");
        if (!credentials.isEmpty()) {
            request.header("authorization", credentials);
        }
        try {
            HttpResponse<InputStream> response =
                    client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                return switch (response.statusCode()) {
                    case OK -> JSON.readTree(inTime(body));
                    case NOT_FOUND -> throw new UnreadableItem(DeadReason.UNKNOWN_SCHEMA,
                            "the schema registry has no " + path);
                    case UNAUTHORIZED, FORBIDDEN -> throw new SourceUnavailableException("the schema registry refuses "
                            + path + ": registryCredentials " + (credentials.isEmpty() ? "is not set" : "is not right")
                            + " (status " + response.statusCode() + ")");
                    default -> throw new SourceUnavailableException("the schema registry answered status "
                            + response.statusCode() + " for " + path);
                };
            }
        } catch (JsonProcessingException e) {
            throw new SourceUnavailableException("the schema registry did not answer JSON for " + path);
        } catch (IOException e) {
            throw new SourceUnavailableException("the schema registry cannot be reached: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SourceUnavailableException("the source was closed");
        }
    }

    /** Returns a body that is complete in time: the timeout of a request ends with the headers of its answer. */
    private byte[] inTime(InputStream body) throws IOException, InterruptedException {
        CompletableFuture<byte[]> all = new CompletableFuture<>();
        // Ends when the body is closed.
        Thread.ofVirtual().name("registry-answer").start(() -> {
            try {
                all.complete(body.readNBytes(MOST_BYTES));
            } catch (IOException e) {
                all.completeExceptionally(e);
            }
        });
        try {
            return all.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("its answer was not complete " + timeout.toSeconds() + " s after its headers", e);
        }
    }
}
