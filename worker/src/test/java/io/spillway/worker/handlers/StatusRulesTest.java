package io.spillway.worker.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.DeliveryBuilder;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60) // Only against a hang.
class StatusRulesTest {
    @ParameterizedTest
    @CsvSource({
        "100, RETRY", "101, RETRY", "200, DONE", "204, DONE", "299, DONE", "300, RETRY", "304, RETRY", "399, RETRY",
        "400, FINAL", "401, REFUSED", "402, FINAL", "403, REFUSED",
        "404, FINAL", "408, RETRY", "409, FINAL", "425, RETRY", "429, UNAVAILABLE", "499, FINAL",
        "500, RETRY", "501, RETRY", "502, UNAVAILABLE", "503, UNAVAILABLE", "504, UNAVAILABLE", "505, RETRY",
        "599, RETRY", "600, RETRY", "999, RETRY", "1000, RETRY", "-1, RETRY"})
    void without_settings_the_class_and_a_few_codes_decide(int status, StatusRules.Meaning expected) {
        assertThat(new StatusRules("", "", "").of(status)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"404, RETRY", "403, REFUSED", "401, FINAL", "500, UNAVAILABLE", "501, UNAVAILABLE",
        "509, UNAVAILABLE", "510, RETRY",
        "520, UNAVAILABLE", "503, FINAL", "429, RETRY", "302, FINAL", "301, FINAL", "303, RETRY", "200, DONE"})
    void a_list_overrides_the_defaults_of_its_codes_only(int status, StatusRules.Meaning expected) {
        StatusRules rules = new StatusRules(" 404,429 ", "500-502, 504 - 509,520", "503,301-302,401");

        assertThat(rules.of(status)).isEqualTo(expected);
    }

    @Test
    void a_code_twice_in_one_list_is_no_mistake() {
        assertThat(new StatusRules("404,400-410", "", "").of(404)).isEqualTo(StatusRules.Meaning.RETRY);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "abc", "40", "4000", "404,", ",404", "404;405", "404 405", "500-", "-500", "599-500", "200", "204-299",
        "299-300", "100", "5xx", "404-405-406", "٤٠٤", "-1", "1000"})
    void anything_else_is_an_error_that_names_the_key_and_shows_the_form(String list) {
        assertThatThrownBy(() -> new StatusRules(list, "", ""))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageStartingWith("handler.http.retryStatuses = ")
                .hasMessageEndingWith("must be codes and ranges from 300 to 999 with commas between them, such as 404,"
                        + " 500-599");
        assertThatThrownBy(() -> new StatusRules("", list, ""))
                .hasMessageStartingWith("handler.http.unavailableStatuses = ");
        assertThatThrownBy(() -> new StatusRules("", "", list))
                .hasMessageStartingWith("handler.http.finalStatuses = ");
    }

    @Test
    void a_code_in_two_lists_is_an_error_that_names_both() {
        assertThatThrownBy(() -> new StatusRules("404, 500-599", "", "510"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessage("handler.http.finalStatuses = 510: must not contain 510, because"
                        + " handler.http.retryStatuses does");
        assertThatThrownBy(() -> new StatusRules("500", "429,499-501", ""))
                .hasMessage("handler.http.unavailableStatuses = 429,499-501: must not contain 500, because"
                        + " handler.http.retryStatuses does");
    }

    @Test
    void the_handler_applies_the_lists_and_the_wait_that_the_destination_asks_for() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().add("Retry-After", "7");
            exchange.sendResponseHeaders(Integer.parseInt(exchange.getRequestURI().getQuery()), -1);
            exchange.close();
        });
        server.start();
        String url = "http://LOCALHOST:" + server.getAddress().getPort() + "/?{workload}";
        HttpSettings settings = HttpRequestTest.of(
                url, "retryStatuses", "404", "unavailableStatuses", "500", "finalStatuses", "503");
        try (Handler handler = new HttpHandler(settings, InstantSource.system())) {
            Duration asked = Duration.ofSeconds(7);
            assertThat(handled(handler, "404")).isEqualTo(Outcome.retry(asked, "HTTP status 404"));
            assertThat(handled(handler, "500")).isEqualTo(Outcome.unavailable(asked, "HTTP status 500"));
            assertThat(handled(handler, "503")).isEqualTo(Outcome.dead("HTTP status 503"));
            assertThat(handled(handler, "410")).isEqualTo(Outcome.dead("HTTP status 410"));
            assertThat(handler.destination(DeliveryBuilder.of("acme", "1").build()))
                    .isEqualTo("localhost:" + server.getAddress().getPort());
        } finally {
            server.stop(0);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "http://Nowhere.invalid/{tenant}/work, nowhere.invalid:80",
        "https://nowhere.invalid?t={tenant}, nowhere.invalid:443",
        "http://[::1]:9/a, [::1]:9"})
    void the_destination_is_the_host_and_port_of_the_url(String url, String expected) throws Exception {
        try (Handler handler = new HttpHandler(HttpRequestTest.of(url), InstantSource.system())) {
            assertThat(handler.destination(DeliveryBuilder.of("acme", "1").build())).isEqualTo(expected);
            assertThat(handler.handle(DeliveryBuilder.of("acme", "1").build()))
                    .isInstanceOf(Outcome.Unavailable.class);
        }
    }

    private static Outcome handled(Handler handler, String workload) throws Exception {
        return handler.handle(DeliveryBuilder.of("acme", "1").workload(workload).build());
    }
}
