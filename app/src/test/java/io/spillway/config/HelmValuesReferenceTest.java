package io.spillway.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The chart's values: their table in the documentation, and the sections of the configuration that they accept. */
class HelmValuesReferenceTest {
    private static final Path CHART = Path.of("..", "deploy", "helm", "spillway");
    private static final Path PAGE = Path.of("..", "docs", "kubernetes.md");
    private static final Pattern TABLE = Pattern.compile("(?s)(?<=\\R<!-- values -->\\R\\R).*(?=\\R<!-- end -->\\R)");
    private static final Pattern KEY = Pattern.compile("( *)([A-Za-z]+):.*");
    private static final Pattern COMMENT = Pattern.compile(" *# (.*)");

    @Test
    void the_page_has_the_table_of_the_values() throws IOException {
        String page = Files.readString(PAGE);
        Matcher table = TABLE.matcher(page);
        assertThat(table.find()).as("the page has a place for the table").isTrue();
        if (Boolean.getBoolean("spillway.docs.write")) {
            Files.writeString(PAGE, page.substring(0, table.start()) + markdown() + page.substring(table.end()));
        }
        assertThat(Files.readString(PAGE)).as("regenerate the table with -Dspillway.docs.write=true")
                .contains("<!-- values -->\n\n" + markdown() + "\n<!-- end -->\n");
    }

    @Test
    void every_value_has_a_sentence() throws IOException {
        Map<String, String> described = descriptions();

        assertThat(described).hasSizeGreaterThan(40);
        assertThat(described).allSatisfy((key, text) -> assertThat(text).as(key).endsWith(".").doesNotContain("|"));
        assertDescribed("", values(), described.keySet());
    }

    @Test
    void the_schema_accepts_the_sections_of_the_configuration() throws IOException {
        JsonNode schema = new ObjectMapper().readTree(CHART.resolve("values.schema.json").toFile());

        assertThat(schema.at("/properties/config/properties").properties()).extracting(Map.Entry::getKey)
                .containsExactlyInAnyOrderElementsOf(SettingDefinition.ALL.stream()
                        .map(each -> each.key().substring(0, each.key().indexOf('.')))
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    /** Helm reads 0123 as 83 and 2.10 as 2.1 before the chart can tell. */
    @Test
    void the_schema_accepts_only_text_where_a_setting_is_text() throws IOException {
        JsonNode config = new ObjectMapper().readTree(CHART.resolve("values.schema.json").toFile())
                .at("/properties/config");

        for (SettingDefinition each : SettingDefinition.ALL) {
            JsonNode value = config.at("/properties/" + each.key().replace(".", "/properties/"));
            if (each.isMap()) {
                // Sources are a map of maps.
                JsonNode texts = value.has("$ref") ? value : value.path("additionalProperties");
                assertThat(texts.path("$ref").asText()).as(each.key()).isEqualTo("#/definitions/texts");
            } else if (each.type() == String.class && !value.isBoolean()) {
                assertThat(value.path("type").toString()).as(each.key())
                        .isEqualTo(each.key().endsWith("Statuses") ? "[\"string\",\"integer\"]" : "\"string\"");
            }
        }
    }

    private static void assertDescribed(String path, JsonNode node, Set<String> described) {
        if (!described.contains(path)) {
            assertThat(node.isObject() && !node.isEmpty()).as("%s has a comment above it", path).isTrue();
            node.properties().forEach(each -> assertDescribed(
                    path.isEmpty() ? each.getKey() : path + "." + each.getKey(), each.getValue(), described));
        }
    }

    private static String markdown() throws IOException {
        StringBuilder table = new StringBuilder("| Value | Default | Description |\n|---|---|---|\n");
        JsonNode values = values();
        descriptions().forEach((key, text) -> {
            JsonNode value = values.at("/" + key.replace('.', '/'));
            String shown = value.isTextual() ? value.textValue() : value.toString();
            table.append("| `%s` | %s | %s |%n".formatted(key, shown.isEmpty() ? "" : "`" + shown + "`", text));
        });
        return table.toString();
    }

    /** Returns the comments above keys by the keys' paths, in the order of the file. */
    private static Map<String, String> descriptions() throws IOException {
        Map<String, String> described = new LinkedHashMap<>();
        String[] path = new String[10];
        StringBuilder comment = new StringBuilder();
        for (String line : Files.readAllLines(CHART.resolve("values.yaml"))) {
            Matcher key = KEY.matcher(line);
            Matcher text = COMMENT.matcher(line);
            if (text.matches()) {
                comment.append(comment.isEmpty() ? "" : " ").append(text.group(1));
                continue;
            }
            if (key.matches()) {
                int level = key.group(1).length() / 2;
                path[level] = key.group(2);
                if (!comment.isEmpty()) {
                    described.put(String.join(".", Arrays.asList(path).subList(0, level + 1)), comment.toString());
                }
            }
            comment.setLength(0);
        }
        return described;
    }

    private static JsonNode values() throws IOException {
        return new YAMLMapper().readTree(CHART.resolve("values.yaml").toFile());
    }
}
