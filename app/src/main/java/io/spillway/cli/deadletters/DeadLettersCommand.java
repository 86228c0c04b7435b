package io.spillway.cli.deadletters;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.config.Configuration;
import io.spillway.core.item.Printable;
import io.spillway.deadletter.DeadLetter;
import io.spillway.deadletter.DeadLetterCounts;
import io.spillway.deadletter.DeadLetterFilter;
import io.spillway.deadletter.DeadLetters;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code spillway dead-letters}: looks at dead letters; the subcommands that change something have classes of their own. */
@Command(
        name = "dead-letters",
        mixinStandardHelpOptions = true,
        description = "Shows, replays and discards what could not be handled. It is kept until one of the last two.",
        subcommands = {DeadLettersReplayCommand.class, DeadLettersDiscardCommand.class})
public final class DeadLettersCommand {
    private static final long DEFAULT_LISTED = 100;
    private static final long MOST_LISTED = 10_000;
    private static final int MOST_SHOWN = 10;
    private static final Pattern POSITION = Pattern.compile("([0-9]{1,9})-([0-9]{1,18})");

    private final InstantSource clock = InstantSource.system();

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = {
                "Lists the dead letters that died last (100, or --limit), and counts all by tenant and reason.",
                "With --output json a line for each, and a last line with the key summary."
            })
    int list(@Mixin CommonOptions common, @Mixin DeadLetterOptions options) {
        DeadLetterFilter filter = options.filter(clock.millis());
        Newest newest = new Newest((int) options.limit(DEFAULT_LISTED, MOST_LISTED));
        Configuration configuration = DeadLetterOptions.withCluster(common);
        Printer printer = common.printer();
        DeadLetterCounts counts = new DeadLetterCounts();
        try (StopSignal stop = new StopSignal(); DeadLetters letters = new DeadLetters(configuration, clock)) {
            boolean isWhole = letters.forEach(filter, new ProgressLine(stop, printer, clock), letter -> {
                newest.offer(letter);
                counts.add(letter);
            });
            print(printer, common, newest.oldestFirst(), counts);
            if (!isWhole) {
                throw DeadLetterOptions.stopped(printer, "stopped: this is not all");
            }
        }
        return 0;
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Shows all there is to know of a dead letter: its headers, and its payload as text or hexadecimal digits.")
    int show(
            @Mixin CommonOptions common,
            @Option(names = "--id", paramLabel = "ID", description = "the ones with this id, 10 at the most") String id,
            @Option(names = "--at", paramLabel = "PARTITION-OFFSET", description = "the one at this position, as list shows it") String at) {
        if ((id == null) == (at == null)) {
            throw CommandFailure.usage("give --id ID or --at PARTITION-OFFSET, as dead-letters list shows them");
        }
        Matcher position = POSITION.matcher(at == null ? "0-0" : at);
        if (!position.matches()) {
            throw CommandFailure.usage("--at " + Printable.of(at) + ": must be a partition and an offset such as 3-1207");
        }
        List<DeadLetter> found = new ArrayList<>();
        Configuration configuration = DeadLetterOptions.withCluster(common);
        Printer printer = common.printer();
        try (StopSignal stop = new StopSignal(); DeadLetters letters = new DeadLetters(configuration, clock)) {
            if (at != null) {
                letters.at(Integer.parseInt(position.group(1)), Long.parseLong(position.group(2))).ifPresent(found::add);
            } else if (!letters.forEach(DeadLetterFilter.ofId(id), new ProgressLine(stop, printer, clock), letter -> {
                if (found.size() < MOST_SHOWN) {
                    found.add(letter);
                }
            })) {
                throw DeadLetterOptions.stopped(printer, "stopped before it was found");
            }
        }
        if (found.isEmpty()) {
            throw CommandFailure.failed("no dead letter " + (id == null ? "at " + at : "with id " + Printable.of(id))
                    + ": there was none, or it is replayed or discarded");
        }
        for (DeadLetter letter : found) {
            Map<String, Object> everything = DeadLetterPrinter.everything(letter);
            if (common.isJson()) {
                printer.json(everything);
            } else {
                printer.table(DeadLetterPrinter.lines(everything));
            }
        }
        return 0;
    }

    private static void print(Printer printer, CommonOptions common, List<DeadLetter> shown, DeadLetterCounts counts) {
        if (common.isJson()) {
            shown.forEach(letter -> printer.json(DeadLetterPrinter.fields(letter)));
            printer.json(Map.of("summary", Map.of("shown", shown.size(), "matching", counts.count(),
                    "byTenantAndReason", counts.rows().stream().map(DeadLetterPrinter::fields).toList())));
            return;
        }
        if (counts.count() == 0) {
            printer.line("no dead letters");
            return;
        }
        printer.table(DeadLetterPrinter.COLUMNS, shown.stream().map(DeadLetterPrinter::row));
        if (counts.count() > shown.size()) {
            printer.line((counts.count() - shown.size()) + " more, which died earlier; --limit shows more of them");
        }
        printer.line("");
        DeadLetterPrinter.counts(printer, counts);
    }
}
