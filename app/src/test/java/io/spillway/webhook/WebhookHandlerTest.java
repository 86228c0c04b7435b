package io.spillway.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.Delivery;
import io.spillway.handler.DeliveryBuilder;
import io.spillway.handler.HandlerContext;
import io.spillway.handler.Outcome;
import io.spillway.handler.Receiver;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60) // Against a hang.
class WebhookHandlerTest {
    private static final byte[] PAYLOAD = "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path keys;

    private HttpServer receiver;
    private volatile int status = 204;
    private volatile Map<String, String> answered = Map.of();
    private volatile int bodyBytes;
    private volatile Headers got;
    private volatile String path = "";
    private volatile byte[] body = {};

    @BeforeEach
    void start() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        receiver.createContext("/", this::answer);
        receiver.start();
    }

    @AfterEach
    void stop() {
        receiver.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        got = exchange.getRequestHeaders();
        path = exchange.getRequestURI().toString();
        body = exchange.getRequestBody().readAllBytes();
        answered.forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
        exchange.sendResponseHeaders(status, status == 204 ? -1 : 0);
        try (OutputStream out = exchange.getResponseBody()) {
            for (int i = 0; i < bodyBytes; i++) {
                out.write('x');
            }
        } catch (IOException e) {
            // The client has read enough.
        }
        exchange.close();
    }

    @Test
    void an_item_is_posted_to_its_receiver_with_id_time_and_signature() throws Exception {
        Files.writeString(keys.resolve("acme-1"),
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\nAuthorization: Bearer abc");
        try (WebhookHandler handler = handler(true, SystemDefaultDnsResolver.INSTANCE)) {
            Delivery delivery = DeliveryBuilder.of("acme", "msg_p5jXN8AQM9LWM0D4loKWxJek").payload(PAYLOAD)
                    .contentType("application/json").workload("~billing").header("spillway-parent-workload", "orders")
                    .receiver(new Receiver(url() + "/{tenant}/{workload}", Optional.of("acme-1"))).build();

            assertThat(handler.handle(delivery)).isEqualTo(Outcome.done());
            assertThat(path).isEqualTo("/acme/orders");
            assertThat(body).isEqualTo(PAYLOAD);
            assertThat(got.getFirst("Content-Type")).isEqualTo("application/json");
            assertThat(got.getFirst("webhook-id")).isEqualTo("msg_p5jXN8AQM9LWM0D4loKWxJek");
            assertThat(got.getFirst("webhook-timestamp")).isEqualTo("1614265330");
            assertThat(got.getFirst("webhook-signature"))
                    .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
            assertThat(got.getFirst("Authorization")).isEqualTo("Bearer abc");
            assertThat(handler.destination(delivery)).isEqualTo("127.0.0.1:" + receiver.getAddress().getPort());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "200, Done", "204, Done", "301, Retry", "400, Retry", "401, Retry", "404, Retry", "410, Dead",
        "429, Unavailable", "500, Retry", "502, Unavailable", "503, Unavailable",
    })
    void only_gone_is_final_because_receivers_answer_4xx_when_they_are_set_up_wrongly(int code, String outcome)
            throws Exception {
        status = code;
        answered = Map.of("Location", url() + "/elsewhere");
        try (WebhookHandler handler = handler(true, SystemDefaultDnsResolver.INSTANCE)) {
            assertThat(handler.handle(to(url()))).extracting(result -> result.getClass().getSimpleName())
                    .isEqualTo(outcome);
            assertThat(path).as("redirects are not followed").isEqualTo("/");
        }
    }

    @Test
    void an_answer_without_end_is_read_to_a_limit_and_a_wait_of_a_year_is_cut() throws Exception {
        status = 503;
        bodyBytes = 100_000_000;
        answered = Map.of("Retry-After", "31536000");
        try (WebhookHandler handler = handler(true, SystemDefaultDnsResolver.INSTANCE)) {
            Outcome.Unavailable outcome = (Outcome.Unavailable) handler.handle(to(url()));

            assertThat(outcome.detail()).startsWith("HTTP status 503: xxx").hasSizeLessThan(2_100);
            assertThat(outcome.after()).contains(Duration.ofDays(30));
        }
    }

    @Test
    void a_name_with_a_private_address_is_a_dead_letter_and_nothing_is_sent_to_it() throws Exception {
        DnsResolver rebound = PublicAddressTest.giving(InetAddress.getLoopbackAddress());
        try (WebhookHandler handler = handler(false, rebound)) {
            String named = "https://hooks.example:" + receiver.getAddress().getPort() + "/";

            assertThat(handler.handle(to(named))).isEqualTo(Outcome.dead("hooks.example:"
                    + receiver.getAddress().getPort() + " is refused: its addresses are private, and"
                    + " handler.webhook.allowPrivate is false"));
            assertThat(handler.handle(to(url()))).isEqualTo(
                    Outcome.dead("its url is not https, and handler.webhook.allowPrivate is false"));
            assertThat(path).isEmpty();
        }
        try (WebhookHandler handler = handler(false, SystemDefaultDnsResolver.INSTANCE)) {
            assertThat(handler.handle(to("https://169.254.169.254/latest/"))).isInstanceOf(Outcome.Dead.class);
            assertThat(handler.handle(to("https://[::1]/"))).isInstanceOf(Outcome.Dead.class);
        }
    }

    @Test
    void without_a_url_an_item_ends_and_without_a_secret_or_a_connection_it_waits() throws Exception {
        try (WebhookHandler handler = handler(true, SystemDefaultDnsResolver.INSTANCE)) {
            assertThat(handler.handle(DeliveryBuilder.of("acme", "1").build())).isInstanceOf(Outcome.Dead.class);
            assertThat(handler.destination(DeliveryBuilder.of("acme", "1").build())).isEmpty();
            assertThat(handler.handle(DeliveryBuilder.of("acme", "1")
                    .receiver(new Receiver(url(), Optional.of("missing"))).build()))
                    .isInstanceOf(Outcome.Unavailable.class);
            int port = receiver.getAddress().getPort();
            receiver.stop(0);
            assertThat(handler.handle(to("http://127.0.0.1:" + port + "/"))).isInstanceOf(Outcome.Unavailable.class);
        }
    }

    @Test
    void a_directory_of_keys_that_is_missing_is_refused_at_the_start() {
        WebhookSettings settings = new WebhookSettings(
                keys.resolve("none").toString(), Duration.ofSeconds(1), Duration.ofSeconds(1), false);

        assertThatThrownBy(() -> new WebhookHandler.Type().check(settings, new NoContext()))
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining("must be a directory");
    }

    private String url() {
        return "http://127.0.0.1:" + receiver.getAddress().getPort();
    }

    private static Delivery to(String url) {
        return DeliveryBuilder.of("acme", "1").payload(PAYLOAD).receiver(new Receiver(url, Optional.empty())).build();
    }

    private WebhookHandler handler(boolean allowPrivate, DnsResolver names) {
        return new WebhookHandler(
                new WebhookSettings(keys.toString(), Duration.ofSeconds(2), Duration.ofSeconds(10), allowPrivate),
                names, () -> Instant.ofEpochSecond(1_614_265_330));
    }

    /** Context that a check does not need. */
    private record NoContext() implements HandlerContext {
        @Override
        public InstantSource clock() {
            return InstantSource.system();
        }

        @Override
        public Map<String, Object> kafka() {
            return Map.of();
        }

        @Override
        public Map<String, Object> producer() {
            return Map.of();
        }

        @Override
        public Set<String> ownTopics() {
            return Set.of();
        }
    }
}
