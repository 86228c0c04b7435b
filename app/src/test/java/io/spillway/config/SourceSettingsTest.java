package io.spillway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonPointer;
import io.spillway.core.settings.InvalidSettingException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourceSettingsTest {
    @Test
    void each_name_has_its_settings_and_a_topic_and_a_tenant_are_enough() {
        Map<String, SourceSettings> sources = SourceSettings.parse(Map.of(
                "orders.topic", "shop.orders", "orders.tenant", "value:/customer/id, header:tenant, constant:none",
                "orders.format", "json", "orders.start", "2026-01-31T08:00:00Z",
                "clicks.topic", "clicks", "clicks.tenant", "key", "clicks.enqueuedat", "header:at"));
        assertThat(sources).containsOnlyKeys("clicks", "orders");
        assertThat(sources.get("clicks").format()).isEqualTo(SourceSettings.Format.BYTES);
        assertThat(sources.get("clicks").startMillis()).isEmpty();
        assertThat(sources.get("clicks").enqueuedAt()).as("from an environment variable").isEqualTo("header:at");
        assertThat(sources.get("orders").startMillis()).hasValue(1_769_846_400_000L);
        assertThat(RecordPlace.parse("tenant", sources.get("orders").tenant())).containsExactly(
                new RecordPlace.Value(JsonPointer.compile("/customer/id")), new RecordPlace.Header("tenant"),
                new RecordPlace.Constant("none"));
    }

    @ParameterizedTest(name = "{0} = {1}")
    @CsvSource(delimiter = '|', value = {
        "topic | a/b | must be the name of an existing topic",
        "topic | | must be the name of an existing topic",
        "tenant | | must be key, header:NAME",
        "tenant | customer | must be key, header:NAME",
        "tenant | header: | must be key, header:NAME",
        "tenant | value:customer | must be a JSON pointer after value:",
        "tenant | value:/customer | needs a format",
        "id | attribute:id | needs format = cloudevents",
        "orderKey | value:/customer | needs a format",
        "dedupe | true | dedupe = true: needs id, because positions of records never repeat",
        "dedupe | yes | dedupe = yes: must be true or false",
        "format | xml | must be one of [bytes, json, avro, registry, cloudevents]",
        "format | avro | schemas = : must name the files",
        "registry | localhost:8081 | must be an http or https URL",
        "registry | http:// | must be an http or https URL",
        "registry | http://a b | must be an http or https URL",
        "registry | https://user:secret@registry | registry = ***: must be an http or https URL",
        "registry | https://registry?a=b | must be an http or https URL",
        "registryCredentials | Basic ä | registryCredentials = ***: must be printable ASCII",
        "start | yesterday | must be earliest, latest or a time",
        "tenants | key | unknown key; known here: topic, format, tenant, id,"
    })
    void what_is_not_allowed_is_named_with_its_full_key(String key, String value, String why) {
        Map<String, String> values = new HashMap<>(Map.of("s.topic", "t", "s.tenant", "key"));
        values.put("s." + key, value == null ? "" : value);
        assertThatThrownBy(() -> SourceSettings.parse(values)).isInstanceOf(InvalidSettingException.class)
                .hasMessageStartingWith("router.sources.s.").hasMessageContaining(why);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"topic", "Orders.topic", "a_b.topic"})
    void a_setting_must_be_below_the_name_of_a_source(String key) {
        assertThatThrownBy(() -> SourceSettings.parse(Map.of(key, "t")))
                .hasMessageStartingWith("router.sources." + key + " = t: must be below the name of a source");
    }
}
