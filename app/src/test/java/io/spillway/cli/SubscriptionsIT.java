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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Subscriptions in real processes, with the commands of the documentation. */
@Timeout(900) // Against a hang; nothing is measured.
class SubscriptionsIT {
    private static final int MANY = Integer.getInteger("spillway.test.subscriptions", 3_000);
    private static final int KILLS = 2;
    private static final int ITEMS = Integer.getInteger("spillway.test.items", 8);

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    @Test
    void a_subscriber_that_is_down_keeps_no_other_one_waiting_and_gets_everything_when_it_is_back() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        try (Subscribers subscribers = new Subscribers();
                SpillwayProcess all = SpillwayProcess.start(directory.resolve("all"), Map.of(
                        "SPILLWAY_HANDLER_TYPE", "http",
                        "SPILLWAY_HANDLER_HTTP_URL", subscribers.url() + "/{workload}"),
                        commands.options())) {
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
            assertThat(commands.run("explain", "--id", id).done().out()).containsPattern("dead-letter .* dead ");
            assertThat(commands.run("explain", "--tenant", "acme").done().out())
                    .contains("some of its 4 subscriptions");
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

    @Test
    @Tag("long")
    void each_delivery_of_a_large_fan_out_is_made_once_while_routers_are_killed() throws Exception {
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
        long startNanos = System.nanoTime();
        SpillwayProcess router = start(commands);
        try {
            commands.run("send", "--tenant", "acme", "--count", Integer.toString(ITEMS)).done();
            for (int kill = 1; kill <= KILLS; kill++) {
                int enough = MANY * ITEMS * kill / (KILLS + 1);
                while (accepted(commands) < enough) {
                    LockSupport.parkNanos(100_000_000);
                }
                router.kill();
                router = start(commands);
            }
            JsonNode audit = commands.run("audit", "--output", "json").json();
            while (audit.get("done").intValue() < ITEMS) {
                LockSupport.parkNanos(100_000_000);
                audit = commands.run("audit", "--output", "json").json();
            }
            System.out.println("made after " + (System.nanoTime() - startNanos) / 1_000_000 + " ms, with " + KILLS + " kills");
            assertThat(audit.get("balanced").booleanValue()).as(audit.toString()).isTrue();
            assertThat(audit.get("accepted").intValue()).isEqualTo(ITEMS * (MANY + 1));
            List<String> ids = kafka.readAll(commands.topics().lane(Lane.HOT)).stream()
                    .map(SubscriptionsIT::idOf).toList();
            assertThat(ids).hasSize(ITEMS * MANY);
            assertThat(Set.copyOf(ids)).as("each once").hasSameSizeAs(ids);
        } finally {
            router.close();
        }
    }

    private SpillwayProcess start(CommandsUnderTest commands) {
        return SpillwayProcess.start(directory.resolve("router"), Map.of(), commands.routerOptions());
    }

    private static String idOf(ConsumerRecord<byte[], byte[]> record) {
        return ItemHeaders.text(record.headers(), ItemHeaders.ID).orElseThrow();
    }

    private static int accepted(CommandsUnderTest commands) {
        return commands.run("audit", "--output", "json").json().get("accepted").intValue();
    }

    /** Waits until so many items are done and so many are dead letters, and requires that the ledger balances. */
    private static JsonNode balance(CommandsUnderTest commands, int items, int deadLetters) {
        JsonNode audit = commands.run("audit", "--output", "json").json();
        while (audit.get("done").intValue() < items || audit.get("deadLettered").intValue() < deadLetters) {
            LockSupport.parkNanos(100_000_000);
            audit = commands.run("audit", "--output", "json").json();
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
