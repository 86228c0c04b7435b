package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.view.TenantPolicies;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Subscriptions in real processes, with the commands of the documentation. */
@Timeout(900) // Against a hang; nothing is measured.
class SubscriptionsIT {
    private static final int MANY = Integer.getInteger("spillway.test.subscriptions", 3_000);
    private static final int KILLS = Integer.getInteger("spillway.test.kills", 2);
    private static final int ITEMS = Integer.getInteger("spillway.test.items", 8);

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    @Test
    void a_subscriber_that_is_down_keeps_no_other_one_waiting_and_gets_everything_when_it_is_back() throws Exception {
        CommandsUnderTest commands = new CommandsUnderTest(kafka.bootstrapServers(), kafka.prefix(),
                CommandsUnderTest.written(
                        directory, CommandsUnderTest.SMALL.replace("topics:", "topics:\n  trail: 1h")));
        commands.run("topics", "create").done();
        try (Subscribers subscribers = new Subscribers();
                SpillwayProcess all = start(commands, "gateway,router,worker", subscribers)) {
            assertThat(commands.run("subscriptions", "set", "acme", "billing", "--workloads", "orders-*").done().out())
                    .contains("acme: the subscription billing gets the items of orders-*.");
            commands.run("subscriptions", "set", "acme", "down", "--attempts", "3").done();
            commands.run("tenants", "apply", "-f", Files.writeString(directory.resolve("subscriptions.yml"),
                    "tenants: {}\nsubscriptions: {acme: {refuses: {}}}\n").toString()).done();
            assertThat(commands.run("tenants", "export").done().out()).contains("billing:", "refuses:");
            commands.run("subscriptions", "set", "acme", "search", "--timeout", "5s", "--wait").done();
            assertThat(commands.run("subscriptions", "list", "acme").done().out())
                    .containsPattern("acme +billing +orders-\\* +nothing set")
                    .containsPattern("acme +down +\\* +attempts=3")
                    .containsPattern("acme +search +\\* +timeout=5s");

            commands.run("send", "--tenant", "acme", "--workload", "orders-eu", "--count", "50").done();
            commands.run("send", "--tenant", "other", "--count", "1").done();
            subscribers.await("~billing", 50);
            subscribers.await("~search", 50);
            assertThat(subscribers.got("~down")).as("it is down").isEmpty();
            subscribers.isDown = false;
            subscribers.await("~down", 50);
            assertThat(subscribers.got("")).as("that of the other tenant").hasSize(1);

            JsonNode audit = balance(commands, 50 + 150 + 1, 50);
            assertThat(audit.get("deadLettered").intValue()).as("those that are refused").isEqualTo(50);
            String id = subscribers.got("~down").iterator().next().replace("~down", "");
            assertThat(commands.run("explain", "--id", id).done().out()).containsPattern("dead-letter .* dead ")
                    .contains("4 deliveries: 3 finished, 1 dead letter.");
            assertThat(commands.run("explain", "--tenant", "acme").done().out())
                    .contains("some of its 4 subscriptions");
            assertThat(metrics(all)).as("each item counts at the first of its subscribers").containsPattern(
                    "spillway_age_of_first_subscriber_first_attempt_seconds_count[^\n]* 50(\\.0)?\n");
            assertThat(commands.run("subscriptions", "attempts", "acme", "refuses", "--limit", "7").done().out()
                            .lines()).hasSize(7)
                    .allMatch(line -> line.matches(".*~refuses +1 +dead-letter final-failure +.*400.*"));
            assertThat(commands.run("subscriptions", "attempts", "acme", "down", "--limit", "1000").done().out())
                    .containsPattern("~down +1 +delay retry +.*503").containsPattern("~down +\\d+ +done");
            assertThat(commands.run("explain", "--id", id).done().out()).containsPattern("delay +.* failed .*503");
            subscribers.refuses = false;
            commands.run("dead-letters", "replay", "--tenant", "acme", "--id", id + "~refuses").done();
            subscribers.await("~refuses", 1);

            assertThat(commands.run("subscriptions", "remove", "acme", "search", "--wait").done().out())
                    .contains("acme: the subscription search is removed.",
                            "spillway cancel --tenant acme --workload '~search'");
            assertThat(commands.run("subscriptions", "remove", "acme", "search").failedWith(1))
                    .contains("acme has no subscription search");
            assertThat(commands.run("actions", "list").done().out()).contains("subscribe", "unsubscribe");
            assertThat(commands.run("tenants", "list").done().out()).contains("No tenant has its own settings");
            assertThat(all.stop()).isZero();
        }
    }

    @Test
    @Tag("long")
    void a_subscriber_that_is_down_until_a_delivery_ends_is_paused_and_its_tenant_gets_an_event() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        try (Subscribers subscribers = new Subscribers();
                SpillwayProcess all = start(commands, "gateway,router,worker", subscribers)) {
            commands.run("subscriptions", "set", "acme", "down", "--retry-for", "5s", "--pause-when-down", "true")
                    .done();
            commands.run("subscriptions", "set", "acme", "events", "--workloads", "spillway.*").done();
            commands.run("subscriptions", "set", "acme", "works", "--retry-for", "5s", "--pause-when-down", "true",
                    "--wait").done();
            String list = commands.run("subscriptions", "list", "acme").done().out();
            int sent = 0;
            while (!list.matches("(?s).*acme +down [^\\n]*paused=true.*")) {
                commands.run("send", "--tenant", "acme", "--count", "1").done();
                sent++;
                LockSupport.parkNanos(2_000_000_000);
                list = commands.run("subscriptions", "list", "acme").done().out();
            }
            subscribers.await("~events", 1);
            subscribers.await("~works", sent);
            assertThat(list).as("one that works stays").doesNotContainPattern("acme +works [^\\n]*paused=true");
            assertThat(commands.run("actions", "list").done().out()).contains("pauseWhenDown: a delivery's retryFor");
            subscribers.isDown = false;
            commands.run("subscriptions", "set", "acme", "down", "--paused", "default", "--wait").done();
            commands.run("send", "--tenant", "acme", "--count", "1").done();
            subscribers.await("~down", 1);
            assertThat(all.stop()).isZero();
        }
    }

    @Test
    void wrong_values_are_refused_with_their_keys() {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        assertThat(commands.run("subscriptions", "set", "acme", "a/b").failedWith(2)).contains("name a/b: must be");
        assertThat(commands.run("subscriptions", "set", "acme", "a", "--workloads", "x*y").failedWith(2))
                .contains("workloads = x*y: must be a workload");
        assertThat(commands.run("subscriptions", "set", "acme", "a", "--timeout", "soon").failedWith(2))
                .contains("--timeout: timeout = soon");
        assertThat(commands.run("subscriptions", "list").done().out()).contains("No tenant has a subscription.");
    }

    @ParameterizedTest(name = "with a worker: {0}")
    @ValueSource(booleans = {false, true})
    @Tag("long")
    void each_delivery_of_a_large_fan_out_is_made_once_while_processes_are_killed(boolean hasWorker) throws Exception {
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        try (Producer<byte[], byte[]> producer = new KafkaClients(commands.configuration().queue()).producer()) {
            for (int i = 0; i < MANY; i++) {
                Subscription subscription = new Subscription("s" + i, "*", PolicySettings.NONE_SET);
                producer.send(new ProducerRecord<>(commands.topics().policies(),
                        TenantPolicies.key("acme", subscription.name()).getBytes(StandardCharsets.UTF_8),
                        TenantPolicies.encode("acme", subscription)));
            }
        }
        Map<String, SpillwayProcess> processes = new TreeMap<>();
        try (Subscribers subscribers = new Subscribers()) {
            for (String role : hasWorker ? List.of("router", "worker") : List.of("router")) {
                processes.put(role, start(commands, role, subscribers));
            }
            commands.run("send", "--tenant", "acme", "--count", Integer.toString(ITEMS)).done();
            String progress = hasWorker ? "done" : "accepted";
            for (int kill = 1; kill <= KILLS; kill++) {
                int enough = MANY * ITEMS * kill / (KILLS + 1) - random.nextInt(MANY * ITEMS / (KILLS + 1));
                while (audit(commands).get(progress).intValue() < enough) {
                    LockSupport.parkNanos(100_000_000);
                }
                List<String> roles = List.copyOf(processes.keySet());
                String role = roles.get(random.nextInt(roles.size()));
                System.out.println("kills the " + role + " at " + enough);
                processes.get(role).kill();
                processes.put(role, start(commands, role, subscribers));
            }
            int expected = ITEMS * (MANY + 1);
            JsonNode audit = audit(commands);
            while (audit.get("accepted").intValue() < expected
                    || audit.get("done").intValue() < (hasWorker ? expected : ITEMS)) {
                LockSupport.parkNanos(100_000_000);
                audit = audit(commands);
            }
            assertThat(audit.get("balanced").booleanValue()).as("seed %d: %s", seed, audit).isTrue();
            assertThat(audit.get("accepted").intValue()).as("seed %d: %s", seed, audit).isEqualTo(expected);
            assertThat(audit.get("deadLettered").intValue()).as("seed %d: %s", seed, audit).isZero();
            if (hasWorker) {
                assertThat(audit.get("done").intValue()).as("seed %d: %s", seed, audit).isEqualTo(expected);
                assertThat(subscribers.count()).as("seed %d: each got each", seed).isEqualTo(ITEMS * MANY);
            } else {
                List<String> ids = kafka.readAll(commands.topics().lane(Lane.HOT)).stream()
                        .map(SubscriptionsIT::idOf).toList();
                assertThat(ids).as("seed %d", seed).hasSize(ITEMS * MANY);
                assertThat(Set.copyOf(ids)).as("seed %d: each once", seed).hasSameSizeAs(ids);
            }
        } finally {
            processes.values().forEach(SpillwayProcess::close);
        }
    }

    private SpillwayProcess start(CommandsUnderTest commands, String role, Subscribers subscribers) {
        return SpillwayProcess.start(directory.resolve(role), Map.of(
                        "SPILLWAY_HANDLER_TYPE", "http",
                        "SPILLWAY_HANDLER_HTTP_URL", subscribers.url() + "/{workload}"),
                Stream.concat(Stream.of("--roles", role), Stream.of(commands.options())).toArray(String[]::new));
    }

    private static String metrics(SpillwayProcess process) throws Exception {
        try (InputStream in = process.address("metrics").toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String idOf(ConsumerRecord<byte[], byte[]> record) {
        return ItemHeaders.text(record.headers(), ItemHeaders.ID).orElseThrow();
    }

    private static JsonNode audit(CommandsUnderTest commands) {
        return commands.run("audit", "--output", "json").json();
    }

    /** Waits until so many items are done and so many are dead letters, and requires that the ledger balances. */
    private static JsonNode balance(CommandsUnderTest commands, int items, int deadLetters) {
        JsonNode audit = audit(commands);
        while (audit.get("done").intValue() < items || audit.get("deadLettered").intValue() < deadLetters) {
            LockSupport.parkNanos(100_000_000);
            audit = audit(commands);
        }
        assertThat(audit.get("balanced").booleanValue()).as(audit.toString()).isTrue();
        assertThat(audit.get("accepted").intValue()).isEqualTo(items + deadLetters);
        return audit;
    }

    /** Server of subscribers, by the path: at first {@code ~down} answers 503 and {@code ~refuses} 400. */
    private static final class Subscribers implements AutoCloseable {
        private final Map<String, Set<String>> ids = new ConcurrentHashMap<>();
        private final HttpServer server;
        volatile boolean isDown = true;
        volatile boolean refuses = true;

        Subscribers() throws Exception {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.createContext("/", exchange -> {
                exchange.getRequestBody().readAllBytes();
                String workload = exchange.getRequestURI().getPath().substring(1);
                int status = workload.equals("~down") && isDown ? 503
                        : workload.equals("~refuses") && refuses ? 400 : 204;
                if (status == 204) {
                    got(workload).add(exchange.getRequestHeaders().getFirst("Spillway-Id"));
                }
                exchange.sendResponseHeaders(status, -1);
                exchange.close();
            });
            server.start();
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort();
        }

        int count() {
            return ids.values().stream().mapToInt(Set::size).sum();
        }

        Set<String> got(String workload) {
            return ids.computeIfAbsent(workload, name -> ConcurrentHashMap.newKeySet());
        }

        void await(String workload, int count) {
            while (got(workload).size() < count) {
                LockSupport.parkNanos(10_000_000);
            }
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }
}
