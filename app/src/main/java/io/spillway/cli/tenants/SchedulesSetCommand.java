package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.schedule.MissedTimes;
import io.spillway.core.settings.Durations;
import io.spillway.core.text.Printable;
import io.spillway.cron.CronExpressions;
import io.spillway.kafka.view.StoredSchedule;
import io.spillway.operator.Inputs;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway schedules set}. */
@Command(name = "set", footer = {
    "  spillway schedules set nightly --tenant acme --cron @daily --workload mail",
    "  spillway schedules set poll --tenant acme --every 10m --missed skip"
}, description = {
    "Adds a schedule, or replaces one: options that are not given have their defaults.",
    "A new one begins now. One whose times do not change keeps its progress, so that no time is lost or fired twice."
})
final class SchedulesSetCommand implements Runnable {
    @Mixin
    private CommonOptions common;

    @Parameters(paramLabel = "NAME", description = SchedulesCommand.NAME)
    private String name;

    @Option(names = "--tenant", paramLabel = "T", required = true, description = SchedulesCommand.TENANT)
    private String tenant;

    @ArgGroup(multiplicity = "1")
    private When when;

    @Option(names = "--zone", paramLabel = "ZONE", defaultValue = "UTC",
            description = "Time zone of the cron expression, such as Europe/Berlin. Default: ${DEFAULT-VALUE}.")
    private String zone;

    @ArgGroup
    private Payload payload;

    @Option(names = "--content-type", paramLabel = "TYPE", defaultValue = "application/octet-stream",
            description = "Media type of the payload. Default: ${DEFAULT-VALUE}.")
    private String contentType;

    @Option(names = "--workload", paramLabel = "W", defaultValue = "",
            description = "Workload of the items. Default: none.")
    private String workload;

    @Option(names = "--priority", paramLabel = "N", defaultValue = "" + ItemLimits.NORMAL_PRIORITY,
            description = "Urgency of the items within their workload, 0 to 9. Default: ${DEFAULT-VALUE}.")
    private int priority;

    @Option(names = "--within", paramLabel = "TIME", description = "Spreads the first attempts over this time after "
            + "each time of the schedule; each item has its own place. Default: at once.")
    private String within;

    @Option(names = "--missed", paramLabel = "RULE", defaultValue = "last", description = "Times at which no router "
            + "ran, more than a minute ago: skip, last (one item for all of them) or all (up to 14 days back). "
            + "Default: ${DEFAULT-VALUE}.")
    private MissedTimes missed;

    private static final class When {
        @Option(names = "--cron", paramLabel = "EXPR", required = true, description = "Minute, hour, day of the "
                + "month, month and day of the week, such as '0 2 * * 1-5'; or @hourly, @daily, @weekly, @monthly or "
                + "@yearly.")
        private String cron;

        @Option(names = "--every", paramLabel = "TIME", required = true, description = "Period of 1s or more, whose "
                + "multiples since 1970 in UTC are the times: every 10m is at :00, :10 and so on.")
        private String every;
    }

    private static final class Payload {
        @Option(names = "--payload", paramLabel = "TEXT", description = "Payload of each item. Default: empty.")
        private String text;

        @Option(names = "--payload-file", paramLabel = "F", description = "File with the payload, at most 64 KiB.")
        private Path file;
    }

    @Override
    public void run() {
        Inputs.requireName("--tenant", tenant);
        Inputs.requireName("NAME", name);
        Inputs.requireRange("--priority", priority, 0, ItemLimits.MAX_PRIORITY, "");
        if (!workload.isEmpty()) {
            Inputs.requireName("--workload", workload);
        }
        long withinMillis = within == null ? 0 : Inputs.durationMillis("--within", within, ItemLimits.MAX_AHEAD_MILLIS);
        long nowMillis = common.clock().millis();
        StoredSchedule schedule;
        OptionalLong next;
        try {
            schedule = new StoredSchedule(tenant, name, timing(), missed, withinMillis,
                    new StoredSchedule.Content(workload, priority, contentType, payload()));
            next = CronExpressions.timesOf(schedule.timing()).after(nowMillis);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(e.getMessage());
        }
        String first = Inputs.iso(next.orElseThrow(() -> CommandFailure.usage("--cron " + Printable.of(when.cron)
                + ": has no time")));
        ActionRun run = ActionRun.with(common, topics -> List.of(topics.schedules()));
        StoredSchedule.All all = run.read(run.names().schedules(), new StoredSchedule.All());
        int most = StoredSchedule.MOST_OF_TENANT;
        if (!all.contains(schedule.key()) && (all.size() >= StoredSchedule.MOST
                || all.of(Optional.of(tenant)).size() >= most)) {
            throw CommandFailure.failed("There are too many schedules: at most " + most + " of a tenant and "
                    + StoredSchedule.MOST + " in all. Remove some with: spillway schedules remove");
        }
        run.write(run.names().schedules(), Map.of(schedule.key(), schedule.encode()));
        String times = Printable.of(schedule.timing().text());
        String sentence = "Set the schedule " + name + " of " + tenant + ": " + times + ". Next: " + first + ".";
        run.record("schedules set", tenant, Map.of("name", name, "times", times, "missed", missed.label(),
                "within", Durations.format(withinMillis)), sentence);
        common.printer().result(Map.of("tenant", tenant, "name", name, "times", times, "next", first), sentence);
    }

    private StoredSchedule.Timing timing() {
        return when.cron != null
                ? new StoredSchedule.Timing(when.cron, zone, 0)
                : new StoredSchedule.Timing("", "UTC",
                        Inputs.durationMillis("--every", when.every, StoredSchedule.MOST_PERIOD_MILLIS));
    }

    private byte[] payload() {
        if (payload == null) {
            return new byte[0];
        }
        try (InputStream in = payload.text != null
                ? new ByteArrayInputStream(payload.text.getBytes(StandardCharsets.UTF_8))
                : Files.newInputStream(payload.file)) {
            byte[] bytes = in.readNBytes(StoredSchedule.MAX_PAYLOAD_BYTES + 1);
            if (bytes.length > StoredSchedule.MAX_PAYLOAD_BYTES) {
                throw CommandFailure.usage("The payload must have at most 64 KiB");
            }
            return bytes;
        } catch (IOException e) {
            throw CommandFailure.usage("--payload-file " + Printable.of(payload.file.toString()) + ": cannot be read");
        }
    }
}
