package io.spillway.cli.tenants;

import io.spillway.cli.options.ActionRun;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.policy.NamedDestination;
import io.spillway.core.text.Printable;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.runtime.ViewProgress;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.RecordMetadata;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code spillway destinations}: what the handlers of several tenants call, with the limits of all of them. */
@Command(name = "destinations", description = {
    "Lists and changes destinations, without a restart: systems that the handlers of several tenants or subscriptions "
            + "call, with a rate of attempts and a concurrency of all of them together.",
    "A tenant or subscription names its destination with --destination."
}, subcommands = DestinationsSetCommand.class)
public final class DestinationsCommand {
    static final String NAME = "Name of the destination.";

    @Command(name = "list", footer = "  spillway destinations list --output json",
            description = "Lists all destinations.")
    void list(@Mixin CommonOptions common) {
        Collection<NamedDestination> all =
                ActionRun.reading(common, PoliciesFile::topics).policies().destinations().values();
        common.printer().result(() -> all.stream()
                .map(each -> Map.of("name", each.name(), "set", each.settings().json())).toList(), printer -> {
            if (all.isEmpty()) {
                printer.line("There is no destination.");
            }
            printer.table(all.stream().map(each -> List.of(each.name(), each.settings().inOneLine())));
        });
    }

    @Command(name = "remove", footer = "  spillway destinations remove crm --wait",
            description = "Removes a destination. Who names it goes on without its limits and settings.")
    void remove(
            @Mixin CommonOptions common, @Parameters(paramLabel = "NAME", description = NAME) String name,
            @Option(names = "--wait", description = ViewProgress.WAIT) boolean wait) {
        ActionRun topics = ActionRun.with(common, PoliciesFile::topics);
        String key = TenantPolicies.destinationKey(name);
        if (!topics.policies().contains(key)) {
            throw CommandFailure.failed("There is no destination " + Printable.of(name)
                    + ". See: spillway destinations list");
        }
        RecordMetadata removed = topics.write(topics.names().policies(), Collections.singletonMap(key, null));
        String sentence = "Removed the destination " + name + ".";
        topics.record("remove", key, Map.of(), sentence);
        common.printer().result(Map.of("name", name, "removed", true), sentence);
        if (wait) {
            topics.await(removed);
        }
    }
}
