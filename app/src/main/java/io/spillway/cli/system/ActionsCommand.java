package io.spillway.cli.system;

import io.spillway.cli.options.CommonOptions;
import io.spillway.config.Configuration;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.Topics;
import io.spillway.operator.ActionEntry;
import io.spillway.operator.ActionLog;
import io.spillway.operator.Inputs;
import io.spillway.runtime.CompactedTopics;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway actions}: the action log. */
@Command(name = "actions", description = "Lists what operators did, in the console and by commands.")
public final class ActionsCommand {
    @Command(name = "list", description = {
        "Lists the newest actions, newest first: who did what, when, with which result. Actions are kept for 90 days, "
                + "and this shows the newest " + ActionLog.MAX + " at most.",
        "An action that was refused is listed too. By is the user's name in the console, the user and the host of a "
                + "command, or the isolation rule with its reason."
    }, footerHeading = "%nExamples:%n%n", footer = {
        "  spillway actions list",
        "  spillway actions list --tenant acme --limit 20"
    })
    void list(
            @Mixin CommonOptions common,
            @Option(names = "--tenant", paramLabel = "T|*", description = "Only actions of this tenant.") String tenant,
            @Option(names = "--limit", paramLabel = "N", defaultValue = "100",
                    description = "List at most this many. Default: ${DEFAULT-VALUE}.") int limit) {
        if (tenant != null) {
            Inputs.requireNameOrAll("--tenant", tenant);
        }
        Inputs.requireRange("--limit", limit, 1, ActionLog.MAX, "");
        Configuration configuration = common.configurationWithCluster(topics -> List.of(topics.actions()));
        ActionLog log = new ActionLog(Integer.MAX_VALUE);
        try (CompactedTopics topics = new CompactedTopics(configuration, common.clock())) {
            topics.read(new Topics(configuration.queue()).actions(), log);
        }
        List<ActionEntry> entries = log.newest(ActionLog.MAX).stream()
                .filter(entry -> tenant == null || entry.tenant().equals(tenant)).limit(limit).toList();
        common.printer().result(() -> entries.stream().map(ActionEntry::json).toList(), printer -> {
            if (entries.isEmpty()) {
                printer.line("No action is recorded.");
                return;
            }
            printer.table(List.of("at", "by", "action", "tenant", "options", "result"),
                    entries.stream().map(entry -> List.of(
                            Inputs.iso(entry.atMillis()), entry.by(),
                            entry.action(), entry.tenant().isEmpty() ? "-" : entry.tenant(), options(entry),
                            Printable.onOneLine(entry.result()))));
        });
    }

    private static String options(ActionEntry entry) {
        return entry.options().isEmpty() ? "-" : entry.options().entrySet().stream()
                .map(option -> option.getKey() + "=" + option.getValue()).collect(Collectors.joining(" "));
    }
}
