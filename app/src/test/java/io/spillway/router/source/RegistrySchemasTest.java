package io.spillway.router.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.TextNode;
import com.sun.net.httpserver.HttpServer;
import io.spillway.kafka.codec.UnreadableItem;
import io.spillway.router.route.SourceUnavailableException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Asks a registry whose answers are set by path. */
class RegistrySchemasTest {
    private static final String CREDENTIALS = "Basic dXNlcjpwYXNzd29yZA==";
    private static final String CUSTOMER = """
            {"type": "record", "name": "Customer", "namespace": "shop", "fields": [
              {"name": "id", "type": "string"}]}""";
    private static final String ORDER = """
            {"type": "record", "name": "Order", "namespace": "shop", "fields": [
              {"name": "customer", "type": "shop.Customer"}]}""";

    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private int status = 200;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.add(exchange.getRequestURI().getRawPath());
            String answer = answers.get(exchange.getRequestURI().getRawPath());
            boolean isLoggedIn = CREDENTIALS.equals(exchange.getRequestHeaders().getFirst("Authorization"));
            byte[] body = String.valueOf(answer).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(!isLoggedIn ? 401 : answer == null ? 404 : status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void a_registry_that_stalls_in_the_middle_of_an_answer_is_unavailable() throws IOException {
        try (ServerSocket stalling = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try {
                    // The connection stays open: the answer never ends.
                    stalling.accept().getOutputStream().write(
                            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".getBytes(StandardCharsets.US_ASCII));
                } catch (IOException closed) {
                    throw new UncheckedIOException(closed);
                }
            });
            RegistrySchemas schemas = new RegistrySchemas(
                    "http://127.0.0.1:" + stalling.getLocalPort(), "", Duration.ofMillis(200));
            assertThatThrownBy(() -> schemas.read(order("acme"), new RecordHeaders()))
                    .isInstanceOf(SourceUnavailableException.class).hasMessageContaining("not complete");
        }
    }

    @Test
    void fields_are_read_by_a_schema_and_those_that_it_refers_to_which_are_asked_for_once() throws IOException {
        answers.put("/api/schemas/ids/7", schema(ORDER, "a/customer", 3));
        answers.put("/api/subjects/a%2Fcustomer/versions/3", schema(CUSTOMER, "", 0));
        RegistrySchemas schemas = schemas(CREDENTIALS);
        for (int i = 0; i < 3; i++) {
            assertThat(customer(schemas, order("acme"))).hasValue("acme");
        }
        assertThat(asked).containsExactly("/api/schemas/ids/7", "/api/subjects/a%2Fcustomer/versions/3");
    }

    @Test
    void schemas_that_refer_to_each_other_are_asked_for_once_and_refused() throws IOException {
        answers.put("/api/schemas/ids/7", schema(ORDER, "order", 1));
        answers.put("/api/subjects/order/versions/1", schema(ORDER, "order", 1));
        assertThatThrownBy(() -> customer(schemas(CREDENTIALS), order("acme"))).isInstanceOf(UnreadableItem.class)
                .hasMessageContaining("schema 7 cannot be parsed");
        assertThat(asked).hasSize(2);
    }

    @Test
    void values_with_a_schema_of_json_are_read_without_it() {
        answers.put("/api/schemas/ids/7", "{\"schemaType\": \"JSON\", \"schema\": \"{}\"}");
        assertThat(customer(schemas(CREDENTIALS), value("{\"customer\": {\"id\": \"b\"}}".getBytes(
                StandardCharsets.UTF_8)))).hasValue("b");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', value = {
        "''                              | the schema registry has no /schemas/ids/7",
        "{\"schemaType\": \"PROTOBUF\"}  | schema 7 is of type PROTOBUF, of which no fields can be read",
        "{\"schema\": \"{\"}             | schema 7 cannot be parsed",
        "{}                              | schema 7 cannot be parsed"
    })
    void a_schema_that_cannot_be_had_makes_a_dead_letter(String answer, String why) {
        if (!answer.isEmpty()) {
            answers.put("/api/schemas/ids/7", answer);
        }
        assertThatThrownBy(() -> customer(schemas(CREDENTIALS), value(new byte[1])))
                .isInstanceOf(UnreadableItem.class).hasMessageContaining(why);
    }

    @Test
    void a_registry_that_does_not_answer_stops_the_source_and_says_why() {
        answers.put("/api/schemas/ids/7", "no json");
        assertUnavailable(CREDENTIALS, "did not answer JSON for /schemas/ids/7");
        status = 503;
        assertUnavailable(CREDENTIALS, "answered status 503 for /schemas/ids/7");
        assertUnavailable("", "refuses /schemas/ids/7: registryCredentials is not set (status 401)");
        assertUnavailable("Bearer other", "registryCredentials is not right (status 401)");
        server.stop(0);
        assertUnavailable(CREDENTIALS, "cannot be reached");
    }

    private void assertUnavailable(String credentials, String why) {
        assertThatThrownBy(() -> customer(schemas(credentials), value(new byte[1])))
                .isInstanceOf(SourceUnavailableException.class).hasMessageContaining(why);
    }

    private RegistrySchemas schemas(String credentials) {
        return new RegistrySchemas("http://127.0.0.1:" + server.getAddress().getPort() + "/api/", credentials);
    }

    private static Optional<String> customer(RegistrySchemas schemas, byte[] value) {
        return schemas.read(value, new RecordHeaders()).at(JsonPointer.compile("/customer/id"));
    }

    /** Returns an answer of the registry; with a reference, if its subject is not empty. */
    private static String schema(String schema, String subject, int version) {
        return "{\"schema\": " + TextNode.valueOf(schema)
                + (subject.isEmpty() ? "" : ", \"references\": [{\"name\": \"n\", \"subject\": \"" + subject
                        + "\", \"version\": " + version + "}]") + "}";
    }

    private static byte[] order(String customer) throws IOException {
        Schema.Parser parser = new Schema.Parser();
        Schema customers = parser.parse(CUSTOMER);
        Schema orders = parser.parse(ORDER);
        GenericData.Record one = new GenericData.Record(customers);
        one.put("id", customer);
        GenericData.Record order = new GenericData.Record(orders);
        order.put("customer", one);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        new GenericDatumWriter<>(orders).write(order, encoder);
        encoder.flush();
        return value(out.toByteArray());
    }

    private static byte[] value(byte[] data) {
        return ByteBuffer.allocate(5 + data.length).put((byte) 0).putInt(7).put(data).array();
    }
}
