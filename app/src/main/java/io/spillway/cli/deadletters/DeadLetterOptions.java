package io.spillway.cli.deadletters;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.config.Configuration;
import io.spillway.core.item.Lane;
import io.spillway.deadletter.DeadLetterFilter;
import io.spillway.kafka.codec.LedgerOwner;
import io.spillway.operator.DisposalOrder;
import io.spillway.operator.Inputs;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Option;

/** Options that select dead letters. */
public final class DeadLetterOptions {
    @Option(names = "--tenant", paramLabel = "T",
            description = "Select dead letters of this tenant, or with " + LedgerOwner.NONE
                    + " those whose tenant cannot be read.")
    private String tenant;

    @Option(names = "--reason", paramLabel = "REASON",
            description = "Select dead letters with this reason, such as attempts-used-up.")
    private String reason;

    @Option(names = "--since", paramLabel = "TIME",
            description = "Select dead letters from this time or later: a time such as 2026-11-21T08:00:00Z, epoch "
                    + "milliseconds, or a duration before now such as 2h.")
    private String since;

    @Option(names = "--until", paramLabel = "TIME",
            description = "Select dead letters from before this time. The formats are those of --since.")
    private String until;

    @Option(names = "--id", paramLabel = "ID", description = "Select dead letters with this item id.")
    private String id;

    @Option(names = "--limit", paramLabel = "N", description = "Select at most this many.")
    private Long limit;

    /** Returns the filter; throws {@link io.spillway.operator.OperatorException} that names an invalid option. */
    DeadLetterFilter filter(long nowMillis) {
        return DisposalOrder.filter(
                Optional.ofNullable(tenant), Optional.ofNullable(reason), Optional.ofNullable(since),
                Optional.ofNullable(until), id == null ? Set.of() : Set.of(id), nowMillis);
    }

    /** Returns the limit, or {@code absent}; refuses one that is not 1 to {@code max}. */
    long limit(long absent, long max) {
        if (limit == null) {
            return absent;
        }
        Inputs.requireRange("--limit", limit, 1, max, "");
        return limit;
    }

    long limit() {
        return limit(Long.MAX_VALUE, DisposalOrder.MAX_LIMIT);
    }

    static Configuration withCluster(CommonOptions common) {
        return common.configurationWithCluster(topics -> List.of(
                topics.lane(Lane.DEAD_LETTER), topics.lane(Lane.DELAY), topics.policies(), topics.sweeps()));
    }

    /** Prints the message now, because a process that is being stopped prints nothing later. */
    static CommandFailure stopped(Printer printer, String message) {
        printer.failure(message, StopSignal.exitCode());
        return CommandFailure.failed(message);
    }
}
