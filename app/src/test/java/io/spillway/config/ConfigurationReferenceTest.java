package io.spillway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConfigurationReferenceTest {
    private static final Path PAGE = Path.of("..", "docs", "configuration.md");

    @Test
    void the_page_matches_the_declarations_of_the_settings() throws IOException {
        if (Boolean.getBoolean("spillway.docs.write")) {
            Files.createDirectories(PAGE.getParent());
            Files.writeString(PAGE, ConfigurationReference.markdown());
        }
        assertThat(Files.readString(PAGE))
                .as("regenerate the page with -Dspillway.docs.write=true")
                .isEqualTo(ConfigurationReference.markdown());
    }

    @Test
    void every_setting_is_declared_once_with_a_sentence() {
        assertThat(SettingDefinition.ALL).extracting(SettingDefinition::key)
                .doesNotHaveDuplicates().hasSizeGreaterThan(60);
        assertThat(declarations())
                .allSatisfy(setting -> assertThat(setting.doc()).endsWith(".").doesNotContain("|", "\n"));
    }

    @Test
    void every_number_and_duration_has_a_checked_range() {
        assertThat(SettingDefinition.ALL)
                .filteredOn(each -> each.type().isPrimitive() && each.type() != boolean.class
                        || each.type() == Duration.class)
                .filteredOn(each -> AllowedRange.parse(each.declaration().orElseThrow().allowed()).isEmpty())
                .extracting(SettingDefinition::key)
                .as("settings without a fixed range: one depends on another, and the seed may be any number")
                .containsExactly("gateway.limits.bytesInFlight", "shards.seed");
    }

    @Test
    void the_declared_defaults_of_the_overload_protection_match_its_rules() {
        assertThat(ConfigurationLoader.load(Optional.empty(), Map.of(), Map.of()).router().protection())
                .isEqualTo(ProtectionSettings.DEFAULT);
        assertThat(AllowedRange.parse("10ms to 1m")).contains(new AllowedRange(
                false, ProtectionSettings.LEAST_TARGET_MILLIS, ProtectionSettings.MOST_TARGET_MILLIS));
    }

    @Test
    void a_value_below_any_declared_range_is_rejected() {
        for (SettingDefinition each : SettingDefinition.ALL) {
            String allowed = each.declaration().map(Setting::allowed).orElse("");
            AllowedRange.parse(allowed).filter(range -> range.min() > 0).ifPresent(range -> {
                String below = each.type() == Duration.class ? (long) range.min() - 1 + "ms"
                        : each.type() == double.class ? Double.toString(range.min() / 2)
                        : Long.toString((long) range.min() - 1);
                // Only the settings of the chosen handler type are checked.
                Map<String, String> set = Map.of(
                        each.key(), below, "handler.type", each.key().startsWith("handler.http") ? "http"
                                : each.key().startsWith("handler.webhook") ? "webhook" : "log",
                        "handler.http.url", "http://h/");
                assertThat(catchThrowable(() -> ConfigurationLoader.load(Optional.empty(), Map.of(), set)))
                        .as(each.key())
                        .isInstanceOf(InvalidSettingException.class)
                        .hasMessage(each.key() + " = " + below + ": must be " + allowed);
            });
        }
    }

    private static Stream<Setting> declarations() {
        return SettingDefinition.ALL.stream().flatMap(each -> each.declaration().stream());
    }
}
