package io.spillway.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.config.ConfigurationLoader;
import io.spillway.kafka.topics.Permission;
import io.spillway.kafka.topics.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.common.resource.PatternType;
import org.junit.jupiter.api.Test;

/** The table of permissions in {@code docs/secured-clusters.md} is the one of the command. */
class AclReferenceTest {
    private static final Path PAGE = Path.of("..", "docs", "secured-clusters.md");
    private static final String BEGIN = "write it again with -Dspillway.docs.write=true -->\n";
    private static final String END = "<!-- end -->";

    @Test
    void the_table_is_what_the_roles_need() throws IOException {
        String page = Files.readString(PAGE);
        String written = page.substring(0, page.indexOf(BEGIN) + BEGIN.length()) + table()
                + page.substring(page.indexOf(END));
        if (Boolean.getBoolean("spillway.docs.write")) {
            Files.writeString(PAGE, written);
        }
        assertThat(Files.readString(PAGE)).as("write it again with -Dspillway.docs.write=true").isEqualTo(written);
    }

    private static String table() {
        Topics topics = new Topics(ConfigurationLoader.load(
                Optional.empty(), Map.of(), Map.of("shards.overlap", "1", "topics.trail", "1h")).queue());
        // In the order of the command: topics, groups, transactional ids.
        Map<String, Map<AccessRole, String>> rows = new TreeMap<>(
                Comparator.comparing((String row) -> List.of("topic", "group", "transactional")
                        .indexOf(row.split(" ")[0])).thenComparing(Comparator.naturalOrder()));
        for (AccessRole role : AccessRole.values()) {
            for (Permission each : Permissions.of(topics, Map.of(), role)) {
                String resource = each.resourceText().replaceAll("(.*) (.*)", "$1 `$2")
                        + (each.pattern() == PatternType.PREFIXED ? "*`" : "`");
                rows.computeIfAbsent(resource, none -> new TreeMap<>()).put(role, each.operationsText());
            }
        }
        StringBuilder table = new StringBuilder("\n| resource |");
        for (AccessRole role : AccessRole.values()) {
            table.append(' ').append(role.label()).append(" |");
        }
        table.append("\n|---|").append("---|".repeat(AccessRole.values().length)).append('\n');
        rows.forEach((resource, cells) -> {
            table.append("| ").append(resource).append(" |");
            for (AccessRole role : AccessRole.values()) {
                table.append(' ').append(cells.getOrDefault(role, "")).append(" |");
            }
            table.append('\n');
        });
        return table.append('\n').toString().replace("|  |", "| |").replace("|  |", "| |");
    }
}
