package io.spillway.cli.system;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.core.sharding.OverlapOdds;
import io.spillway.core.sharding.Shard;
import io.spillway.core.sharding.ShardRegistry;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code spillway shards}: what shuffle sharding is worth with these numbers. Needs no Kafka. */
@Command(
        name = "shards",
        mixinStandardHelpOptions = true,
        description = {
            "Shows whom it hits when all slots of one tenant are lost, with K of N slots a tenant: exact chances, what was",
            "observed over T made-up tenants, and, with a bound on overlap, how many tenants can be told apart so well."
        })
public final class ShardsCommand implements Callable<Integer> {
    private static final int MOST_TENANTS = 1_000_000;

    @Mixin
    private CommonOptions common;

    @Option(names = "--slots", paramLabel = "N", required = true, description = "slots in all, as a rule the partitions of a lane")
    private int slots;

    @Option(names = "--per-tenant", paramLabel = "K", required = true, description = "slots of each tenant")
    private int perTenant;

    @Option(names = "--max-overlap", paramLabel = "M", description = "most slots that two tenants may share (default: no bound)")
    private Integer overlap;

    @Option(names = "--tenants", paramLabel = "T", description = "how many tenants to try with (default: ${DEFAULT-VALUE})", defaultValue = "1000")
    private int tenants;

    @Option(names = "--seed", paramLabel = "S", description = "of the draw (default: ${DEFAULT-VALUE})", defaultValue = "0")
    private long seed;

    @Override
    public Integer call() {
        check();
        common.configuration();
        Printer printer = common.printer();
        ShardsTrial drawn = ShardsTrial.drawn(slots, perTenant, tenants, seed, printer::note);
        Optional<ShardsTrial> searched = Optional.ofNullable(overlap)
                .map(most -> ShardsTrial.searched(slots, perTenant, most, tenants, seed, printer::note));
        ShardsReport report = new ShardsReport(
                new OverlapOdds(slots, perTenant), Optional.ofNullable(overlap), tenants, seed, drawn, searched);
        if (common.isJson()) {
            printer.json(report.json());
        } else {
            report.print(printer);
        }
        return 0;
    }

    private void check() {
        require("--slots", slots, 1, ShardRegistry.MAX_SLOTS, "");
        require("--per-tenant", perTenant, 1, Math.min(slots, Shard.MAX_SIZE), " with " + slots + " slots");
        if (overlap != null) {
            require("--max-overlap", overlap, 0, Math.min(perTenant - 1, ShardRegistry.mostOverlap(slots)),
                    " with " + perTenant + " of " + slots + " slots a tenant");
        }
        require("--tenants", tenants, 2, MOST_TENANTS, "");
    }

    private static void require(String name, int value, int least, int most, String when) {
        if (value < least || value > most) {
            throw CommandFailure.usage(name + " " + value + ": must be " + least + " to " + most + when);
        }
    }
}
