package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.core.policy.PolicyField;
import io.spillway.operator.OperatorAction;
import io.spillway.operator.SubscriptionAction;
import io.spillway.runtime.ViewProgress;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command {@code spillway subscriptions set}, with an option for each field that a subscription can have. */
@Command(name = "set", footer = {
    "  spillway subscriptions set acme billing --workloads 'orders-*' --wait",
    "  spillway subscriptions set acme billing --attempts 10 --timeout 5s",
    "  spillway subscriptions set acme billing --paused true"
}, description = {
    "Adds a subscription of a tenant, or changes one. What is not named keeps its value; a new one gets the items of "
            + "all workloads, and the settings of its tenant.",
    "The value 'default' removes a setting. Items that were routed before have no delivery to a new subscription."
})
final class SubscriptionsSetCommand implements Runnable {
    @Mixin
    private CommonOptions common;

    @Parameters(index = "0", paramLabel = "T", description = "Tenant.")
    private String tenant;

    @Parameters(index = "1", paramLabel = "NAME", description = "Name of the subscription within its tenant.")
    private String name;

    @Option(names = "--workloads", paramLabel = "PATTERN", description = "Workloads whose items it gets: one, or what "
            + "they begin with and *, or * for all.")
    private String workloads;

    @Option(names = "--wait", description = ViewProgress.WAIT)
    private boolean wait;

    private CommandSpec spec;

    @Spec
    void addFlags(CommandSpec own) {
        spec = own;
        PolicyFlags.add(own, PolicyField.OF_SUBSCRIPTIONS);
    }

    @Override
    public void run() {
        OperatorAction action = new SubscriptionAction.Set(tenant, name, Optional.ofNullable(workloads),
                PolicyFlags.given(spec, PolicyField.OF_SUBSCRIPTIONS));
        ActionRun.with(common, PoliciesFile::topics).act(action, false, wait);
    }
}
