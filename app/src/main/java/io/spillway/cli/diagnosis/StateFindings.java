package io.spillway.cli.diagnosis;

import io.spillway.cli.terminal.DurationText;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.item.ItemState;
import io.spillway.core.text.Printable;
import io.spillway.kafka.advice.SuggestedCommands;
import io.spillway.operator.report.QueueReader;
import io.spillway.operator.report.QueueState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Findings of two states of a queue, a few seconds apart: what the alert rules find over minutes, as far as the topics
 * tell it at once. Limits and levels are those of the rules. Pure.
 */
final class StateFindings {
    private static final double MAX_OLDEST_SECONDS = 30;
    private static final long MAX_LEDGER_BEHIND = 100_000;
    private static final int MAX_NAMED = 3;
    /** Divisible by the usual numbers of workers, so that they own the same number of partitions. */
    private static final int PARTITIONS_STEP = 12;

    private final SystemState first;
    private final SystemState last;
    private final double seconds;
    private final int partitions;

    private StateFindings(SystemState first, SystemState last, double seconds, int partitions) {
        this.first = first;
        this.last = last;
        this.seconds = seconds;
        this.partitions = partitions;
    }

    /**
     * Returns one finding for each check.
     *
     * @param seconds    time between the states, above 0
     * @param partitions of each lane
     * @param ownVersion version of this command
     */
    static List<Finding> of(
            SystemState first, SystemState last, double seconds, int partitions, String ownVersion) {
        StateFindings of = new StateFindings(first, last, seconds, partitions);
        return List.of(
                of.routers(), of.workers(), versions(last.instances().versions(), ownVersion), of.routing(), of.hot(),
                of.late(), of.deadLetters(), of.ledger());
    }

    private Finding routers() {
        int routers = last.instances().routers();
        return routers > 0 ? Finding.ok("routers", Printer.count(routers, "router") + " in the group.")
                : Finding.fail("routers", "No router is running, so no item is routed.",
                        "Read the last log lines of the routers. Then start one: spillway run --roles router");
    }

    private Finding workers() {
        int workers = last.instances().workers();
        if (workers > partitions) {
            int enough = Math.ceilDiv(workers, PARTITIONS_STEP) * PARTITIONS_STEP;
            return Finding.warn("workers", Printer.count(workers, "worker") + " in the group, but each lane has only "
                            + Printer.count(partitions, "partition")
                            + ": a worker without a partition of hot gets no fresh item.",
                    "Set topics.partitions to " + enough + ", and add partitions to the topics that this names: "
                            + "spillway topics check. Or run fewer workers with more slots.");
        }
        return workers > 0
                ? Finding.ok("workers", Printer.count(workers, "worker") + " in the group, "
                        + Printer.count(last.slots(), "slot") + ".")
                : Finding.fail("workers", "No worker is running, so no item is handled.",
                        "Read the last log lines of the workers. Then start one: spillway run --roles worker");
    }

    static Finding versions(SortedMap<String, String> byInstance, String ownVersion) {
        if (byInstance.isEmpty()) {
            return Finding.skipped("versions", "No instance is running.");
        }
        Map<String, TreeSet<String>> instances = new TreeMap<>();
        byInstance.forEach((instance, version) -> instances
                .computeIfAbsent(version.isEmpty() ? "an unknown version" : version, none -> new TreeSet<>())
                .add(Printable.of(instance)));
        if (instances.size() > 1) {
            return Finding.warn("versions", "Running instances have different versions: "
                            + instances.entrySet().stream().map(entry -> entry.getKey() + " ("
                                    + named(List.copyOf(entry.getValue())) + ")")
                                    .collect(Collectors.joining(", ")) + ".",
                    "Finish the upgrade. Routers come first: see Upgrades in docs/operations.md.");
        }
        String version = instances.keySet().iterator().next();
        return version.equals(ownVersion)
                ? Finding.ok("versions", Printer.count(byInstance.size(), "instance") + " and this command: " + version
                        + ".")
                : Finding.warn("versions", "The instances run " + version + ", but this command is " + ownVersion + ".",
                        "Use the command of the same version: another one may not know all topics and settings.");
    }

    private Finding routing() {
        SystemState.Lane ingress = last.lane(QueueReader.INGRESS);
        Double oldest = ingress.oldestSeconds();
        String waiting = Printer.count(ingress.waiting(), "item") + (ingress.waiting() == 1 ? " waits" : " wait")
                + " in ingress";
        boolean isWaiting = first.lane(QueueReader.INGRESS).waiting() > 0 && ingress.waiting() > 0;
        // One that has just arrived is not late. One whose age is not known is behind an open transaction.
        if (isWaiting && first.accepted() == last.accepted() && (oldest == null || oldest >= seconds)) {
            return Finding.fail("routing", waiting + ", and none was routed in " + DurationText.compact(seconds) + ".",
                    "Look for a rebalance that does not end, an open transaction (spillway transactions list), or a "
                            + "lane without a leader. Restarting the routers is always safe.");
        }
        if (oldest != null && oldest > MAX_OLDEST_SECONDS) {
            return Finding.fail("routing", waiting + ", the oldest for " + DurationText.compact(oldest) + ".",
                    "Start more routers, at most one thread for each partition of ingress. If no item is routed, read "
                            + "their logs, and run: spillway transactions list");
        }
        return Finding.ok("routing", ingress.waiting() == 0 ? "Nothing waits in ingress."
                : waiting + ", the oldest for " + (oldest == null ? "a moment" : DurationText.compact(oldest)) + ".");
    }

    private Finding hot() {
        SystemState.Lane hot = last.lane(ItemState.HOT.label());
        Double oldest = hot.oldestSeconds();
        return oldest != null && oldest > MAX_OLDEST_SECONDS
                ? Finding.fail("hot lane", "Fresh work waits: the oldest of " + Printer.count(hot.waiting(), "item")
                                + " in hot for " + DurationText.compact(oldest) + ".",
                        "See who fills the lane: spillway top. Give that tenant a rate, or add workers or slots. If "
                                + "nothing is handled, look at the logs and the destination of the workers.")
                : Finding.ok("hot lane", Printer.count(hot.waiting(), "item") + " in hot"
                        + (oldest == null ? "." : ", the oldest for " + DurationText.compact(oldest) + "."));
    }

    private Finding late() {
        if (last.tenantsLate() == 0) {
            return Finding.ok("late tenants", "No backlog outlives its items.");
        }
        List<String> names = last.tenants().stream().filter(QueueState.Tenant::late)
                .map(row -> Printable.of(row.tenant())).toList();
        return Finding.warn("late tenants",
                "At these rates, items of " + Printer.count(last.tenantsLate(), "tenant")
                        + " reach their time to live or their end before they are handled: "
                        + named(names, last.tenantsLate()) + ".",
                "Add capacity for them, or raise their ttl or expireAfter if late work is still useful. See: spillway "
                        + "explain --tenant " + SuggestedCommands.quoted(names.getFirst()));
    }

    private Finding deadLetters() {
        long more = last.deadLetters() - first.deadLetters();
        return last.deadLettered() == 0 && more <= 0 ? Finding.ok("dead letters", "None waits for a decision.")
                : Finding.warn("dead letters",
                        Printer.count(last.deadLettered(), "dead letter") + " neither replayed nor discarded"
                                + (more > 0 ? ", " + more + " new in " + DurationText.compact(seconds) : "") + ".",
                        "Count them by tenant and reason: spillway dead-letters list. Repair the cause, then replay or "
                                + "discard them.");
    }

    private Finding ledger() {
        return Math.min(first.ledgerBehind(), last.ledgerBehind()) > MAX_LEDGER_BEHIND
                ? Finding.warn("ledger", "The balances lack " + Printer.count(last.ledgerBehind(), "record")
                                + " of the ledger, so depths and forecasts are old.",
                        "Look at the routers' processor time and commit latency. Start another router if they are "
                                + "busy.")
                : Finding.ok("ledger", "The balances are up to date.");
    }

    private static String named(List<String> names) {
        return named(names, names.size());
    }

    /** Returns the first names, and the number of the others of all. */
    private static String named(List<String> names, int all) {
        List<String> shown = new ArrayList<>(names.subList(0, Math.min(names.size(), MAX_NAMED)));
        if (all > shown.size()) {
            shown.add(all - shown.size() + " more");
        }
        return String.join(", ", shown);
    }
}
