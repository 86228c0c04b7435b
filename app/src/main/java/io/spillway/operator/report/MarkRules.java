package io.spillway.operator.report;

import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.text.Printable;
import io.spillway.kafka.view.SweepTarget;
import io.spillway.kafka.view.Sweeps;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Cancels and sweeps of a tenant as rules for people. */
public final class MarkRules {
    private static final int MAX_CANCEL_RULES = 10;

    private MarkRules() {}

    /** Returns the rules of the cancels and sweeps that are in force for a tenant; of the cancels, the first ten. */
    public static List<String> rules(Sweeps sweeps, String tenant, TenantPolicy policy, long nowMillis) {
        List<SweepTarget> targets = sweeps.all().values().stream().filter(mark -> mark.isInForce(nowMillis))
                .map(Sweeps.Mark::target).filter(target -> target.tenant().equals(tenant)).toList();
        List<String> rules = new ArrayList<>();
        targets.stream().filter(SweepTarget::isCancel).limit(MAX_CANCEL_RULES).forEach(target -> rules.add(
                (target.itemId().isEmpty() ? "" : "id " + Printable.of(target.itemId()) + ", ")
                        + ofWorkload(target.workload()) + "entered before "
                        + iso(sweeps.all().get(target.key()).times().startedAtMillis()) + ": dropped (cancelled)"));
        if (!policy.sweepable()) {
            return rules;
        }
        Stream.concat(Stream.of(""), targets.stream().filter(target -> !target.isCancel()).map(SweepTarget::workload))
                .distinct().forEach(workload -> {
                    long beforeMillis =
                            sweeps.coveredBeforeMillis(tenant, workload, policy.sweepMarginMillis(), nowMillis);
                    if (beforeMillis != ItemEnds.NO_SWEEP_MILLIS) {
                        rules.add(ofWorkload(workload) + "entered before " + iso(beforeMillis) + ": dropped (sweep)");
                    }
                });
        return rules;
    }

    private static String ofWorkload(String workload) {
        return workload.isEmpty() ? "" : "workload " + workload + ", ";
    }

    private static String iso(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }
}
