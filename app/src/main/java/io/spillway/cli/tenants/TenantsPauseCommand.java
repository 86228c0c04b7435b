package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.core.policy.PolicyField;
import io.spillway.operator.OperatorAction;
import io.spillway.runtime.ViewProgress;
import java.util.List;
import java.util.Optional;
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
    }, footerHeading = "%nExamples:%n%n", footer = {
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
    }, footerHeading = "%nExamples:%n%n", footer = {
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
        OperatorAction action = new OperatorAction.Pause(tenant, Optional.ofNullable(workload), pause);
        ActionRun.with(common, topics -> List.of(topics.policies())).act(action, false, wait);
    }
}
