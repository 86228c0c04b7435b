package io.spillway.cli.system;

import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.config.Configuration;
import io.spillway.runtime.Endpoint;
import io.spillway.runtime.Role;
import io.spillway.runtime.RunningSystem;
import io.spillway.runtime.Shutdown;
import io.spillway.runtime.StartOptions;
import java.time.Duration;
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

/** Command {@code spillway run}: runs the system until SIGTERM. */
@Command(name = "run", footer = {
    "  spillway run",
    "  spillway run --bootstrap-servers kafka-1:9092 --roles router,worker"
}, description = {
    "Runs the gateway, the router and the worker, or some of them (--roles), until SIGTERM or Ctrl-C.",
    "Without bootstrap servers it starts an embedded Kafka that stores its data in the data directory."
})
public final class RunCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);
    /**
     * Time for all but running attempts, which a worker waits for before. Below 30 s, the usual grace period of a stop.
     * Without a cluster several parts wait one after the other.
     */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(28);

    @Mixin
    private CommonOptions common;

    @Option(names = "--roles", split = ",", paramLabel = "ROLE",
            description = "Roles to run, separated by commas: gateway, router, worker. Default: all.")
    private List<String> roles = List.of();

    @Option(names = "--unsafe-transactions",
            description = "Run on a cluster whose transaction.version is below 2. Items can be lost or duplicated.")
    private boolean unsafeTransactions;

    @Override
    public Integer call() throws InterruptedException {
        Set<Role> chosen = Role.of(roles);
        Configuration configured = common.configuration();
        Shutdown shutdown = new Shutdown();
        Duration limit = STOP_LIMIT.plus(RunningSystem.drainGrace(configured, chosen));
        Thread hook = new Thread(() -> stop(shutdown, limit), "shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            RunningSystem system = RunningSystem.start(configured,
                    new StartOptions(common.data(), chosen, unsafeTransactions, common.given()), shutdown);
            Endpoint endpoint = system.endpoint();
            endpoint.write(common.data());
            printReady(endpoint, system.workUrl());
            system.awaitEnd();
        } finally {
            // A part that does not end, such as a handler, must not keep a process that does nothing any more.
            if (!close(shutdown, limit)) {
                Runtime.getRuntime().halt(CommandFailure.FAILED);
            }
            StopSignal.remove(hook);
        }
        throw CommandFailure.failed("A role has stopped because of an error that it cannot recover from. See the "
                + "log, then start it again.");
    }

    private void printReady(Endpoint endpoint, String workUrl) {
        Map<String, String> addresses = new LinkedHashMap<>();
        addresses.put("gateway", endpoint.gateway().isEmpty() ? null : endpoint.gateway());
        if (!workUrl.isEmpty()) {
            addresses.put("work", workUrl);
        }
        addresses.put("kafka", endpoint.kafka());
        addresses.put("metrics", endpoint.metrics());
        common.printer().result(addresses, "spillway ready " + addresses.entrySet().stream()
                .filter(address -> address.getValue() != null).map(Map.Entry::toString)
                .collect(Collectors.joining(" ")));
    }

    /** Closes all parts; returns false if they have not ended in time. */
    private static boolean close(Shutdown shutdown, Duration limit) {
        boolean isInterrupted = Thread.interrupted();
        Thread closing = Thread.ofPlatform().name("shutdown-close").start(shutdown::close);
        boolean inTime = false;
        try {
            inTime = closing.join(limit);
            if (!inTime) {
                LOG.error("Not all parts have stopped within {} s. The process exits as if it were killed: "
                        + "no items are lost, but the next start takes longer.", limit.toSeconds());
            }
        } catch (InterruptedException e) {
            isInterrupted = true;
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        return inTime;
    }

    private static void stop(Shutdown shutdown, Duration limit) {
        boolean inTime = close(shutdown, limit);
        // A successful stop after SIGTERM exits with 0, not with the code of the signal.
        int exitCode = StopSignal.isCtrlC() ? CommandFailure.INTERRUPTED : 0;
        Runtime.getRuntime().halt(inTime && shutdown.isClean() ? exitCode : CommandFailure.FAILED);
    }
}
