package io.spillway.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60) // Against a hang.
class ClientCredentialsTest {
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private volatile String answer;
    private volatile int status = 200;
    private volatile long nowMillis = 1_800_000_000_000L;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/token", exchange -> {
            asked.add(exchange.getRequestHeaders().getFirst("Authorization") + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            byte[] body = answer.replace("N", Integer.toString(asked.size())).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        answer = "{\"access_token\": \"tN\", \"token_type\": \"Bearer\", \"expires_in\": 300}";
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void a_token_is_used_until_a_minute_before_it_expires() throws Exception {
        ClientCredentials credentials = credentials(" a b");
        assertThat(credentials.authorization()).isEqualTo("Bearer t1");
        nowMillis += 239_999;
        assertThat(credentials.authorization()).isEqualTo("Bearer t1");
        nowMillis += 1;
        assertThat(credentials.authorization()).isEqualTo("Bearer t2");
        assertThat(asked.getFirst()).as("by basic authentication, with the scopes")
                .startsWith("Basic aWQ6c2VjcmV0 ").contains("grant_type=client_credentials").contains("scope=a+b");
    }

    @Test
    void a_token_that_a_receiver_refuses_is_replaced_once() throws Exception {
        ClientCredentials credentials = credentials("");
        String first = credentials.authorization();
        credentials.refused(first);
        assertThat(credentials.authorization()).isEqualTo("Bearer t2");
        credentials.refused(first);
        assertThat(credentials.authorization()).as("only the old one was refused").isEqualTo("Bearer t2");
    }

    @Test
    void many_requests_ask_for_one_token() throws Exception {
        ClientCredentials credentials = credentials("");
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<String> authorize = credentials::authorization;
            for (Future<String> each : threads.invokeAll(Stream.generate(() -> authorize).limit(50).toList())) {
                assertThat(each.get()).isEqualTo("Bearer t1");
            }
        }
        assertThat(asked).hasSize(1);
    }

    @Test
    void a_refusal_says_why_and_shows_no_secret() {
        status = 401;
        answer = "{\"error\": \"invalid_client\", \"error_description\": \"unknown client\"}";
        assertThatThrownBy(() -> credentials("").authorization()).isInstanceOf(IOException.class)
                .hasMessageContaining("unknown client").hasMessageNotContaining("secret");
        status = 200;
        answer = "<html>";
        assertThatThrownBy(() -> credentials("").authorization()).hasMessage("the answer has no token");
    }

    @Test
    void an_answer_of_any_length_is_not_read() {
        answer = answer + " ".repeat(100_000);
        assertThatThrownBy(() -> credentials("").authorization()).isInstanceOf(IOException.class)
                .hasMessageContaining("longer than 65536 bytes");
    }

    @Test
    void a_token_that_never_expires_is_asked_for_once() throws Exception {
        answer = answer.replace("300", Long.toString(Long.MAX_VALUE));
        ClientCredentials credentials = credentials("");
        assertThat(credentials.authorization()).isEqualTo("Bearer t1");
        assertThat(credentials.authorization()).isEqualTo("Bearer t1");
    }

    @Test
    void after_a_refusal_it_asks_again_a_second_later() throws Exception {
        status = 503;
        answer = "{\"error\": \"busy\"}";
        ClientCredentials credentials = credentials("");
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(credentials::authorization).hasMessageContaining("busy");
        }
        assertThat(asked).hasSize(1);
        status = 200;
        answer = "{\"access_token\": \"tN\", \"token_type\": \"Bearer\"}";
        nowMillis += 1_000;
        assertThat(credentials.authorization()).isEqualTo("Bearer t2");
        nowMillis += 239_999;
        assertThat(credentials.authorization()).as("without a time to live it has five minutes").isEqualTo("Bearer t2");
    }

    private ClientCredentials credentials(String scopes) {
        Matcher line = ClientCredentials.LINE.matcher(
                "oauth2 http://127.0.0.1:" + server.getAddress().getPort() + "/token id secret" + scopes);
        assertThat(line.matches()).isTrue();
        return new ClientCredentials(line, () -> Instant.ofEpochMilli(nowMillis));
    }
}
