package io.spillway.config;

import static java.util.Map.entry;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.settings.Durations;
import io.spillway.core.settings.Setting;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** Generator of {@code docs/configuration.md} from the declarations of the settings. */
final class ConfigurationReference {
    private static final Pattern DURATION = Pattern.compile("\\b\\d+(ms|s|m|h|d)\\b");

    private static final String INTRODUCTION = """
            # Configuration

            <!-- Generated from the declarations in the code. To change it, change those, then run
            mvn -pl app -am test -Dtest=ConfigurationReferenceTest -Dspillway.docs.write=true
                 -Dsurefire.failIfNoSpecifiedTests=false -->

            Spillway reads `spillway.yml` in the working directory, or the file that `--config FILE` names.
            Every setting has a default, so the file may be empty or absent. A key can be written as nested
            maps (`topics: {partitions: 24}`) or with dots (`topics.partitions: 24`). An unknown key or a
            value out of its range stops the start with one line that names the key, the value and what is
            allowed.

            **Environment.** A variable named `SPILLWAY_` and the key in upper case, with underscores for
            dots, overrides the file: `SPILLWAY_WORKER_SLOTS=100`. A capital letter inside a key may have an
            underscore before it: `SPILLWAY_TOPICS_MAX_BYTES` and `SPILLWAY_TOPICS_MAXBYTES` are the same
            setting. Below a map, underscores stand for the dots of the property's name:
            `SPILLWAY_KAFKA_PROPERTIES_SECURITY_PROTOCOL=SASL_SSL`. The options `--bootstrap-servers` and
            `--prefix` override both.

            **Variables that are not keys.** `SPILLWAY_LOG_FORMAT=json` writes the log as JSON, and
            variables `OTEL_...` turn traces on: [tracing.md](tracing.md).

            **Durations** are a whole number and a unit: `250ms`, `30s`, `5m`, `1h` or `7d`. Whole numbers may
            have underscores between digits: `1_000_000`. Numbers are decimal: one with a leading zero, such
            as `0100`, is refused, because others read it as octal.

            **Text** is taken as it is written, also without quotes: `2.10`, `0123`, `no` and `1e3` stay what
            they are. Where true or false is meant, nothing else is allowed. `null`, `~` and nothing at all
            mean the default, and are refused below a map. Aliases (`*name`) are refused.

            **Files**, also those that settings name, are UTF-8, or UTF-16 with a byte order mark. Line ends of
            all systems, spaces at the ends of lines and a file without a last line end are allowed. YAML is
            indented with spaces, never with tabs.

            **Secrets.** An error never shows the value of a key that looks like a secret (password, token,
            JAAS configuration and the like), and never quotes from a file that cannot be parsed. Set
            secrets in the environment, for example `SPILLWAY_GATEWAY_TLS_KEYSTORE_PASSWORD`. The admin key
            is `SPILLWAY_ADMIN_KEY`, or the content of the file that `gateway.adminKeyFile` names. The key of
            viewers is `SPILLWAY_VIEWER_KEY`, or the content of the file that `gateway.viewerKeyFile` names.
            """;

    private static final Map<String, String> SECTIONS = Map.ofEntries(
            entry("kafka", "Kafka cluster"),
            entry("topics", "Topics"),
            entry("defaults", "Default policy of tenants\n\n"
                    + "A tenant's own settings (`spillway tenants set`) take precedence over those of all tenants\n"
                    + "(`spillway tenants set '*'`), and those take precedence over these."),
            entry("router", "Router"),
            entry("worker", "Worker"),
            entry("killer", "Items that crash workers"),
            entry("handler", "Handler"),
            entry("gateway", "Gateway"),
            entry("metrics", "Metrics"),
            entry("shards", "Partition selection\n\n"
                    + "All routers, and producers that select partitions by tenant, must have the same settings."),
            entry("retry", "Retry budgets\n\n"
                    + "Those of a tenant are in its policy: `retryTokens` and `retryEarned`."));

    private static final Map<Class<?>, String> TYPE_NAMES = Map.of(
            String.class, "text",
            int.class, "whole number",
            long.class, "whole number",
            OptionalInt.class, "whole number",
            double.class, "number",
            boolean.class, "true or false",
            Duration.class, "duration",
            Optional.class, "duration",
            List.class, "list of whole numbers",
            Map.class, "map of text");

    private ConfigurationReference() {}

    /** Renders the page. */
    static String markdown() {
        StringBuilder page = new StringBuilder(INTRODUCTION);
        String section = "";
        for (SettingDefinition each : SettingDefinition.ALL) {
            String next = each.key().substring(0, each.key().indexOf('.'));
            if (!next.equals(section)) {
                section = next;
                page.append("\n## ").append(SECTIONS.get(section))
                        .append("\n\n| Key | Type | Default | Allowed | Description |\n|---|---|---|---|---|\n");
            }
            page.append(row(each));
        }
        return page.toString();
    }

    private static String row(SettingDefinition each) {
        return "| `" + each.key() + (each.isMap() ? ".*" : "") + "` | "
                + each.declaration().map(setting -> cells(each.type(), setting))
                        .orElseGet(() -> cells(policyField(each)))
                        .replaceAll(" {2,}", " ") + " |\n";
    }

    private static String cells(Class<?> type, Setting setting) {
        String note = setting.defaultNote();
        return String.join(" | ",
                typeName(type) + (setting.unit().isEmpty() ? "" : ", " + setting.unit()),
                note.isEmpty() && !setting.defaultValue().isEmpty() ? "`" + setting.defaultValue() + "`" : note,
                DURATION.matcher(setting.allowed())
                        .replaceAll(found -> Durations.format(Durations.parseMillis(found.group()))),
                setting.doc());
    }

    private static String cells(PolicyField field) {
        String type = switch (field.type()) {
            case NUMBER -> typeName(double.class);
            case COUNT -> typeName(long.class);
            case DURATION -> typeName(Duration.class);
            case FLAG -> "flag";
            case CHOICE -> "choice";
            case NAME, URL -> "text";
        };
        return String.join(" | ", type, "`" + field.format(PolicySettings.DEFAULTS.values().get(field)) + "`",
                field.allowed(),
                field.help().substring(0, 1).toUpperCase(Locale.ROOT) + field.help().substring(1) + ".");
    }

    private static PolicyField policyField(SettingDefinition each) {
        String key = each.key().substring(SettingsBinder.TENANT_DEFAULTS.length());
        return Arrays.stream(PolicyField.values()).filter(field -> field.key().equals(key)).findFirst().orElseThrow();
    }

    private static String typeName(Class<?> type) {
        return type.isEnum() ? "choice" : TYPE_NAMES.get(type);
    }
}
