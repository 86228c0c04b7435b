package io.spillway.cli.system;

import io.spillway.audit.Census;
import io.spillway.audit.StoredItem;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.ScanProgress;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemState;
import io.spillway.core.settings.Durations;
import io.spillway.core.text.Printable;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.operator.Inputs;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway trace}: what was enqueued and how long it took, from the trail. */
@Command(name = "trace", description = {
    "Records what was enqueued, when and by whom, and how long it took, from the trail of finished items.",
    "It has what was done in topics.trail, an hour with the embedded Kafka, and no payloads."
})
public final class TraceCommand {
    private static final String SINCE = "Items that were enqueued and finished from this time on: a time, epoch "
            + "milliseconds, or a duration before now, of at most 31 days. Default: ${DEFAULT-VALUE}.";

    @Command(name = "record", footer = "  spillway trace record --since 1h monday.csv", description =
            "Writes a file for the simulator: a line per item with its time, its tenant and how long its last "
            + "attempt took. So a limit, a fleet or an outage can be tried on your day, with a scenario that "
            + "has: arrivals: {type: trace, file: FILE}.")
    void record(
            @Mixin CommonOptions common,
            @Option(names = "--since", paramLabel = "TIME", defaultValue = "1d", description = SINCE) String since,
            @Parameters(paramLabel = "FILE", description = "File to write, which must not exist yet.") Path file) {
        Recording recording = read(common, since);
        try {
            Files.write(file, recording.lines(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (FileAlreadyExistsException e) {
            throw CommandFailure.usage(Printable.of(file.toString()) + ": exists. Name another file, or remove it");
        } catch (IOException e) {
            throw CommandFailure.failed(Printable.of(file.toString()) + ": cannot be written: "
                    + Printable.of(String.valueOf(e.getMessage())));
        }
        common.printer().result(
                () -> Map.of("file", Printable.of(file.toString()), "items", recording.items(),
                        "tenants", recording.tenants(), "millis", recording.millis()),
                printer -> printer.line(Printable.of(file.toString()) + ": " + Printer.count(recording.items(), "item")
                        + " of " + Printer.count(recording.tenants(), "tenant") + " in "
                        + Durations.format(recording.millis())));
    }

    @Command(name = "senders", footer = "  spillway trace senders --since 6h", description = {
        "Shows by tenant whether its items come at the same second of each minute, or in the same minute of each hour, "
                + "as those of cron jobs do, and the window over which to spread them.",
        "To spread them, send with --deliver-within, or give a schedule --within."
    })
    void senders(
            @Mixin CommonOptions common,
            @Option(names = "--since", paramLabel = "TIME", defaultValue = "1d", description = SINCE) String since,
            @Option(names = "--limit", paramLabel = "N", defaultValue = "20",
                    description = "Most tenants to list. Default: ${DEFAULT-VALUE}.") int limit) {
        if (limit < 1) {
            throw CommandFailure.usage("--limit " + limit + ": must be 1 or more");
        }
        Recording recording = read(common, since);
        List<Recording.Sender> senders = recording.senders().stream().limit(limit).toList();
        long millis = recording.millis();
        common.printer().result(() -> senders.stream().map(sender -> fields(sender, millis)).toList(), printer ->
                printer.table(Stream.concat(
                        Stream.of(List.of("TENANT", "ITEMS", "PER SECOND", "MOST", "SECOND", "MINUTE", "SPREAD OVER")),
                        senders.stream().map(sender -> row(sender, millis)))));
    }

    private static Map<String, Object> fields(Recording.Sender sender, long millis) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("tenant", sender.tenant());
        fields.put("items", sender.items());
        fields.put("perSecond", sender.perSecond());
        fields.put("mostInASecond", sender.mostInASecond());
        fields.put("second", sender.second());
        fields.put("shareOfSecond", sender.shareOfSecond());
        fields.put("minute", sender.minute());
        fields.put("shareOfMinute", sender.shareOfMinute());
        fields.put("spreadOver", sender.within(millis));
        return fields;
    }

    private static List<String> row(Recording.Sender sender, long millis) {
        return List.of(sender.tenant(), Long.toString(sender.items()),
                String.format(Locale.ROOT, "%.2f", sender.perSecond()), Long.toString(sender.mostInASecond()),
                String.format(Locale.ROOT, ":%02d %.0f %%", sender.second(), 100 * sender.shareOfSecond()),
                String.format(Locale.ROOT, "%02d: %.0f %%", sender.minute(), 100 * sender.shareOfMinute()),
                sender.within(millis).isEmpty() ? "-" : sender.within(millis));
    }

    private static Recording read(CommonOptions common, String since) {
        long nowMillis = common.clock().millis();
        long sinceMillis = Inputs.millisOf("--since", since, nowMillis);
        Configuration configuration = common.configurationWithTrail("Finished items");
        Recording recording = new Recording(sinceMillis, nowMillis);
        ScanProgress progress = new ScanProgress(common.clock(), common.printer()::note);
        try (Census census = new Census(configuration, common.clock(), OptionalLong.of(sinceMillis))) {
            census.forEachOnTrail(item -> {
                progress.passed(item.topic(), item.partition());
                add(item, recording);
            });
        }
        if (recording.outside() > 0) {
            common.printer().note(Printer.count(recording.outside(), "finished item")
                    + " left out: not enqueued in this time.");
        }
        return recording;
    }

    /** One without a handling time was not handled: its subscriptions got it, or it was dropped. */
    private static void add(StoredItem item, Recording recording) {
        OptionalLong took = item.number(ItemHeaders.TOOK);
        OptionalLong atMillis = item.enqueuedAtMillis();
        if (item.place() == ItemState.DONE && took.isPresent() && atMillis.isPresent()) {
            recording.add(atMillis.getAsLong(), item.owner(), took.getAsLong());
        }
    }
}
