package io.spillway.cli;

import io.spillway.audit.BookReading;
import io.spillway.audit.Census;
import io.spillway.config.Configuration;
import io.spillway.policy.Depth;
import io.spillway.policy.Drain;
import io.spillway.policy.FlowRates;
import io.spillway.policy.Place;
import io.spillway.policy.TenantBooks;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code spillway depth}: what waits, for how long it has waited, and when it will be gone. */
@Command(
        name = "depth",
        mixinStandardHelpOptions = true,
        description = {
            "Shows what waits in each lane and of each tenant by the books, the age of the oldest item, and when it is gone at the present rates.",
            "The books are about a second old. For the ages it reads all that waits, which takes its time with a large backlog: --no-ages leaves them out."
        })
final class DepthCommand implements Callable<Integer> {
    private final InstantSource clock = InstantSource.system();

    @Mixin
    private CommonOptions common;

    @Option(names = "--tenant", paramLabel = "T", description = "of this tenant only")
    private String tenant;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "20", description = "tenants shown, the deepest (default: ${DEFAULT-VALUE})")
    private int limit;

    @Option(names = "--no-ages", description = "do not look for the oldest items")
    private boolean withoutAges;

    @Spec
    private CommandSpec spec;

    /** What is known of one tenant, or of all. */
    private record Row(String tenant, TenantBooks books, FlowRates rates, Drain drain, OptionalLong oldestMillis) {}

    @Override
    public Integer call() {
        if (tenant != null) {
            TenantsIsolateCommand.requireOneTenant(tenant);
        }
        if (limit < 1 || limit > 100_000) {
            throw CommandFailure.usage("--limit " + limit + ": must be 1 to 100000");
        }
        Configuration configuration = common.configurationWithCluster(AuditCommand::needed);
        Map<String, Depth> depths = new HashMap<>();
        Map<String, Long> oldestOfTenant = new HashMap<>();
        Map<Place, Long> oldestInLane = new EnumMap<>(Place.class);
        try (Census census = new Census(configuration, clock)) {
            BookReading.depths(census).forEach(depths::put);
            if (!withoutAges) {
                census.forEach(false, item -> {
                    if (Place.WAITING.contains(item.place()) && (tenant == null || tenant.equals(item.owner()))) {
                        item.enqueuedAtMillis().ifPresent(atMillis -> {
                            oldestOfTenant.merge(item.owner(), atMillis, Math::min);
                            oldestInLane.merge(item.place(), atMillis, Math::min);
                        });
                    }
                });
            }
        }
        if (tenant != null) {
            depths.keySet().retainAll(List.of(tenant));
        }
        long nowMillis = clock.millis();
        List<Row> rows = depths.entrySet().stream()
                .map(entry -> row(entry.getKey(), entry.getValue(), oldestOfTenant, nowMillis))
                .filter(row -> tenant != null || row.books().waiting() > 0)
                .sorted(Comparator.<Row>comparingLong(row -> -row.books().waiting()).thenComparing(Row::tenant))
                .toList();
        if (common.isJson()) {
            new Printer(spec, common).json(json(rows, oldestInLane, nowMillis));
        } else {
            print(rows, oldestInLane, nowMillis);
        }
        return 0;
    }

    private static Row row(String name, Depth depth, Map<String, Long> oldest, long nowMillis) {
        Long oldestMillis = oldest.get(name);
        return new Row(name, depth.books(), depth.rates().at(nowMillis), depth.drain(nowMillis),
                oldestMillis == null ? OptionalLong.empty() : OptionalLong.of(oldestMillis));
    }

    private Map<String, Object> json(List<Row> rows, Map<Place, Long> oldestInLane, long nowMillis) {
        Map<String, Object> result = new LinkedHashMap<>();
        Map<String, Object> lanes = new LinkedHashMap<>();
        for (Place lane : Place.WAITING) {
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("waiting", waiting(rows, lane));
            if (oldestInLane.containsKey(lane)) {
                figures.put("oldestAgeSeconds", seconds(nowMillis - oldestInLane.get(lane)));
            }
            lanes.put(lane.label(), figures);
        }
        result.put("lanes", lanes);
        result.put("waitingTenants", rows.stream().filter(row -> row.books().waiting() > 0).count());
        result.put("tenants", rows.stream().limit(limit).map(row -> json(row, nowMillis)).toList());
        return result;
    }

    private static Map<String, Object> json(Row row, long nowMillis) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("tenant", row.tenant());
        figures.put("waiting", row.books().waiting());
        Place.WAITING.forEach(lane -> figures.put(lane.label(), row.books().in(lane)));
        figures.put("accepted", row.books().accepted());
        figures.put("done", row.books().in(Place.DONE));
        figures.put("dropped", row.books().in(Place.DROPPED));
        figures.put("deadLettered", row.books().in(Place.DEAD_LETTER));
        figures.put("inPerSecond", row.rates().inPerSecond());
        figures.put("outPerSecond", row.rates().outPerSecond());
        row.oldestMillis().ifPresent(atMillis -> figures.put("oldestAgeSeconds", seconds(nowMillis - atMillis)));
        // JSON has no infinity.
        figures.put("drainSeconds", row.drain() instanceof Drain.Never ? "never" : row.drain().seconds());
        return figures;
    }

    private void print(List<Row> rows, Map<Place, Long> oldestInLane, long nowMillis) {
        Printer printer = new Printer(spec, common);
        List<List<String>> lanes = new ArrayList<>();
        lanes.add(List.of("lane", "waiting", "oldest"));
        Place.WAITING.forEach(lane -> lanes.add(List.of(lane.label(), Long.toString(waiting(rows, lane)),
                oldestInLane.containsKey(lane) ? age(nowMillis - oldestInLane.get(lane)) : "")));
        printer.table(lanes);
        printer.line("");
        if (rows.isEmpty()) {
            printer.line(tenant == null ? "nothing waits" : tenant + " has never had an item");
            return;
        }
        List<List<String>> tenants = new ArrayList<>();
        tenants.add(List.of("tenant", "waiting", "hot", "overflow", "aged", "delay", "in/s", "out/s", "oldest", "gone in"));
        rows.stream().limit(limit).forEach(row -> tenants.add(List.of(
                row.tenant(), Long.toString(row.books().waiting()), in(row, Place.HOT), in(row, Place.OVERFLOW),
                in(row, Place.AGED), in(row, Place.DELAY), rate(row.rates().inPerSecond()), rate(row.rates().outPerSecond()),
                row.oldestMillis().isPresent() ? age(nowMillis - row.oldestMillis().getAsLong()) : "", goneIn(row.drain()))));
        printer.table(tenants);
        if (rows.size() > limit) {
            printer.line((rows.size() - limit) + " more tenants; --limit shows more of them");
        }
    }

    private static long waiting(List<Row> rows, Place lane) {
        return rows.stream().mapToLong(row -> row.books().in(lane)).sum();
    }

    private static String in(Row row, Place lane) {
        return Long.toString(row.books().in(lane));
    }

    private static String rate(double perSecond) {
        return "%.1f".formatted(perSecond);
    }

    private static String goneIn(Drain drain) {
        return switch (drain) {
            case Drain.Gone gone -> "";
            case Drain.After after -> age((long) Math.ceil(after.seconds() * 1e3));
            case Drain.Never never -> "never";
        };
    }

    private static double seconds(long millis) {
        return Math.max(0, millis) / 1e3;
    }

    /** In the two largest units, such as {@code 2h 5m}. */
    private static String age(long millis) {
        Duration age = Duration.ofMillis(Math.max(0, millis));
        if (age.toDays() > 0) {
            return age.toDays() + "d " + age.toHoursPart() + "h";
        }
        if (age.toHours() > 0) {
            return age.toHours() + "h " + age.toMinutesPart() + "m";
        }
        return age.toMinutes() > 0
                ? age.toMinutes() + "m " + age.toSecondsPart() + "s"
                : "%.1fs".formatted(age.toMillis() / 1e3);
    }
}
