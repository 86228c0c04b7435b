package io.spillway.cli.tenants;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.runtime.ViewProgress;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Change of {@link PolicyField#PAUSED}, of a tenant or of one of its workloads. */
abstract class TenantsPauseCommand implements Runnable {
    @Mixin
    private CommonOptions common;

    @Parameters(paramLabel = "T", description = "Tenant, or * for the tenants that have no value of their own.")
    private String tenant;

    @Option(names = "--workload", paramLabel = "W", description = "Only this workload of the tenant.")
    private String workload;

    @Option(names = "--wait", description = ViewProgress.WAIT)
    private boolean wait;

    /** Command {@code spillway tenants pause}. */
    @Command(name = "pause", description = {
        "Pauses a tenant or one of its workloads, without a restart. Its items are accepted and held in delay, and not "
                + "attempted.",
        "Attempts that run go on. Items that a worker has read are held too, at most 10 s later. The limits ttl, "
                + "expireAfter and retryFor apply to held items. To undo it: tenants resume T."
    }, footer = {
        "  spillway tenants pause acme --wait",
        "  spillway tenants pause acme --workload mail"
    })
    static final class Pause extends TenantsPauseCommand {
        Pause() {
            super(true);
        }
    }

    /** Command {@code spillway tenants resume}. */
    @Command(name = "resume", description = {
        "Ends the pause of a tenant or of one of its workloads. Held items go on at a limited rate, those with fewer "
                + "attempts and the oldest first, by the rules that apply to new items."
    }, footer = {
        "  spillway tenants resume acme --wait",
        "  spillway tenants resume acme --workload mail"
    })
    static final class Resume extends TenantsPauseCommand {
        Resume() {
            super(false);
        }
    }

    private final boolean pause;

    private TenantsPauseCommand(boolean pause) {
        this.pause = pause;
    }

    @Override
    public final void run() {
        OptionValues.requireNameOrAll("tenant", tenant);
        if (workload != null) {
            OptionValues.requireName("--workload", workload);
        }
        TenantTopics topics = TenantTopics.withPolicies(common);
        TenantPolicies policies = topics.policies();
        PolicySettings settings = changed(policies);
        boolean isPaused = inForce(policies, settings);
        if (settings.equals(PolicySettings.NONE_SET)) {
            topics.removePolicy(tenant, wait);
        } else {
            topics.writePolicy(tenant, settings, wait);
        }
        Map<String, Object> json = new LinkedHashMap<>(Map.of("tenant", tenant, "paused", isPaused));
        if (workload != null) {
            json.put("workload", workload);
        }
        common.printer().result(json, name() + (pause ? " is paused. To undo it: spillway tenants resume " + arguments()
                : isPaused ? " is still paused, by its tenant or by the settings of all tenants. See: spillway tenants "
                        + "get " + tenant
                : " is not paused."));
    }

    private PolicySettings changed(TenantPolicies policies) {
        PolicySettings before = policies.own(tenant);
        if (workload != null) {
            WorkloadPolicy limits = before.workloads().getOrDefault(workload, WorkloadPolicy.DEFAULT);
            try {
                return before.withWorkload(workload, limits.with(PolicyField.PAUSED, pause));
            } catch (IllegalArgumentException e) {
                throw CommandFailure.failed(tenant + ": " + e.getMessage() + ". Resume another, or pause the tenant: "
                        + "spillway tenants pause " + tenant);
            }
        }
        PolicySettings unset = before.without(PolicyField.PAUSED);
        return inForce(policies, unset) == pause ? unset : unset.with(PolicyField.PAUSED, Boolean.toString(pause));
    }

    /** Returns whether it is paused with these settings of the tenant. */
    private boolean inForce(TenantPolicies policies, PolicySettings settings) {
        policies.put(tenant, TenantPolicies.encode(tenant, settings));
        TenantPolicy policy = policies.of(tenant);
        return workload == null ? policy.paused() : policy.isPaused(workload);
    }

    private String name() {
        return workload == null ? tenant : tenant + " workload " + workload;
    }

    private String arguments() {
        return workload == null ? tenant : tenant + " --workload " + workload;
    }
}
