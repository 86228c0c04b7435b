package io.spillway.cli.system;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import io.spillway.audit.Audit;
import io.spillway.audit.Census;
import io.spillway.audit.IngressAudit;
import io.spillway.audit.SourceAudit;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.AuditedTenant;
import io.spillway.core.ledger.IngressAccount;
import io.spillway.kafka.codec.LedgerOwner;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway audit}: compares the balances of the ledger with the items in the topics. */
@Command(name = "audit", footer = {"  spillway audit", "  spillway audit --sources"}, description = {
    "Checks the ledger: for each tenant, accepted = waiting + done + dropped + dead-lettered, and the items "
            + "are in the topics; and the routers have passed each offset of ingress once.",
    "It reads the balances, counts the items in all topics, and reads the balances again. While items move, "
            + "a balance is a range. It exits with 1 if something is not correct. It changes nothing, except "
            + "with --accept-ingress. Its memory "
            + "grows with the tenants and the timers of a partition."
})
public final class AuditCommand implements Runnable {
    private static final int MAX_LISTED = 1_000;
    private static final String DEAD_LETTERED = "deadLettered";

    @Mixin
    private CommonOptions common;

    @Option(names = "--sources", description = "Also check that each record of a source's topic that the routers have "
            + "passed is one item. It reads the topics of the sources.")
    private boolean withSources;

    @Option(names = "--accept-ingress", description = "Take what is missing or repeated in ingress as dealt with: later "
            + "audits do not show it. It writes to the ledger.")
    private boolean acceptsIngress;

    @Override
    public void run() {
        Configuration configuration = common.configurationWithLedger();
        List<AuditedTenant> audited;
        List<IngressAudit> ingress;
        List<SourceAudit> sources;
        try (Census census = new Census(configuration, common.clock())) {
            audited = Audit.confirmed(census);
            ingress = IngressAudit.of(census, common.clock().millis());
            sources = withSources ? SourceAudit.of(census, configuration.router().sourcesByName()) : List.of();
        }
        List<AuditedTenant> off = audited.stream().filter(tenant -> !tenant.findings().isEmpty()).toList();
        Report report = Report.of(audited, off, ingress, sources);
        common.printer().result(() -> report, printer -> report.print(printer, audited));
        if (!off.isEmpty()) {
            throw CommandFailure.failed(
                    (off.size() == 1 ? "The balance of 1 of " : "The balances of " + off.size() + " of ")
                            + Printer.count(tenantsIn(audited), "tenant") + (off.size() == 1 ? " is" : " are")
                            + " not correct. See section Audit of docs/operations.md.");
        }
        if (acceptsIngress) {
            IngressAudit.accept(configuration.queue(), ingress, common.clock().millis());
        } else if (!ingress.isEmpty()) {
            throw CommandFailure.failed("Offsets of ingress are missing or repeated in the ledger."
                    + " See section Audit of docs/operations.md.");
        }
        sources.stream().filter(source -> !source.isCorrect().orElse(true)).findFirst().ifPresent(source -> {
            throw CommandFailure.failed("The records of source " + source.source() + (source.isRead()
                    ? " are not one item each. See section Audit of docs/operations.md."
                    : " cannot be read: " + source.problem()));
        });
    }

    /**
     * Result of the audit; its components are the JSON fields.
     *
     * @param moving number of tenants whose items moved during the audit
     * @param places items by the JSON key of their state, according to the ledger
     * @param off    differences of the first tenants
     * @param ingress offsets that are missing or repeated in the ledger
     * @param sources those that were asked for
     */
    private record Report(
            boolean balanced, int tenants, long moving, long accepted, @JsonAnyGetter Map<String, Long> places,
            int offTenants, List<Off> off, List<Passed> ingress, List<Source> sources) {
        static Report of(List<AuditedTenant> audited, List<AuditedTenant> off, List<IngressAudit> ingress,
                List<SourceAudit> sources) {
            Map<String, Long> places = new LinkedHashMap<>();
            for (ItemState state : ItemState.values()) {
                if (state != ItemState.OUTSIDE) {
                    places.put(jsonKey(state), sum(audited, tenant -> tenant.after().in(state)));
                }
            }
            return new Report(
                    off.isEmpty() && ingress.isEmpty()
                            && sources.stream().allMatch(source -> source.isCorrect().orElse(true)),
                    tenantsIn(audited),
                    audited.stream().filter(AuditedTenant::isMoving).count(),
                    sum(audited, tenant -> tenant.after().accepted()), places, off.size(),
                    off.stream().limit(MAX_LISTED)
                            .flatMap(tenant -> tenant.findings().stream()
                                    .map(finding -> Off.of(tenant.tenant(), finding)))
                            .toList(),
                    ingress.stream().map(Passed::of).toList(), sources.stream().map(Source::of).toList());
        }

        void print(Printer printer, List<AuditedTenant> audited) {
            Map<String, Long> counted = new HashMap<>();
            AuditedTenant.COUNTED.forEach(
                    state -> counted.put(jsonKey(state), sum(audited, tenant -> tenant.counted(state))));
            printer.table(List.of("", "ledger", "counted"), Stream.concat(
                    Stream.of(List.of("accepted", accepted, "")),
                    places.entrySet().stream().map(place -> List.of("  " + labelOf(place.getKey()), place.getValue(),
                            Optional.<Object>ofNullable(counted.get(place.getKey())).orElse("")))));
            printer.line("");
            if (!sources.isEmpty()) {
                printer.table(List.of("source", "items", "records", "problem"), sources.stream().map(source ->
                        List.of(source.source(), range(source.least(), source.most()),
                                source.records() == null ? "" : source.records(), source.problem())));
                printer.line("");
            }
            if (moving > 0) {
                printer.line("Items of " + Printer.count(moving, "tenant")
                        + " moved during the audit. Their balances are checked against ranges.");
            }
            ingress.forEach(passed -> passed.print(printer));
            if (offTenants == 0) {
                printer.line(tenants == 1 ? "The balance of 1 tenant is correct."
                        : "The balances of " + Printer.count(tenants, "tenant") + " are correct.");
                return;
            }
            printer.line("Not correct for " + offTenants + " of " + Printer.count(tenants, "tenant")
                    + (offTenants > MAX_LISTED ? " (the first " + MAX_LISTED + " by name)" : "") + ":");
            printer.table(List.of("tenant", "state", "ledger", "counted", ""), off.stream().map(mismatch -> List.of(
                    mismatch.tenant(), mismatch.place(), range(mismatch.least(), mismatch.most()), mismatch.counted(),
                    mismatch.tenant().equals(LedgerOwner.NONE) ? "(items that belong to no tenant)" : "")));
        }
    }

    /** Difference between the ledger and the items of a tenant in one state. */
    private record Off(String tenant, String place, long least, long most, long counted) {
        static Off of(String tenant, AuditedTenant.Finding finding) {
            return new Off(
                    tenant,
                    finding.place() == ItemState.OUTSIDE ? "accepted, but in no topic" : finding.place().label(),
                    finding.least(), finding.most(), finding.counted());
        }

    }

    /**
     * Offsets that are missing or repeated in the ledger.
     *
     * @param to    the last one
     * @param count items that are still in ingress
     * @param items the first of them
     */
    private record Passed(
            String finding, int partition, long from, long to, String at, long count, List<Named> items) {
        static Passed of(IngressAudit audit) {
            IngressAccount.Finding finding = audit.finding();
            return new Passed(finding.kind().label(), finding.range().partition(), finding.range().from(),
                    finding.range().to() - 1, Instant.ofEpochMilli(finding.atMillis()).toString(), audit.count(),
                    audit.items().stream().map(item -> new Named(item.owner(), item.id(), item.offset())).toList());
        }

        void print(Printer printer) {
            printer.line("Partition " + partition + " of ingress: "
                    + (from == to ? "offset " + from + " is " : "offsets " + from + " to " + to + " are ") + finding
                    + " in the ledger, found at " + at + ". "
                    + (finding.equals(IngressAccount.Kind.MISSING.label())
                            ? "Their items may be lost: " : "Their items may have been moved twice: ")
                    + Printer.count(count, "item") + " still in ingress"
                    + (count > items.size() ? ", of which the first " + items.size() + ":" : count > 0 ? ":" : "."));
            if (count > 0) {
                printer.table(List.of("tenant", "id", "offset"),
                        items.stream().map(item -> List.of(item.tenant(), item.id(), item.offset())));
            }
            printer.line("");
        }
    }

    private record Named(String tenant, String id, long offset) {}

    /**
     * Items that came from a source by the ledger, and records that were passed.
     *
     * @param records null if they cannot be counted, for the reason in {@code problem}
     * @param correct null if nobody can know
     */
    private record Source(String source, long least, long most, Long records, Boolean correct, String problem) {
        static Source of(SourceAudit audit) {
            return new Source(audit.source(), audit.least(), audit.most(),
                    audit.records().isPresent() ? audit.records().getAsLong() : null, audit.isCorrect().orElse(null),
                    audit.problem());
        }
    }

    private static String range(long least, long most) {
        return least == most ? Long.toString(most) : least + " to " + most;
    }

    private static int tenantsIn(List<AuditedTenant> audited) {
        return (int) audited.stream().filter(tenant -> !tenant.tenant().equals(LedgerOwner.IDLE)).count();
    }

    /** Returns the key of a state in JSON, as in the answers of the gateway. */
    private static String jsonKey(ItemState state) {
        return state == ItemState.DEAD_LETTER ? DEAD_LETTERED : state.label();
    }

    private static String labelOf(String jsonKey) {
        return jsonKey.equals(DEAD_LETTERED) ? ItemState.DEAD_LETTER.label() : jsonKey;
    }

    private static long sum(List<AuditedTenant> audited, ToLongFunction<AuditedTenant> figure) {
        return audited.stream().mapToLong(figure).sum();
    }
}
