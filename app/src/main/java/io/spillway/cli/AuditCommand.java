package io.spillway.cli;

import io.spillway.audit.Audit;
import io.spillway.audit.Census;
import io.spillway.config.Configuration;
import io.spillway.policy.AuditedTenant;
import io.spillway.policy.AuditedTenant.Finding;
import io.spillway.policy.Lane;
import io.spillway.policy.Place;
import io.spillway.topic.BookOwner;
import io.spillway.topic.Topics;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code spillway audit}: whether the books balance. */
@Command(
        name = "audit",
        mixinStandardHelpOptions = true,
        description = {
            "Proves the books: for each tenant accepted = waiting + done + dropped + dead-lettered, and what waits by the books lies in the lanes.",
            "It reads the books, counts every item where it lies, and reads the books again; while items move a place may hold a range.",
            "Ends with 1 when anything is off. It changes nothing; what it holds in memory grows with the tenants and the timers of a partition."
        })
final class AuditCommand implements Callable<Integer> {
    /** An item may be seen in the moment between two markers of its transaction: what is off must be off again. */
    private static final int MOST_LOOKS = 3;
    private static final int MOST_LISTED = 1_000;

    private final InstantSource clock = InstantSource.system();

    @Mixin
    private CommonOptions common;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        Configuration configuration = common.configurationWithCluster(AuditCommand::needed);
        List<AuditedTenant> audited;
        try (Census census = new Census(configuration, clock)) {
            audited = audit(census);
        }
        List<AuditedTenant> off = audited.stream().filter(tenant -> !tenant.findings().isEmpty()).toList();
        if (common.isJson()) {
            new Printer(spec, common).json(json(audited, off));
        } else {
            print(audited, off);
        }
        if (!off.isEmpty()) {
            throw CommandFailure.failed("the books of " + off.size() + " of " + audited.size() + " tenants are off");
        }
        return 0;
    }

    /** Looks again when something is off. */
    static List<AuditedTenant> audit(Census census) {
        List<AuditedTenant> audited = Audit.of(census);
        for (int look = 1; look < MOST_LOOKS && isOff(audited); look++) {
            audited = Audit.of(census);
        }
        return audited;
    }

    static List<String> needed(Topics topics) {
        return List.of(topics.depths(), topics.ledger(), topics.timersChangelog(), topics.lane(Lane.HOT));
    }

    private static boolean isOff(List<AuditedTenant> audited) {
        return audited.stream().anyMatch(tenant -> !tenant.findings().isEmpty());
    }

    private static Map<String, Object> json(List<AuditedTenant> audited, List<AuditedTenant> off) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("balanced", off.isEmpty());
        result.put("tenants", audited.size());
        result.put("moving", audited.stream().filter(AuditedTenant::isMoving).count());
        result.put("accepted", sum(audited, tenant -> tenant.after().accepted()));
        for (Place place : Place.values()) {
            if (place != Place.OUTSIDE) {
                result.put(place.label(), sum(audited, tenant -> tenant.after().in(place)));
            }
        }
        result.put("offTenants", off.size());
        result.put("off", off.stream().limit(MOST_LISTED).flatMap(tenant -> tenant.findings().stream()
                .map(finding -> Map.of(
                        "tenant", tenant.tenant(), "place", placeOf(finding), "least", finding.least(), "most", finding.most(),
                        "counted", finding.counted()))).toList());
        return result;
    }

    private void print(List<AuditedTenant> audited, List<AuditedTenant> off) {
        Printer printer = new Printer(spec, common);
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("", "books", "counted"));
        rows.add(List.of("accepted", Long.toString(sum(audited, tenant -> tenant.after().accepted())), ""));
        for (Place place : Place.values()) {
            if (place != Place.OUTSIDE) {
                rows.add(List.of(
                        "  " + place.label(), Long.toString(sum(audited, tenant -> tenant.after().in(place))),
                        AuditedTenant.COUNTED.contains(place) ? Long.toString(sum(audited, tenant -> tenant.counted(place))) : ""));
            }
        }
        printer.table(rows);
        long moving = audited.stream().filter(AuditedTenant::isMoving).count();
        printer.line("");
        if (moving > 0) {
            printer.line("items of " + moving + " tenants moved meanwhile: what they have in a place is known as a range");
        }
        if (off.isEmpty()) {
            printer.line("the books of " + audited.size() + " tenants balance");
            return;
        }
        printer.line("off for " + off.size() + " of " + audited.size() + " tenants"
                + (off.size() > MOST_LISTED ? " (the first " + MOST_LISTED + " by name)" : "") + ":");
        List<List<String>> findings = new ArrayList<>();
        findings.add(List.of("tenant", "place", "by the books", "counted", ""));
        off.stream().limit(MOST_LISTED).forEach(tenant -> tenant.findings().forEach(finding -> findings.add(List.of(
                tenant.tenant(), placeOf(finding), range(finding), Long.toString(finding.counted()),
                tenant.tenant().equals(BookOwner.NOBODY) ? "(cannot be read as anybody's)" : ""))));
        printer.table(findings);
    }

    private static String placeOf(Finding finding) {
        return finding.place() == Place.OUTSIDE ? "accepted and nowhere" : finding.place().label();
    }

    private static String range(Finding finding) {
        return finding.least() == finding.most() ? Long.toString(finding.most()) : finding.least() + " to " + finding.most();
    }

    private static long sum(List<AuditedTenant> audited, ToLongFunction<AuditedTenant> figure) {
        return audited.stream().mapToLong(figure).sum();
    }
}
