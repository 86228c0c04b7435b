package io.spillway.operator;

import io.spillway.config.Configuration;
import io.spillway.core.routing.Sweep;
import io.spillway.core.settings.Durations;
import io.spillway.core.text.Printable;
import io.spillway.kafka.advice.SuggestedCommands;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.SweepTarget;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Sweeps and cancels of operators. */
public final class Marks {
    private Marks() {}

    static SweepTarget target(boolean isCancel, String tenant, Optional<String> workload, Optional<String> itemId) {
        workload.ifPresent(name -> Inputs.requireName("--workload", name));
        itemId.ifPresent(each -> Inputs.requireId("--id", each));
        return new SweepTarget(isCancel, tenant, workload.orElse(""), itemId.orElse(""));
    }

    static Map<String, Object> options(SweepTarget target) {
        Map<String, Object> options = new LinkedHashMap<>();
        if (!target.workload().isEmpty()) {
            options.put("workload", target.workload());
        }
        if (!target.itemId().isEmpty()) {
            options.put("id", target.itemId());
        }
        return options;
    }

    static ActionResult sweep(
            OperatorAction.RecordSweep sweep, boolean dryRun, CompactedStore store, Configuration configuration) {
        SweepTarget target = sweep.target();
        Topics names = new Topics(configuration.queue());
        TenantPolicies policies = store.read(names.policies(), new TenantPolicies(configuration.defaults()));
        Sweeps known = store.read(names.sweeps(), new Sweeps());
        requireRoom(known, target, Sweeps.MAX_WORKLOADS, "workloads with a sweep. Record one of the whole tenant");
        Sweeps.Mark mark = new Sweeps.Mark(target, sweep.sweepId(), sweep.times());
        Sweeps.Mark merged = known.of(target).map(mark::over).orElse(mark);
        if (!dryRun) {
            store.write(names.sweeps(), target.key(), Sweeps.encode(merged));
        }
        String tenant = target.tenant();
        boolean isAll = tenant.equals(ViewContent.ALL_TENANTS);
        boolean takesEffect = isAll || policies.of(tenant).sweepable();
        List<String> notes = new ArrayList<>();
        if (!takesEffect) {
            notes.add(tenant + " is not sweepable, so no items are dropped. To change that: spillway "
                    + "tenants set " + SuggestedCommands.quoted(tenant) + " --sweepable true");
        }
        long marginMillis = policies.of(tenant).sweepMarginMillis();
        coveredBefore(mark, merged).ifPresent(notes::add);
        String startedAt = Inputs.iso(sweep.times().startedAtMillis());
        return new ActionResult(
                (dryRun ? "Would record sweep " : "Recorded sweep ") + sweep.sweepId() + " of " + text(target)
                        + ". It covers items that entered before " + startedAt + ", less "
                        + (isAll ? "the sweepMargin of their tenant."
                                : "the sweepMargin of " + Durations.format(marginMillis) + "."),
                Map.of("tenant", tenant, "workload", target.workload(), "sweepId", sweep.sweepId(),
                        "sweepable", takesEffect, "startedAt", startedAt,
                        "completedAt", Inputs.iso(sweep.times().completedAtMillis())),
                notes, Optional.empty());
    }

    /**
     * Counts the items, and cancels them unless it is a dry run.
     *
     * @param maxCountMillis time after which the count ends, incomplete
     */
    static ActionResult cancel(
            OperatorAction.Cancel cancel, boolean dryRun, CompactedStore store, OperatorQueue queue, String topic,
            long maxCountMillis, long nowMillis) {
        SweepTarget target = cancel.target();
        // The count can take minutes. What is merged is read after it.
        OperatorQueue.Waiting waiting = queue.waiting(target, cancel.beforeMillis(), maxCountMillis);
        Sweeps known = store.read(topic, new Sweeps());
        Map<String, byte[]> removals = new LinkedHashMap<>();
        known.all().forEach((key, mark) -> {
            if (!mark.isInForce(nowMillis)) {
                known.remove(key);
                removals.put(key, null);
            }
        });
        if (!dryRun && !removals.isEmpty()) {
            store.write(topic, removals);
        }
        requireRoom(known, target, Sweeps.MAX_CANCELS, "cancels in force. Cancel a workload or the whole tenant");
        Sweeps.Mark mark = new Sweeps.Mark(target, "", new Sweep(cancel.beforeMillis(), nowMillis));
        Sweeps.Mark merged = known.of(target).map(mark::over).orElse(mark);
        if (!dryRun) {
            store.write(topic, target.key(), Sweeps.encode(merged));
        }
        String what = (waiting.isAll() ? "" : "at least ") + Printable.count(waiting.items(), "waiting item") + " of "
                + text(target) + (target.itemId().isEmpty() ? "" : ", id " + Printable.of(target.itemId()))
                + " that entered before " + Inputs.iso(cancel.beforeMillis());
        Map<String, Object> json = new LinkedHashMap<>(Map.of(
                "cancelled", !dryRun, "waiting", waiting.items(), "tenant", target.tenant(),
                "workload", target.workload(), "itemId", target.itemId(), "before", Inputs.iso(cancel.beforeMillis())));
        if (!waiting.isAll()) {
            json.put("isAllCounted", false);
        }
        return new ActionResult(
                dryRun ? what + "." : "Cancelled " + what + ". Those of them that run now are not stopped.",
                json, Stream.of(coveredBefore(mark, merged), delayed(waiting))
                        .flatMap(Optional::stream).toList(), Optional.empty());
    }

    private static Optional<String> delayed(OperatorQueue.Waiting waiting) {
        long items = waiting.inDelay();
        return items == 0 ? Optional.empty()
                : Optional.of(items + " of them " + (items == 1 ? "waits in delay. It is dropped when it is due, and counts"
                        : "wait in delay. They are dropped when they are due, and count") + " as waiting until then.");
    }

    /** Returns what else an earlier record of the target covers. */
    private static Optional<String> coveredBefore(Sweeps.Mark mark, Sweeps.Mark merged) {
        long beforeMillis = merged.times().startedAtMillis();
        return beforeMillis == mark.times().startedAtMillis() ? Optional.empty()
                : Optional.of("An earlier " + (mark.target().isCancel() ? "cancel" : "sweep") + " stays in force. It "
                        + "covers items that entered before " + Inputs.iso(beforeMillis) + ".");
    }

    /** Refuses a mark that the views of the instances would skip because the tenant has too many of its kind. */
    private static void requireRoom(Sweeps known, SweepTarget target, int most, String remedy) {
        long others = known.all().values().stream().map(Sweeps.Mark::target)
                .filter(other -> other.isCancel() == target.isCancel() && other.tenant().equals(target.tenant()))
                .filter(other -> target.isCancel() || !other.workload().isEmpty())
                .count();
        boolean isNew = target.isCancel() || !target.workload().isEmpty();
        if (isNew && !known.contains(target.key()) && others >= most) {
            throw OperatorException.conflict(target.tenant() + " has " + others + " " + remedy + ".");
        }
    }

    /** Returns the sweeps and cancels in force, as fields for JSON. */
    public static List<Map<String, Object>> inForce(Sweeps sweeps, long nowMillis) {
        return sweeps.all().values().stream().filter(mark -> mark.isInForce(nowMillis)).map(mark ->
                Map.<String, Object>of(
                        "kind", mark.target().isCancel() ? "cancel" : "sweep", "tenant", mark.target().tenant(),
                        "workload", mark.target().workload(), "itemId", mark.target().itemId(), "sweepId", mark.id(),
                        "startedAt", Inputs.iso(mark.times().startedAtMillis()),
                        "completedAt", Inputs.iso(mark.times().completedAtMillis()))).toList();
    }

    /** Returns the target for people. */
    private static String text(SweepTarget target) {
        return target.tenant() + (target.workload().isEmpty() ? "" : ", workload " + target.workload());
    }
}
