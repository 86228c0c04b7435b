package io.spillway.containers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** The containers of docker-compose.yml, in a project of a test. Owner of the containers, networks and volumes. */
final class Compose implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long LOOK_NANOS = 500_000_000;

    private final String engine;
    private final String project;
    private final HttpClient client = HttpClient.newHttpClient();

    Compose(String engine, String project) {
        this.engine = engine;
        this.project = project;
    }

    /** Calls docker-compose for this project. */
    void compose(String... arguments) {
        call(Stream.concat(Stream.of("docker-compose", "--project-name", project), Stream.of(arguments)).toList(), "");
    }

    /** Calls docker, and returns what it prints. */
    String docker(String... arguments) {
        return dockerWith("", arguments);
    }

    /** As {@link #docker}, with a standard input. */
    String dockerWith(String input, String... arguments) {
        return call(Stream.concat(Stream.of("docker"), Stream.of(arguments)).toList(), input);
    }

    private String call(List<String> command, String input) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command).directory(Path.of("..").toFile())
                    .redirectErrorStream(true);
            builder.environment().putAll(Map.of(
                    "DOCKER_HOST", engine, "DOCKER_BUILDKIT", "1", "COMPOSE_DOCKER_CLI_BUILD", "1",
                    // First Debian's client, which builds by BuildKit without a plugin.
                    "PATH", "/usr/bin:" + System.getenv("PATH")));
            Process process = builder.start();
            try (var in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            }
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + " has failed: " + output);
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Runs a command of Spillway in the container of the gateway, and returns what it prints. */
    String spillway(String... arguments) {
        return spillwayWith("", arguments);
    }

    /** As {@link #spillway}, with a standard input. */
    String spillwayWith(String input, String... arguments) {
        List<String> command = new ArrayList<>(List.of("exec", "-i", only("gateway"), "spillway"));
        command.addAll(Arrays.asList(arguments));
        return dockerWith(input, command.toArray(String[]::new));
    }

    /** Returns the containers of a service, also those that have ended. */
    List<String> containers(String service) {
        return docker("ps", "--all", "--quiet", "--filter", "label=com.docker.compose.project=" + project,
                "--filter", "label=com.docker.compose.service=" + service).lines().toList();
    }

    String only(String service) {
        return containers(service).getFirst();
    }

    /** Returns a field of a container's state, by a template of Go. */
    String inspect(String container, String template) {
        return docker("inspect", "--format", template, container).strip();
    }

    String address(String container) {
        return inspect(container, "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}");
    }

    /** Returns the first part of the names of containers, networks and volumes. */
    String project() {
        return project;
    }

    String network() {
        return project + "_default";
    }

    /** Kills the process of a container as a crash does, which is not a stop: the engine starts it again. */
    void crash(String container) {
        docker("run", "--rm", "--pid", "host", "--user", "0", "--entrypoint", "bash", "spillway",
                "-c", "kill -9 " + inspect(container, "{{.State.Pid}}"));
    }

    void awaitHealthy(List<String> containers) {
        await(() -> containers.stream()
                .allMatch(each -> inspect(each, "{{.State.Running}} {{.State.Health.Status}}").equals("true healthy")));
    }

    /** Waits until a query of Prometheus has this value. */
    void awaitValue(String query, String value) {
        await(() -> query(query).at("/0/value/1").asText().equals(value));
    }

    /** Returns the names of alerts that a query of Prometheus returns. */
    Set<String> alerts(String query) {
        Set<String> names = new TreeSet<>();
        query(query).forEach(series -> names.add(series.at("/metric/alertname").asText()));
        return names;
    }

    private JsonNode query(String query) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:9090/api/v1/query?query="
                    + URLEncoder.encode(query, StandardCharsets.UTF_8))).build();
            return JSON.readTree(client.send(request, HttpResponse.BodyHandlers.ofString()).body()).at("/data/result");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(LOOK_NANOS);
            if (Thread.interrupted()) {
                throw new IllegalStateException("interrupted");
            }
        }
    }

    /** Deletes everything of the project. */
    @Override
    public void close() {
        compose("down", "--volumes", "--remove-orphans");
        client.close();
    }
}
