package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of external workers that are refused. */
@Timeout(60) // Against a hang; nothing is measured.
class WorkApiTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            lease | {"max":0}                                      | : must be a whole number from 1 to 100
            lease | {"max":101}                                    | : must be a whole number from 1 to 100
            lease | {"max":1.5}                                    | : must be a whole number from 1 to 100
            lease | {"max":"1"}                                    | : must be a whole number from 1 to 100
            lease | {"max":99999999999999999999}                   | : must be a whole number from 1 to 100
            lease | {"waitMillis":30001}                           | : must be a whole number from 0 to 30000
            lease | {"waitMillis":-1}                              | : must be a whole number from 0 to 30000
            lease | {"count":1}                                    | count = 1: unknown key; known here: max, waitMillis
            lease | {"max":1,"max":2}                              | The body is not JSON
            lease | {"max":1} {}                                   | The body is not JSON
            lease | {"max":                                        | The body is not JSON
            lease | []                                             | The body must be a JSON object
            done  | {}                                             | receipt = (absent): must be set
            done  | {"receipt":1}                                  | receipt = 1: must be text
            done  | {"receipt":""}                                 | has not signed the receipt
            done  | {"receipt":"a.b","detail":"x"}                 | detail = x: unknown key; known here: receipt
            later | {"receipt":"a.b"}                              | afterMillis = (absent): must be set
            later | {"receipt":"a.b","afterMillis":2592000001}     | : must be a whole number from 0
            retry | {"receipt":"a.b","afterMillis":-1}             | : must be a whole number from 0
            retry | {"receipt":"a.b","detail":7}                   | detail = 7: must be text
            dead  | {"receipt":"a.b"}                              | reason = (absent): must be set
            renew | {"receipt":"a.b","leaseMillis":0}              | leaseMillis = 0: must be a whole number from 1
            """)
    void a_body_that_is_wrong_is_refused_with_what_is_right(String action, String body, String why) {
        try (WorkUnderTest work = new WorkUnderTest(1_000)) {
            HttpResponse<String> refused = work.post(action, body);
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
            assertThat(refused.body()).contains("urn:spillway:problem:bad-request", why);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Bearer", "Bearer wrong-key-of-16-chars", "Basic " + WorkUnderTest.KEY,
        WorkUnderTest.KEY, "Bearer " + GatewayUnderTest.ADMIN_KEY, "Bearer " + WorkUnderTest.KEY + "x"})
    void without_the_key_of_the_workers_nothing_is_leased(String authorization) {
        try (WorkUnderTest work = new WorkUnderTest(1_000)) {
            work.item("one");
            HttpResponse<String> refused = work.send("POST", "/v1/work:lease", authorization, "{\"max\":1}");
            assertThat(refused.statusCode()).isEqualTo(401);
            assertThat(refused.headers().firstValue("WWW-Authenticate")).contains("Bearer realm=\"spillway\"");
            assertThat(work.running()).isZero();
        }
    }

    @Test
    void other_paths_methods_and_sizes_are_refused() {
        try (WorkUnderTest work = new WorkUnderTest(1_000)) {
            String key = "Bearer " + WorkUnderTest.KEY;
            assertThat(work.send("POST", "/v1/work:nothing", key, "{}").statusCode()).isEqualTo(404);
            assertThat(work.send("POST", "/v1/items", key, "{}").statusCode()).isEqualTo(404);
            assertThat(work.send("GET", "/v1/work:lease", key, "").headers().firstValue("Allow")).contains("POST");
            String large = "{\"receipt\":\"" + "x".repeat(WorkApi.MAX_BODY_BYTES) + "\"}";
            assertThat(work.send("POST", "/v1/work:done", key, large).statusCode()).isEqualTo(413);
        }
    }
}
