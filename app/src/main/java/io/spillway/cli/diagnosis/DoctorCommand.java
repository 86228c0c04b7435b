package io.spillway.cli.diagnosis;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.sharding.DedicationPlan;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.Disk;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.OpenTransactions;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.PlacementView;
import io.spillway.kafka.view.ProgressMark;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import io.spillway.operator.report.QueueReader;
import io.spillway.router.AccessRole;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway doctor}: checks a system and says what to do. */
@Command(name = "doctor", footer = {
    "  spillway doctor",
    "  spillway doctor --role worker --output json"
}, description = {
    "Checks the cluster, the topics, the permissions of this login, open transactions, running instances and their "
            + "versions, clock, disk, policies, and what alerts would report now. For each problem it says what to do.",
    "It takes up to 10 s and writes nothing to the cluster. It exits with 1 if a check has failed. A check that could "
            + "not be made is SKIPPED and fails nothing."
})
public final class DoctorCommand implements Callable<Integer> {
    private static final int MAX_NAMED = 5;
    private static final String STATE = "state";

    @Mixin
    private CommonOptions common;

    @Option(names = "--role", paramLabel = "ROLE", defaultValue = "operator",
            description = "Role whose permissions this login must have: router, worker, gateway, operator or producer. "
                    + "Default: ${DEFAULT-VALUE}.")
    private AccessRole role;

    private final List<Finding> findings = new ArrayList<>();

    @Override
    public Integer call() {
        Printer printer = common.printer();
        printer.note("Checking ...");
        connected().ifPresent(this::checkCluster);
        findings.add(DiskCheck.run(common.data()));
        printer.result(this::json, this::print);
        return count(Finding.Level.FAIL) == 0 ? 0 : CommandFailure.FAILED;
    }

    /** Returns the configuration with a cluster that answers, or adds the reason why there is none. */
    private Optional<Configuration> connected() {
        try {
            return Optional.of(common.configurationWithCluster(topics -> List.of()));
        } catch (KafkaFailure | CommandFailure e) {
            if (e instanceof CommandFailure failure && failure.exitCode() == CommandFailure.USAGE) {
                throw e;
            }
            findings.add(Finding.fail("cluster", e.getMessage(),
                    "All other checks but the disk need the cluster. Repair this first."));
            return Optional.empty();
        }
    }

    private void checkCluster(Configuration configuration) {
        KafkaClients clients = new KafkaClients(configuration.queue());
        try (Admin admin = clients.admin()) {
            ClusterFindings cluster = new ClusterFindings(configuration, admin, common.given());
            findings.add(ClusterFindings.attempt("cluster", cluster::cluster));
            findings.add(ClusterFindings.attempt("kafka version", cluster::version));
            findings.add(ClusterFindings.attempt("permissions", () -> cluster.permissions(role)));
            findings.add(ClusterFindings.attempt("offsets", cluster::offsets));
            findings.add(ClusterFindings.attempt("broker disks", () -> DiskCheck.brokers(Disk.ofBrokers(admin))));
            findings.add(ClusterFindings.attempt("topics", cluster::topics));
            if (!configuration.router().sources().isEmpty()) {
                findings.add(ClusterFindings.attempt("sources", cluster::sources));
            }
            try {
                if (!cluster.hasAllTopics()) {
                    findings.add(Finding.skipped(STATE, "Instances, policies and backlogs need all topics."));
                } else if (!cluster.mayReadAllTopics()) {
                    findings.add(Finding.skipped(STATE, "Instances, policies and backlogs need a login that may read "
                            + "all topics, such as that of an operator."));
                } else {
                    checkState(configuration, clients, cluster);
                }
            } catch (KafkaFailure | KafkaException e) {
                findings.add(Finding.fail(STATE, "The topics cannot be read: " + e.getMessage() + ".",
                        "Repair what failed above first."));
            }
        }
    }

    private void checkState(Configuration configuration, KafkaClients clients, ClusterFindings cluster) {
        List<OpenTransactions.Open> open = cluster.openTransactions();
        try (QueueReader reader = new QueueReader(configuration, common.clock(), true)) {
            long startMillis = common.clock().millis();
            SystemState first = SystemState.read(reader);
            // The reader asks the cluster again only then.
            long untilMillis = common.clock().millis() + QueueReader.READ_EVERY_MILLIS;
            findings.add(policies(configuration, reader.policies()));
            long marginMillis = reader.policies().of(ViewContent.ALL_TENANTS).sweepMarginMillis();
            Finding clock = ClusterFindings.attempt("clock", () ->
                    ClockCheck.run(clients, new Topics(configuration.queue()), common.clock(), marginMillis));
            while (common.clock().millis() < untilMillis) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(untilMillis - common.clock().millis()));
            }
            findings.add(cluster.transactions(open, cluster.openTransactions()));
            findings.add(clock);
            // Before the reading, which may take long: what waited at the first one is at least as old at the last.
            double seconds = (common.clock().millis() - startMillis) / 1e3;
            SystemState last = SystemState.read(reader);
            findings.addAll(StateFindings.of(
                    first, last, seconds, configuration.topics().partitions(), ProgressMark.at(0).version()));
        }
    }

    private static Finding policies(Configuration configuration, TenantPolicies policies) {
        PolicySettings configured = configuration.defaults();
        DedicationPlan plan =
                new PlacementView(configuration.queue(), policies, new ShardAssignments()).dedications();
        List<String> conflicts = new ArrayList<>(plan.refused().values());
        conflicts.addAll(PolicyConflicts.in(policies, configured));
        if (conflicts.isEmpty()) {
            return Finding.ok("policies", "No setting overrules another.");
        }
        int more = conflicts.size() - MAX_NAMED;
        return Finding.warn("policies",
                Printer.count(conflicts.size(), "setting") + " without an effect: "
                        + String.join("; ", conflicts.subList(0, Math.min(MAX_NAMED, conflicts.size())))
                        + (more > 0 ? "; and " + more + " more" : "") + ".",
                "Remove or change one of the two: spillway tenants set T --SETTING default");
    }

    private long count(Finding.Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }

    private Map<String, Object> json() {
        return Map.of(
                "checks", findings.stream().map(Finding::fields).toList(), "failed", count(Finding.Level.FAIL),
                "warned", count(Finding.Level.WARN), "skipped", count(Finding.Level.SKIPPED));
    }

    private void print(Printer printer) {
        int width = findings.stream().mapToInt(finding -> finding.check().length()).max().orElse(0);
        for (Finding finding : findings) {
            printer.line(String.format(Locale.ROOT, "%-7s  %-" + width + "s  %s",
                    finding.level(), finding.check(), Printable.onOneLine(finding.text())));
            if (!finding.remedy().isEmpty()) {
                printer.line(" ".repeat(7 + 2 + width + 2) + Printable.onOneLine(finding.remedy()));
            }
        }
        long failed = count(Finding.Level.FAIL);
        printer.line((failed == 0 ? "No check failed" : Printer.count(failed, "check") + " failed") + ", "
                + Printer.count(count(Finding.Level.WARN), "warning") + ", " + count(Finding.Level.SKIPPED)
                + " skipped.");
    }
}
