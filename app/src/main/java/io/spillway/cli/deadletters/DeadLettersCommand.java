package io.spillway.cli.deadletters;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.config.Configuration;
import io.spillway.core.text.Printable;
import io.spillway.deadletter.DeadLetter;
import io.spillway.deadletter.DeadLetterCounts;
import io.spillway.deadletter.DeadLetterFilter;
import io.spillway.deadletter.DeadLetters;
import io.spillway.operator.DeadLetterFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway dead-letters} with its read-only subcommands. */
@Command(name = "dead-letters",
        description = "Lists, shows, replays and discards dead letters. Spillway keeps a dead letter until you "
                + "replay or discard it.",
        subcommands = {DeadLettersReplayCommand.class, DeadLettersDiscardCommand.class})
public final class DeadLettersCommand {
    private static final long DEFAULT_LISTED = 100;
    private static final long MAX_LISTED = 10_000;
    private static final int MAX_SHOWN = 10;
    private static final Pattern POSITION = Pattern.compile("([0-9]{1,9})-([0-9]{1,18})");

    @Command(name = "list", footer = "  spillway dead-letters list --tenant acme --since 2h", description = {
        "Lists the newest dead letters (100, or --limit) and counts all by tenant and reason.",
        "With --output json it prints one line per dead letter, then one line with the key summary."
    })
    void list(@Mixin CommonOptions common, @Mixin DeadLetterOptions options) {
        DeadLetterFilter filter = options.filter(common.clock().millis());
        Newest newest = new Newest((int) options.limit(DEFAULT_LISTED, MAX_LISTED));
        Configuration configuration = DeadLetterOptions.withCluster(common);
        DeadLetterCounts counts = new DeadLetterCounts();
        try (StopSignal stop = new StopSignal(); DeadLetters letters = new DeadLetters(configuration, common.clock())) {
            boolean isWhole = letters.forEach(filter, new ProgressLine(stop, common), letter -> {
                newest.offer(letter);
                counts.add(letter);
            });
            print(common, newest.oldestFirst(), counts);
            if (!isWhole) {
                throw DeadLetterOptions.stopped(
                        common.printer(), "Stopped. The list is incomplete; run the command again.");
            }
        }
    }

    @Command(name = "show", footer = "  spillway dead-letters show --id order-17",
            description = "Shows a dead letter with its headers, and its payload as text or hexadecimal digits.")
    void show(
            @Mixin CommonOptions common,
            @Option(names = "--id", paramLabel = "ID",
                    description = "Show the dead letters with this item id, at most 10.") String id,
            @Option(names = "--at", paramLabel = "PARTITION-OFFSET",
                    description = "Show the dead letter at this position, as printed by list.") String positionText) {
        if ((id == null) == (positionText == null)) {
            throw CommandFailure.usage("Give --id ID or --at PARTITION-OFFSET, as printed by: spillway dead-letters "
                    + "list");
        }
        Matcher position = POSITION.matcher(positionText == null ? "0-0" : positionText);
        if (!position.matches()) {
            throw CommandFailure.usage("--at " + Printable.of(positionText) + ": must be a partition and an offset "
                    + "such as 3-1207");
        }
        List<DeadLetter> found = new ArrayList<>();
        Configuration configuration = DeadLetterOptions.withCluster(common);
        Printer printer = common.printer();
        try (StopSignal stop = new StopSignal(); DeadLetters letters = new DeadLetters(configuration, common.clock())) {
            if (positionText != null) {
                letters.at(Integer.parseInt(position.group(1)), Long.parseLong(position.group(2)))
                        .ifPresent(found::add);
            } else if (!letters.forEach(DeadLetterFilter.ofId(id), new ProgressLine(stop, common), letter -> {
                if (found.size() < MAX_SHOWN) {
                    found.add(letter);
                }
            })) {
                throw DeadLetterOptions.stopped(printer, "Stopped before the dead letter was found. Run the command "
                        + "again.");
            }
        }
        if (found.isEmpty()) {
            throw CommandFailure.failed(
                    "There is no dead letter " + (id == null ? "at " + positionText : "with id " + Printable.of(id))
                            + ". It never existed, or it has been replayed or discarded.");
        }
        for (DeadLetter letter : found) {
            Map<String, Object> details = DeadLetterFields.details(letter);
            printer.result(() -> details, text -> text.table(DeadLetterPrinter.rows(details).stream()));
        }
    }

    private static void print(CommonOptions common, List<DeadLetter> shown, DeadLetterCounts counts) {
        Printer printer = common.printer();
        if (common.isJson()) {
            shown.forEach(letter -> printer.json(DeadLetterFields.of(letter)));
            printer.json(Map.of("summary", Map.of("shown", shown.size(), "matching", counts.count(),
                    "byTenantAndReason", DeadLetterFields.of(counts))));
            return;
        }
        if (counts.count() == 0) {
            printer.line("There are no dead letters.");
            return;
        }
        printer.table(DeadLetterPrinter.COLUMNS, shown.stream().map(DeadLetterPrinter::row));
        if (counts.count() > shown.size()) {
            printer.line(Printer.count(counts.count() - shown.size(), "older dead letter") + " not shown. Use "
                    + "--limit to list more.");
        }
        printer.line("");
        DeadLetterPrinter.counts(printer, counts);
    }
}
