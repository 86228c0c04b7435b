package io.spillway.cli.system;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.spillway.audit.Census;
import io.spillway.audit.StoredItem;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.DurationText;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.operator.Inputs;
import io.spillway.operator.report.DepthsQuery;
import io.spillway.operator.report.QueueReader;
import io.spillway.operator.report.QueueState;
import io.spillway.operator.report.SourceState;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway depth}: backlogs with their ages and drain forecasts. */
@Command(name = "depth", footer = {
    "  spillway depth --limit 5",
    "  spillway depth --tenant acme --output json"
}, description = {
    "Shows the waiting items of each lane and tenant, the age of the oldest, and the time until what waits for a "
            + "worker is gone at current rates. Items in delay wait for their time, and have no such forecast.",
    "The numbers come from the ledger and are about a second old. For the ages it reads all waiting items, "
            + "which takes long with a large backlog. Omit the ages with --no-ages. Items whose producer wants them "
            + "later (deliver-at) age from then on; until then they are counted apart, with the time of the last."
})
public final class DepthCommand implements Runnable {
    @Mixin
    private CommonOptions common;

    @Option(names = "--tenant", paramLabel = "T", description = "Show only this tenant, or with " + LedgerOwner.NONE
            + " items whose tenant cannot be read.")
    private String tenant;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "20",
            description = "Number of tenants shown, those with the deepest backlogs. Default: ${DEFAULT-VALUE}.")
    private int limit;

    @Option(names = "--no-ages", description = "Do not determine the ages of the oldest items.")
    private boolean withoutAges;

    /** Depth of a lane; the age is null if nothing waits in it, or with --no-ages. */
    private record LaneDepth(long waiting, Double oldestAgeSeconds) {}

    /**
     * Depth of a tenant.
     *
     * @param scheduled    items whose producer wants them later than now; 0 with --no-ages
     * @param lastDueAt    time of the last of these, in ISO 8601; null if there are none
     */
    private record TenantDepth(
            @JsonUnwrapped @JsonIgnoreProperties({"late", "paused"}) QueueState.Tenant state, long accepted, long done,
            long dropped, Double oldestAgeSeconds, long scheduled, String lastDueAt) {
        static TenantDepth of(QueueState.Tenant state, TenantBalance balance, Ages ages, long nowMillis) {
            return new TenantDepth(
                    state, balance.accepted(), balance.in(ItemState.DONE), balance.in(ItemState.DROPPED),
                    ageSeconds(ages.oldestMillis == Long.MAX_VALUE ? null : ages.oldestMillis, nowMillis),
                    ages.scheduled, ages.scheduled == 0 ? null : Inputs.iso(ages.lastDueMillis));
        }
    }

    /** Ages of a tenant's items: the time since which the oldest is to be handled, and what is scheduled for later. */
    private static final class Ages {
        private static final Ages NONE = new Ages();
        private long oldestMillis = Long.MAX_VALUE;
        private long scheduled;
        private long lastDueMillis;
    }

    /** Lanes by name, the tenants with the most waiting items, and the sources of the configuration. */
    private record Report(
            Map<String, LaneDepth> lanes, long waitingTenants, List<TenantDepth> tenants, List<SourceState> sources) {}

    @Override
    public void run() {
        if (tenant != null) {
            Inputs.requireOwner("--tenant", tenant);
        }
        Inputs.requireRange("--limit", limit, 1, 100_000, "");
        Configuration configuration = common.configurationWithLedger();
        Report report;
        try (QueueReader reader = new QueueReader(configuration, common.clock(), false)) {
            report = report(configuration, reader);
        }
        common.printer().result(() -> report, printer -> print(report, printer));
    }

    private Report report(Configuration configuration, QueueReader reader) {
        QueueState state = reader.state(new DepthsQuery(DepthsQuery.Sort.WAITING, false, "", 0, limit));
        List<QueueState.Tenant> rows = tenant != null ? reader.tenant(tenant).stream().toList()
                : state.tenants().stream().filter(row -> row.waiting() > 0).toList();
        Map<String, Ages> ofTenant = new HashMap<>();
        Map<ItemState, Long> oldestInLane = new EnumMap<>(ItemState.class);
        if (!withoutAges) {
            try (Census census = new Census(configuration, common.clock())) {
                census.forEach(false, item -> {
                    if (ItemState.WAITING.contains(item.place()) && (tenant == null || tenant.equals(item.owner()))) {
                        add(item, ofTenant.computeIfAbsent(item.owner(), name -> new Ages()), oldestInLane);
                    }
                });
            }
        }
        long nowMillis = common.clock().millis();
        Map<String, LaneDepth> lanes = new LinkedHashMap<>();
        ItemState.WAITING.forEach(lane -> lanes.put(lane.label(), new LaneDepth(
                Math.max(0, tenant == null ? reader.depths().in(lane) : balance(reader, tenant).in(lane)),
                ageSeconds(oldestInLane.get(lane), nowMillis))));
        return new Report(
                lanes,
                tenant == null ? state.tenantsWaiting() : rows.stream().filter(row -> row.waiting() > 0).count(),
                rows.stream().map(row -> TenantDepth.of(
                        row, balance(reader, row.tenant()), ofTenant.getOrDefault(row.tenant(), Ages.NONE), nowMillis))
                        .toList(),
                tenant == null ? reader.sources() : List.of());
    }

    private static TenantBalance balance(QueueReader reader, String tenant) {
        return reader.depths().of(tenant).map(Depth::balance).orElse(TenantBalance.EMPTY);
    }

    private void add(StoredItem item, Ages ages, Map<ItemState, Long> oldestInLane) {
        if (!(item.reading() instanceof ParsedRecord.Item read)) {
            return;
        }
        if (read.deliverAtMillis() > common.clock().millis()) {
            ages.scheduled++;
            ages.lastDueMillis = Math.max(ages.lastDueMillis, read.deliverAtMillis());
        } else {
            long sinceMillis = Math.max(read.enqueuedAtMillis(), read.deliverAtMillis());
            ages.oldestMillis = Math.min(ages.oldestMillis, sinceMillis);
            oldestInLane.merge(item.place(), sinceMillis, Math::min);
        }
    }

    private void print(Report report, Printer printer) {
        printer.table(List.of("lane", "waiting", "oldest"), report.lanes().entrySet().stream().map(lane ->
                List.of(lane.getKey(), lane.getValue().waiting(), age(lane.getValue().oldestAgeSeconds()))));
        printer.line("");
        if (!report.sources().isEmpty()) {
            printer.table(List.of("source", "not routed", "problem"), report.sources().stream().map(source -> List.of(
                    source.name(), source.lag(), source.problem() == null ? "" : source.problem())));
            printer.line("");
        }
        if (report.tenants().isEmpty()) {
            printer.line(tenant == null ? "No items are waiting." : tenant + " has never had an item, or none for"
                    + " longer than router.forgetTenantsAfter.");
            return;
        }
        printer.table(
                List.of("tenant", "waiting", "hot", "overflow", "aged", "delay", "in/s", "out/s", "oldest",
                        "drained in"),
                report.tenants().stream().map(row -> List.of(
                        row.state().tenant(), row.state().waiting(), row.state().hot(), row.state().overflow(),
                        row.state().aged(), row.state().delay(), rate(row.state().inPerSecond()),
                        rate(row.state().outPerSecond()), age(row.oldestAgeSeconds()),
                        drain(row.state().drainSeconds()))));
        report.tenants().stream().filter(row -> row.scheduled() > 0).forEach(row -> printer.line(
                row.state().tenant() + ": " + Printer.count(row.scheduled(), "item")
                        + " scheduled for later, the last for " + row.lastDueAt() + "."));
        long more = report.waitingTenants() - report.tenants().size();
        if (more > 0) {
            printer.line(Printer.count(more, "more tenant") + " not shown. Use --limit to list more.");
        }
    }

    private static String drain(Double seconds) {
        return seconds == null ? "never" : seconds == 0 ? "" : age(seconds);
    }

    private static String rate(double perSecond) {
        return String.format(Locale.ROOT, "%.1f", perSecond);
    }

    private static Double ageSeconds(Long sinceMillis, long nowMillis) {
        return sinceMillis == null ? null : Math.max(0, nowMillis - sinceMillis) / 1e3;
    }

    /** Returns the two largest units, such as {@code 2h 5m}; empty for null. */
    private static String age(Double seconds) {
        return seconds == null ? "" : DurationText.compact(seconds);
    }
}
