package io.spillway.cli.system;

import io.spillway.cli.options.OutputOptions;
import io.spillway.core.sharding.PolynomialShards;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.operator.Inputs;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code spillway shards}: calculates the blast radius of shuffle sharding. Needs no Kafka. */
@Command(name = "shards", footer = "  spillway shards --slots 64 --per-tenant 4 --max-overlap 2", description = {
    "Calculates how many tenants are affected if all slots of one tenant fail, with K of N slots per tenant.",
    "It prints exact probabilities. With --max-overlap it also prints how many tenants can have such shards, and "
            + "compares those of T generated tenants. Needs no Kafka."
})
public final class ShardsCommand implements Runnable {
    private static final int MAX_TENANTS = 20_000;
    private static final int MAX_PER_TENANT = 16;

    @Mixin
    private OutputOptions common;

    @Option(names = "--slots", paramLabel = "N", required = true,
            description = "Total number of slots, usually the partitions of a lane.")
    private int slots;

    @Option(names = "--per-tenant", paramLabel = "K", required = true, description = "Slots of each tenant.")
    private int perTenant;

    @Option(names = "--max-overlap", paramLabel = "M",
            description = "Maximum number of slots that two tenants share. Default: no limit.")
    private Integer overlap;

    @Option(names = "--tenants", paramLabel = "T",
            description = "Number of generated tenants, with --max-overlap. Default: ${DEFAULT-VALUE}.", defaultValue = "1000")
    private int tenants;

    @Option(names = "--seed", paramLabel = "S",
            description = "Seed of the partition selection. Default: ${DEFAULT-VALUE}.", defaultValue = "0")
    private long seed;

    @Override
    public void run() {
        check();
        ShardsReport report = ShardsReport.of(slots, perTenant, tenants, seed, Optional.ofNullable(overlap));
        common.printer().result(() -> report, report::print);
    }

    private void check() {
        Inputs.requireRange("--slots", slots, 1, ShuffleSharder.MAX_SLOTS, "");
        Inputs.requireRange(
                "--per-tenant", perTenant, 1, Math.min(slots, MAX_PER_TENANT), " with " + slots + " slots");
        if (overlap != null) {
            Inputs.requireRange(
                    "--max-overlap", overlap, 0, perTenant - 1, " with --per-tenant " + perTenant);
            Inputs.requireRange("--slots", slots, PolynomialShards.leastSlots(perTenant),
                    ShuffleSharder.MAX_SLOTS, " with --max-overlap and --per-tenant " + perTenant);
        }
        Inputs.requireRange("--tenants", tenants, 2, MAX_TENANTS, "");
    }
}
