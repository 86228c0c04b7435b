package io.spillway.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlTemplateTest {
    @ParameterizedTest
    @CsvSource({
        "http://h/work, http://h/work",
        "http://h:8/{tenant}/work, http://h:8/acme/work",
        "https://h/a?t={tenant}&w={workload}, https://h/a?t=acme&w=mails",
        "http://h/{tenant}-{tenant}, http://h/acme-acme",
        "http://h?t={tenant}, http://h?t=acme",
    })
    void names_take_the_place_of_their_placeholders(String template, String url) {
        assertThat(UrlTemplate.problem(template)).isEmpty();
        assertThat(new UrlTemplate(template).of("acme", "mails")).contains(URI.create(url));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "http://{tenant}.example.org/", "http://{tenant}/", "http://h:{workload}/", "http://{tenant}:pw@h/",
        "{tenant}://h/", "http://h/{id}", "http://h/{", "h/{tenant}", "ftp://h/{tenant}", "http://{tenant}?x=1/",
    })
    void a_producer_cannot_choose_the_destination(String template) {
        assertThat(UrlTemplate.problem(template)).isPresent();
    }

    @ParameterizedTest
    @CsvSource({
        "http://shop:secret@h/work, must not contain a login",
        "http://shop@h/work, must not contain a login",
        "ftp://shop:secret@h/work, must not contain a login",
        "http://shop:se/cret@h/work, must be http://HOST",
        "http://order_service:8000/work, must not have an underscore in the name of the host",
        "http://h/work#part, must not contain a fragment",
    })
    void what_would_not_be_sent_is_refused_at_the_start_and_a_password_is_not_shown(String url, String problem) {
        assertThat(UrlTemplate.problem(url).orElseThrow()).contains(problem).doesNotContain("secret@", "cret@");
    }

    @ParameterizedTest
    @ValueSource(strings = {".", ".."})
    void a_name_that_servers_resolve_in_a_path_has_no_url(String name) {
        assertThat(new UrlTemplate("http://h/{tenant}/x").of(name, "mails")).isEmpty();
        assertThat(new UrlTemplate("http://h/a/{workload}").of("acme", name)).isEmpty();
        assertThat(new UrlTemplate("http://h/a/{workload}").of(name, "mails")).isPresent();
        assertThat(new UrlTemplate("http://h/a").of(name, name)).isPresent();
    }

    @Test
    void names_are_escaped_and_may_be_empty() {
        assertThat(new UrlTemplate("http://h/{tenant}?w={workload}").of("a/b?c d", ""))
                .contains(URI.create("http://h/a%2Fb%3Fc%20d?w="));
        assertThat(new UrlTemplate("http://h/{tenant}").base()).isEqualTo(URI.create("http://h/"));
    }
}
