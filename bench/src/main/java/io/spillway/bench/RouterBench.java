package io.spillway.bench;

import io.spillway.bench.comparison.CalmCommand;
import io.spillway.bench.comparison.PeersCommand;
import io.spillway.bench.gateway.GatewayCommand;
import io.spillway.bench.handlers.HandlersCommand;
import io.spillway.bench.load.DestinationsCommand;
import io.spillway.bench.load.EnduranceCommand;
import io.spillway.bench.load.FleetCommand;
import io.spillway.bench.load.NeighbourCommand;
import io.spillway.bench.load.SlowTenantCommand;
import io.spillway.bench.router.LatencyCommand;
import io.spillway.bench.router.ThroughputCommand;
import io.spillway.bench.support.Bench;
import io.spillway.bench.tenants.TenantsCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The router and the worker beside peers and under load, on a broker in a JVM of its own. */
@Command(
        name = "RouterBench",
        mixinStandardHelpOptions = true,
        subcommands = {
            ThroughputCommand.class,
            LatencyCommand.class,
            CalmCommand.class,
            NeighbourCommand.class,
            SlowTenantCommand.class,
            DestinationsCommand.class,
            FleetCommand.class,
            EnduranceCommand.class,
            HandlersCommand.class,
            PeersCommand.class,
            GatewayCommand.class,
            TenantsCommand.class
        },
        synopsisSubcommandLabel = "COMMAND")
public final class RouterBench {
    private RouterBench() {}

    /** Runs one of the measurements. */
    public static void main(String[] args) {
        Bench.quietLog();
        System.exit(new CommandLine(new RouterBench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(args));
    }
}
