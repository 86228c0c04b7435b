package io.spillway.cli;

import io.spillway.config.Configuration;
import io.spillway.policy.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code spillway run}: the system, until SIGTERM. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the system until it is told to stop (SIGTERM or Ctrl-C).",
            "Without bootstrap servers it starts an embedded Kafka in the data directory and keeps its data there."
        })
final class RunCommand implements Callable<Integer> {
    private static final String ROUTER = "router";

    @Mixin
    private CommonOptions common;

    @Option(names = "--roles", split = ",", paramLabel = "ROLE", description = "parts to run, of: " + ROUTER + " (default: all)")
    private List<String> roles = new ArrayList<>(List.of(ROUTER));

    @Option(
            names = "--unsafe-transactions",
            description = "run on a cluster whose transaction.version is below 2, at the risk of lost or doubled items")
    private boolean unsafeTransactions;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        for (String role : roles) {
            if (!role.equals(ROUTER)) {
                throw CommandFailure.usage("--roles " + Printable.of(role) + ": must be " + ROUTER);
            }
        }
        Configuration configured = common.configuration();
        Shutdown shutdown = new Shutdown();
        Thread hook = new Thread(() -> stop(shutdown), "shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            DataDirectory data = shutdown.closing(DataDirectory.open(common.data()));
            RunningSystem system = RunningSystem.start(configured, data, unsafeTransactions, shutdown);
            new Endpoint(system.kafka(), system.metricsUrl(), ProcessHandle.current().pid()).write(data.path());
            new Printer(spec, common).line("spillway ready kafka=" + system.kafka() + " metrics=" + system.metricsUrl());
            system.router().awaitEnd();
        } finally {
            // During a stop from outside this waits for the hook, which ends the process.
            shutdown.close();
            Runtime.getRuntime().removeShutdownHook(hook);
        }
        throw CommandFailure.failed("the router has stopped after a fault that it does not recover from; the log says why");
    }

    private static void stop(Shutdown shutdown) {
        shutdown.close();
        // A stop that was asked for and went well is no failure, whatever the signal's number.
        Runtime.getRuntime().halt(shutdown.isClean() ? 0 : CommandFailure.FAILED);
    }
}
