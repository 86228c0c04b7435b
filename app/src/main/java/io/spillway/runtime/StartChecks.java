package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.Configuration;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.Printable;
import io.spillway.handler.HandlerException;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.worker.handlers.PullSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Checks of one start, before a part joins a group. All problems are reported together. */
final class StartChecks {
    private final List<RuntimeException> problems = new ArrayList<>();

    /** Runs a check and returns its result; keeps its problem, and returns empty, if it fails. */
    <T> Optional<T> run(Supplier<T> check) {
        try {
            return Optional.of(check.get());
        } catch (CommandFailure | InvalidSettingException | KafkaFailure | HandlerException e) {
            problems.add(e);
            return Optional.empty();
        }
    }

    /** Runs a check without a result, and returns whether there was no problem. */
    boolean pass(Runnable check) {
        return run(() -> {
            check.run();
            return true;
        }).isPresent();
    }

    /** Binds all ports of the process at the same time, so that one port in two settings is a problem too. */
    void ports(Configuration configuration, Set<Role> roles, boolean embedded) {
        List<ServerSocket> bound = new ArrayList<>();
        try {
            bind(bound, "metrics", configuration.metrics().host(), configuration.metrics().port(),
                    "Set metrics.host or metrics.port to another, or metrics.port to 0 for any free port.");
            if (roles.contains(Role.GATEWAY)) {
                bind(bound, "the gateway", configuration.gateway().host(), configuration.gateway().port(),
                        "Set gateway.host to an address of this machine and gateway.port to a free port, or 0 for any"
                                + " free port.");
            }
            if (roles.contains(Role.WORKER)) {
                configuration.handler().of(PullSettings.class).ifPresent(pull -> bind(
                        bound, "handler type pull", pull.host(), pull.port(), "Set handler.pull.host to an address of"
                                + " this machine and handler.pull.port to a free port, or 0 for any free port."));
            }
            if (embedded) {
                bind(bound, "the embedded Kafka", "127.0.0.1", configuration.kafka().embeddedPort(),
                        "Set kafka.embeddedPort to another one, or 0 for any free port.");
            }
        } finally {
            bound.forEach(StartChecks::close);
        }
    }

    boolean isClean() {
        return problems.isEmpty();
    }

    /** Fails if there were problems: with the only one, or with the list of all. */
    void finish() {
        if (problems.size() == 1) {
            throw problems.getFirst();
        }
        if (problems.isEmpty()) {
            return;
        }
        StringBuilder text = new StringBuilder("Not started, because of " + problems.size() + " problems:");
        for (int i = 0; i < problems.size(); i++) {
            text.append(" (").append(i + 1).append(") ").append(problems.get(i).getMessage());
        }
        boolean isUsage = problems.stream().allMatch(problem -> problem instanceof InvalidSettingException
                || problem instanceof CommandFailure failure && failure.exitCode() == CommandFailure.USAGE);
        throw isUsage ? CommandFailure.usage(text.toString()) : CommandFailure.failed(text.toString());
    }

    private void bind(List<ServerSocket> bound, String user, String host, int port, String remedy) {
        try {
            bound.add(new ServerSocket(port, 1, InetAddress.getByName(host)));
        } catch (IOException e) {
            problems.add(CommandFailure.failed("Cannot listen on " + Printable.of(host) + ":" + port + " for " + user
                    + " (" + Printable.of(e.getMessage()) + "). " + remedy));
        }
    }

    private static void close(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
