package io.spillway.cli.system;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import io.spillway.audit.Audit;
import io.spillway.audit.Census;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.AuditedTenant;
import io.spillway.kafka.codec.LedgerOwner;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code spillway audit}: whether the books balance. */
@Command(
        name = "audit",
        mixinStandardHelpOptions = true,
        description = {
            "Proves the books: for each tenant accepted = waiting + done + dropped + dead-lettered, and what waits by the books lies in the lanes.",
            "It reads the books, counts every item where it lies, and reads the books again; while items move a place may hold a range.",
            "Ends with 1 when anything is off. It changes nothing; what it holds in memory grows with the tenants and the timers of a partition."
        })
public final class AuditCommand implements Callable<Integer> {
    private static final int MOST_LISTED = 1_000;

    private final InstantSource clock = InstantSource.system();

    @Mixin
    private CommonOptions common;

    @Override
    public Integer call() {
        Configuration configuration = common.configurationWithLedger();
        List<AuditedTenant> audited;
        try (Census census = new Census(configuration, clock)) {
            audited = Audit.confirmed(census);
        }
        List<AuditedTenant> off = audited.stream().filter(tenant -> !tenant.findings().isEmpty()).toList();
        Report report = Report.of(audited, off);
        Printer printer = common.printer();
        if (common.isJson()) {
            printer.json(report);
        } else {
            report.print(printer, audited);
        }
        if (!off.isEmpty()) {
            throw CommandFailure.failed("the books of " + off.size() + " of " + audited.size() + " tenants are off");
        }
        return 0;
    }

    /**
     * What came of it.
     *
     * @param moving items of so many tenants moved meanwhile
     * @param places items in each place by the books, by its label
     * @param off    what is off, of the first tenants
     */
    private record Report(
            boolean balanced, int tenants, long moving, long accepted, @JsonAnyGetter Map<String, Long> places,
            int offTenants, List<Off> off) {
        static Report of(List<AuditedTenant> audited, List<AuditedTenant> off) {
            Map<String, Long> places = new LinkedHashMap<>();
            for (ItemState place : ItemState.values()) {
                if (place != ItemState.OUTSIDE) {
                    places.put(place.label(), sum(audited, tenant -> tenant.after().in(place)));
                }
            }
            return new Report(
                    off.isEmpty(), audited.size(), audited.stream().filter(AuditedTenant::isMoving).count(),
                    sum(audited, tenant -> tenant.after().accepted()), places, off.size(),
                    off.stream().limit(MOST_LISTED)
                            .flatMap(tenant -> tenant.findings().stream().map(finding -> Off.of(tenant.tenant(), finding)))
                            .toList());
        }

        void print(Printer printer, List<AuditedTenant> audited) {
            Map<String, Long> counted = new HashMap<>();
            AuditedTenant.COUNTED.forEach(
                    place -> counted.put(place.label(), sum(audited, tenant -> tenant.counted(place))));
            printer.table(List.of("", "books", "counted"), Stream.concat(
                    Stream.of(List.of("accepted", accepted, "")),
                    places.entrySet().stream().map(each -> List.of("  " + each.getKey(), each.getValue(),
                            Optional.<Object>ofNullable(counted.get(each.getKey())).orElse("")))));
            printer.line("");
            if (moving > 0) {
                printer.line("items of " + moving
                        + " tenants moved meanwhile: what they have in a place is known as a range");
            }
            if (balanced) {
                printer.line("the books of " + tenants + " tenants balance");
                return;
            }
            printer.line("off for " + offTenants + " of " + tenants + " tenants"
                    + (offTenants > MOST_LISTED ? " (the first " + MOST_LISTED + " by name)" : "") + ":");
            printer.table(List.of("tenant", "place", "by the books", "counted", ""), off.stream().map(each -> List.of(
                    each.tenant(), each.place(), each.range(), each.counted(),
                    each.tenant().equals(LedgerOwner.NOBODY) ? "(cannot be read as anybody's)" : "")));
        }
    }

    /** A place where the books and the items of a tenant do not agree. */
    private record Off(String tenant, String place, long least, long most, long counted) {
        static Off of(String tenant, AuditedTenant.Finding finding) {
            return new Off(
                    tenant, finding.place() == ItemState.OUTSIDE ? "accepted and nowhere" : finding.place().label(),
                    finding.least(), finding.most(), finding.counted());
        }

        String range() {
            return least == most ? Long.toString(most) : least + " to " + most;
        }
    }

    private static long sum(List<AuditedTenant> audited, ToLongFunction<AuditedTenant> figure) {
        return audited.stream().mapToLong(figure).sum();
    }
}
