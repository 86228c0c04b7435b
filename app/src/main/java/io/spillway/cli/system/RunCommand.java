package io.spillway.cli.system;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.runtime.DataDirectory;
import io.spillway.runtime.Endpoint;
import io.spillway.runtime.Role;
import io.spillway.runtime.RunningSystem;
import io.spillway.runtime.Shutdown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code spillway run}: the system, until SIGTERM. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the system until it is told to stop (SIGTERM or Ctrl-C).",
            "Without bootstrap servers it starts an embedded Kafka in the data directory and keeps its data there."
        })
public final class RunCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);
    /** Somewhat less than the 30 s within which a stop should end. Without a cluster several parts wait for it in turn. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(28);

    @Mixin
    private CommonOptions common;

    @Option(names = "--roles", split = ",", paramLabel = "ROLE", description = "parts to run, of: gateway, router, worker (default: all)")
    private List<String> roles = new ArrayList<>();

    @Option(
            names = "--unsafe-transactions",
            description = "run on a cluster whose transaction.version is below 2, at the risk of lost or doubled items")
    private boolean unsafeTransactions;

    @Override
    public Integer call() throws InterruptedException {
        Set<Role> chosen = Role.of(roles);
        Configuration configured = common.configuration();
        Shutdown shutdown = new Shutdown();
        Thread hook = new Thread(() -> stop(shutdown), "shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            DataDirectory data = shutdown.closing(DataDirectory.open(common.data()));
            RunningSystem system = RunningSystem.start(configured, data, chosen, unsafeTransactions, shutdown);
            Endpoint endpoint = system.endpoint();
            endpoint.write(data.path());
            printReady(endpoint);
            system.awaitEnd();
        } finally {
            shutdown.close();
            forget(hook);
        }
        throw CommandFailure.failed("a part has stopped after a fault that it does not recover from; the log says why");
    }

    private void printReady(Endpoint endpoint) {
        Printer printer = common.printer();
        Map<String, String> addresses = new LinkedHashMap<>();
        if (!endpoint.gateway().isEmpty()) {
            addresses.put("gateway", endpoint.gateway());
        }
        addresses.put("kafka", endpoint.kafka());
        addresses.put("metrics", endpoint.metrics());
        if (common.isJson()) {
            printer.json(addresses);
        } else {
            printer.line("spillway ready " + addresses.entrySet().stream()
                    .map(address -> address.getKey() + "=" + address.getValue())
                    .collect(Collectors.joining(" ")));
        }
    }

    /** During a stop from outside this does not return: the hook ends the process. */
    private static void forget(Thread hook) throws InterruptedException {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException stopping) {
            hook.join();
        }
    }

    private static void stop(Shutdown shutdown) {
        Thread closing = Thread.ofPlatform().name("shutdown-close").start(shutdown::close);
        boolean inTime = false;
        try {
            inTime = closing.join(STOP_LIMIT);
            if (!inTime) {
                LOG.error("Not everything has stopped within {} s, so the process ends as if it were killed; "
                        + "nothing is lost, and the next start takes longer", STOP_LIMIT.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        // A stop that was asked for and went well is no failure, whatever the signal's number.
        Runtime.getRuntime().halt(inTime && shutdown.isClean() ? 0 : CommandFailure.FAILED);
    }
}
