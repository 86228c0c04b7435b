package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.core.policy.PolicyField;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.operator.OperatorAction;
import io.spillway.runtime.ViewProgress;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Command {@code spillway destinations set}, with an option for each field that a destination can have. */
@Command(name = "set", footer = {
    "  spillway destinations set crm --attempt-rate 100 --wait",
    "  spillway destinations set crm --concurrency 20 --timeout 5s",
    "  spillway destinations set crm --paused true"
}, description = {
    "Adds a destination, or changes one. What is not named keeps its value; the value 'default' removes a setting.",
    "The limits --attempt-rate and --concurrency are those of all together who name it. The other settings apply to each of "
            + "them where it sets nothing itself."
})
final class DestinationsSetCommand implements Runnable {
    @Mixin
    private CommonOptions common;

    @Parameters(paramLabel = "NAME", description = DestinationsCommand.NAME)
    private String name;

    @Option(names = "--wait", description = ViewProgress.WAIT)
    private boolean wait;

    private CommandSpec spec;

    @Spec
    void addFlags(CommandSpec own) {
        spec = own;
        PolicyFlags.add(own, PolicyField.OF_DESTINATIONS);
    }

    @Override
    public void run() {
        OperatorAction action = OperatorAction.SetPolicy.set(TenantPolicies.destinationKey(name), Optional.empty(),
                PolicyFlags.given(spec, PolicyField.OF_DESTINATIONS));
        ActionRun.with(common, PoliciesFile::topics).act(action, false, wait);
    }
}
