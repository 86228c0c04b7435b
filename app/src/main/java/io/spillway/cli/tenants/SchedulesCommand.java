package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.settings.Durations;
import io.spillway.core.text.Printable;
import io.spillway.cron.CronExpressions;
import io.spillway.kafka.view.ScheduleTimes;
import io.spillway.kafka.view.StoredSchedule;
import io.spillway.operator.Inputs;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway schedules}: items of tenants that come again and again. */
@Command(name = "schedules", description = {
    "Lists and changes the schedules of tenants, without a restart: the router sends an item at each time of a "
            + "schedule, exactly once.",
    "The id of an item is NAME@TIME, with the time in UTC."
}, subcommands = SchedulesSetCommand.class)
public final class SchedulesCommand {
    static final String NAME = "Name of the schedule within its tenant.";
    static final String TENANT = "Tenant of the schedule.";

    @Command(name = "list", footer = "  spillway schedules list --tenant acme --output json", description = {
        "Lists schedules, with the time of the last item and the next time.",
        "The router writes both. Of a schedule that no router has read yet, the next time is computed."
    })
    void list(
            @Mixin CommonOptions common,
            @Option(names = "--tenant", paramLabel = "T", description = "Only those of this tenant.") String tenant) {
        Optional<String> wanted = Optional.ofNullable(tenant);
        wanted.ifPresent(name -> Inputs.requireName("--tenant", name));
        ActionRun run = ActionRun.reading(
                common, topics -> List.of(topics.schedules(), topics.schedulesChangelog()));
        StoredSchedule.All all = run.read(run.names().schedules(), new StoredSchedule.All());
        ScheduleTimes.All times = run.read(run.names().schedulesChangelog(), new ScheduleTimes.All());
        List<Map<String, Object>> rows = all.of(wanted).values().stream()
                .map(schedule -> row(schedule, times.of(schedule.key()), common.clock().millis())).toList();
        common.printer().result(() -> rows, printer -> {
            if (rows.isEmpty()) {
                printer.line(wanted.orElse("No tenant") + " has " + (wanted.isPresent() ? "no" : "a") + " schedule.");
            }
            printer.table(rows.stream().map(row -> List.of(row.get("tenant").toString(), row.get("name").toString(),
                    row.get("times").toString(), "last " + row.get("last"), "next " + row.get("next"))));
        });
    }

    private static Map<String, Object> row(StoredSchedule schedule, Optional<ScheduleTimes> times, long nowMillis) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("tenant", schedule.tenant());
        row.put("name", schedule.name());
        row.put("times", Printable.of(schedule.timing().text()));
        row.put("missed", schedule.missed().label());
        row.put("within", Durations.format(schedule.withinMillis()));
        row.put("workload", schedule.content().workload());
        row.put("priority", schedule.content().priority());
        row.put("payloadBytes", schedule.content().payload().length);
        row.put("last", times.filter(known -> known.firedMillis() > 0)
                .map(known -> Inputs.iso(known.firedMillis())).orElse("never"));
        row.put("next", times.map(known -> next(known.nextMillis()))
                .orElseGet(() -> next(
                        CronExpressions.timesOf(schedule.timing()).after(nowMillis).orElse(Long.MAX_VALUE))));
        return row;
    }

    private static String next(long millis) {
        return millis == Long.MAX_VALUE ? "never" : Inputs.iso(millis);
    }

    @Command(name = "remove", footer = "  spillway schedules remove nightly --tenant acme",
            description = "Removes a schedule. Items that it has sent stay; spillway cancel drops those that wait.")
    void remove(
            @Mixin CommonOptions common, @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Option(names = "--tenant", paramLabel = "T", required = true, description = TENANT) String tenant) {
        ActionRun run = ActionRun.with(common, topics -> List.of(topics.schedules()));
        String key = StoredSchedule.key(tenant, name);
        if (!run.read(run.names().schedules(), new StoredSchedule.All()).contains(key)) {
            throw CommandFailure.failed("There is no schedule " + Printable.of(name) + " of " + Printable.of(tenant)
                    + ". See: spillway schedules list");
        }
        run.write(run.names().schedules(), Collections.singletonMap(key, null));
        String sentence = "Removed the schedule " + name + " of " + tenant + ".";
        run.record("schedules remove", tenant, Map.of("name", name), sentence);
        common.printer().result(Map.of("tenant", tenant, "name", name, "removed", true), sentence);
    }
}
