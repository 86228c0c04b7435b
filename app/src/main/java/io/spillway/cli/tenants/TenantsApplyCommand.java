package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.operator.DedicationCheck;
import io.spillway.operator.OperatorException;
import io.spillway.runtime.ViewProgress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.RecordMetadata;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway tenants apply}: makes the stored policies equal to those of a file. */
@Command(name = "apply", footer = "  spillway tenants apply -f policies.yml --dry-run", description = {
    "Makes the policy settings of the tenants in a file those of the file, and prints what differs: + for added, ~ for "
            + "changed, - for removed settings.",
    "The file has all settings of a tenant: what it does not name is unset, also a pause. Tenants and subscriptions "
            + "that are not in the file stay as they are, unless --prune is given. tenants export writes such a file.",
    "If the file is not valid, or partitions that it dedicates are not available, nothing is changed. With --prune and without --yes it only prints what differs, if "
            + "settings would be removed, and exits with 2."
})
final class TenantsApplyCommand implements Runnable {
    @Mixin
    private CommonOptions common;

    @Option(names = {"-f", "--file"}, paramLabel = "FILE", required = true,
            description = "YAML file; - for standard input.")
    private Path file;

    @Option(names = "--prune", description = "Remove settings of tenants, and subscriptions, that are not in the file.")
    private boolean prune;

    @Option(names = "--yes", description = "Remove them without a question.")
    private boolean yes;

    @Option(names = "--dry-run", description = "Change nothing. Print what differs.")
    private boolean dryRun;

    @Option(names = "--wait", description = ViewProgress.WAIT)
    private boolean wait;

    @Override
    public void run() {
        SortedMap<String, PolicyEntry> wanted = PoliciesFile.read(file);
        ActionRun topics = dryRun ? ActionRun.reading(common, PoliciesFile::topics)
                : ActionRun.with(common, PoliciesFile::topics);
        TenantPolicies policies = topics.policies();
        SortedMap<String, PolicyEntry> stored = PolicyEntry.stored(policies);
        List<PolicyChange> changes = PolicyChange.between(stored, wanted, prune);
        requireAvailable(topics.configuration(), policies, changes);
        List<PolicyEntry> removed = changes.stream().filter(change -> change.kind() == PolicyChange.Kind.REMOVED)
                .map(change -> change.before().orElseThrow()).toList();
        boolean isAsking = !dryRun && !removed.isEmpty() && !yes;
        Optional<RecordMetadata> last = Optional.empty();
        if (!dryRun && !isAsking && !changes.isEmpty()) {
            last = Optional.of(topics.write(topics.names().policies(), encoded(changes.stream())));
            topics.record("apply", changes.size() == 1 ? TenantPolicies.tenantOf(changes.getFirst().key()) : "",
                    Map.of("file", file, "prune", prune), counts(changes));
        }
        print(changes, !dryRun && !isAsking);
        List<PolicyEntry> others = stored.entrySet().stream().filter(each -> !wanted.containsKey(each.getKey()))
                .map(Map.Entry::getValue).toList();
        if (!prune && !others.isEmpty()) {
            common.printer().note("Not in the file: " + PolicyEntry.named(others.stream())
                    + ". --prune removes what is not in it.");
        }
        if (isAsking) {
            throw CommandFailure.usage("Nothing is changed yet. Give --yes to remove "
                    + PolicyEntry.named(removed.stream()) + ", or --dry-run to only look.");
        }
        if (wait) {
            last.ifPresent(topics::await);
        }
    }

    private static void requireAvailable(
            Configuration configuration, TenantPolicies policies, List<PolicyChange> changes) {
        try {
            DedicationCheck.planned(
                    configuration, policies, encoded(changes.stream().filter(PolicyChange::isDedication)));
        } catch (OperatorException e) {
            throw CommandFailure.failed(e.getMessage());
        }
    }

    /** Returns what to store by key; null for what is removed. */
    private static Map<String, byte[]> encoded(Stream<PolicyChange> changes) {
        Map<String, byte[]> values = new LinkedHashMap<>();
        changes.forEach(change -> values.put(change.key(), change.after()
                .map(entry -> entry.encode(change.key())).orElse(null)));
        return values;
    }

    private void print(List<PolicyChange> changes, boolean isApplied) {
        common.printer().result(() -> json(changes, isApplied), printer -> {
            changes.forEach(change -> printer.line(change.line()));
            printer.line(changes.isEmpty() ? "Nothing to do: the stored policies are those of the file."
                    : isApplied ? counts(changes) : "Not applied: " + counts(changes));
        });
    }

    private static Map<String, Object> json(List<PolicyChange> changes, boolean isApplied) {
        return Map.of("applied", isApplied, "changes", changes.stream()
                .map(change -> Map.of(
                        "tenant", change.key(), "change", change.kind().name().toLowerCase(Locale.ROOT),
                        "fields", change.fields()))
                .toList());
    }

    private static String counts(List<PolicyChange> changes) {
        return count(changes, PolicyChange.Kind.ADDED) + " added, "
                + count(changes, PolicyChange.Kind.CHANGED) + " changed, "
                + count(changes, PolicyChange.Kind.REMOVED) + " removed.";
    }

    private static long count(List<PolicyChange> changes, PolicyChange.Kind kind) {
        return changes.stream().filter(change -> change.kind() == kind).count();
    }
}
