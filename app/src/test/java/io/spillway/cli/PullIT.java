package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.campaign.Brokers;
import io.spillway.core.item.Lane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.kafka.topics.QueueAdmin;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** External workers that lease items from processes of their own, with a real Kafka behind them. */
@Timeout(900) // Against a hang; nothing is measured.
class PullIT {
    private static final Path CLIENTS = Path.of("../clients").toAbsolutePath().normalize();
    private static final JsonMapper JSON = new JsonMapper();
    private static final String KEY = "spw_0123456789abcdef0123456789abcdef";

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Process> started = new ArrayList<>();
    private CommandsUnderTest commands;

    @BeforeEach
    void configure() {
        commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
    }

    @AfterEach
    void close() {
        started.forEach(Process::destroyForcibly);
        client.close();
    }

    @Tag("long")
    @Test
    void every_item_is_done_once_in_the_ledger_after_a_worker_with_leases_was_killed() throws Exception {
        Path keyFile = Files.writeString(directory.resolve("shared.key"), KEY + "\n");
        Map<String, String> sharedKey = Map.of("SPILLWAY_HANDLER_PULL_KEY_FILE", keyFile.toString());
        for (int tenant = 0; tenant < 8; tenant++) {
            commands.run("send", "--tenant", "t" + tenant, "--count", "10").done();
        }
        try (SpillwayProcess survivor = start("survivor", sharedKey, "router,worker");
                SpillwayProcess victim = start("victim", sharedKey, "worker")) {
            List<String> held = new ArrayList<>();
            while (held.size() < 5) {
                lease(victim, 5 - held.size()).forEach(item -> held.add(idOf(item)));
            }
            String lost = lease(victim, 1).get(0).get("receipt").textValue();
            victim.kill();

            assertThat(post(survivor, "done", "{\"receipt\":\"" + lost + "\"}").statusCode())
                    .as("each process signs with a key of its own").isEqualTo(400);
            Set<String> done = new TreeSet<>();
            while (done.size() < 80) {
                for (JsonNode item : lease(survivor, 100)) {
                    String receipt = item.get("receipt").textValue();
                    assertThat(post(survivor, "done", "{\"receipt\":\"" + receipt + "\"}").statusCode()).isEqualTo(200);
                    assertThat(done.add(idOf(item))).as("no item is handed out again after its answer").isTrue();
                }
            }
            assertThat(done).as("what the killed process had is done by the other").containsAll(held);
            assertBooks(80);
            HttpRequest scrape = HttpRequest.newBuilder(URI.create(address(survivor, "metrics"))).build();
            assertThat(client.send(scrape, HttpResponse.BodyHandlers.ofString()).body())
                    .contains("\nspillway_pull_leased{", "\nspillway_pull_asked{");

            commands.run("send", "--tenant", "t0", "--count", "1").done();
            String last = lease(survivor, 1).get(0).get("receipt").textValue();
            survivor.signal("TERM");
            URI readiness = URI.create(address(survivor, "metrics")).resolve("/readyz");
            while (client.send(HttpRequest.newBuilder(readiness).build(), HttpResponse.BodyHandlers.ofString())
                    .statusCode() == 200) {
                LockSupport.parkNanos(10_000_000);
            }
            assertThat(post(survivor, "done", "{\"receipt\":\"" + last + "\"}").statusCode())
                    .as("a stop waits for answers").isEqualTo(200);
            assertThat(survivor.awaitEnd()).isZero();
            assertThat(new QueueAdmin(kafka.admin())
                    .read(commands.topics().lane(Lane.HOT), commands.topics().workerGroup()))
                    .as("the answer is committed").allMatch(partition -> partition.behind() == 0);
            assertThat(survivor.log()).doesNotContain(KEY).doesNotContain("ERROR");
        }
    }

    /** Client in another language: how its command line and its own tests are started. */
    private record Client(String name, List<String> version, List<String> command, List<String> tests) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Stream<Client> clients() {
        return Stream.of(
                new Client("python", List.of("python3", "--version"), List.of("python3", "-m", "spillway_client"),
                        List.of("python3", "-m", "unittest", "discover", "-s", "tests")),
                new Client("node", List.of("node", "--version"), List.of("node", "cli.js"),
                        List.of("node", "--test", "test/")));
    }

    @ParameterizedTest
    @MethodSource("clients")
    void a_client_sends_and_handles_items_and_stops_cleanly(Client client) throws Exception {
        assumeTrue(isThere(client), client.version().getFirst() + " is missing, so its client is not tested");
        Path tenantKey = Files.writeString(directory.resolve("acme.key"),
                commands.run("tenants", "key", "create", "acme", "--output", "json").done().json().get("key")
                        .textValue());
        try (SpillwayProcess running = start("all", Map.of(), "gateway,router,worker")) {
            Path workerKey = directory.resolve("all/worker.key");
            assertThat(Files.getPosixFilePermissions(workerKey))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
            Process producer = start(client, "send", address(running, "gateway"), tenantKey);
            try (var input = producer.outputWriter()) {
                for (int line = 0; line < 30; line++) {
                    input.write("line " + line + "\n");
                }
            }
            List<String> sent = producer.inputReader().lines().toList();
            assertThat(exitOf(producer)).isZero();
            assertThat(sent).hasSize(30).doesNotHaveDuplicates();

            Process worker = start(client, "work", address(running, "work"), workerKey);
            List<String> handled = new ArrayList<>();
            while (handled.size() < 30) {
                String line = worker.inputReader().readLine();
                assertThat(line).as("the worker has ended").isNotNull().startsWith("acme ");
                handled.add(line.split(" ")[1]);
            }
            assertThat(handled).containsExactlyInAnyOrderElementsOf(sent);
            assertBooks(30);
            // Through the handle, because Process.destroy would also close the streams.
            worker.toHandle().destroy();
            assertThat(exitOf(worker)).isZero();

            Process idle = start(client, "send", address(running, "gateway"), tenantKey);
            idle.outputWriter().append("last\n").flush();
            assertThat(idle.inputReader().readLine()).isNotNull();
            idle.toHandle().destroy();
            assertThat(exitOf(idle)).as("stopped while it waits for input").isZero();
            assertThat(running.stop()).isZero();
            assertThat(running.log()).doesNotContain(Files.readString(workerKey).strip()).doesNotContain("ERROR");
        }
    }

    @ParameterizedTest
    @MethodSource("clients")
    void the_own_tests_of_a_client_pass(Client client) throws Exception {
        assumeTrue(isThere(client), client.version().getFirst() + " is missing, so its client is not tested");
        Path output = directory.resolve("tests.log");
        Process tests = new ProcessBuilder(client.tests()).directory(CLIENTS.resolve(client.name()).toFile())
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        started.add(tests);
        assertThat(tests.waitFor()).as(Files.readString(output)).isZero();
    }

    /** As behind a load balancer: whoever gets an answer forwards it to the process that leased the item. */
    @Test
    void an_answer_counts_at_any_process() throws Exception {
        Path keyFile = Files.writeString(directory.resolve("shared.key"), KEY + "\n");
        Map<String, String> shared = Map.of("SPILLWAY_HANDLER_PULL_KEY_FILE", keyFile.toString(),
                "SPILLWAY_HANDLER_PULL_RECEIPT_KEY_FILE", keyFile.toString());
        try (SpillwayProcess owner = startAt(Brokers.freePort(), "owner", shared, "router,worker");
                SpillwayProcess other = startAt(Brokers.freePort(), "other", shared, "worker")) {
            for (int tenant = 0; tenant < 8; tenant++) {
                commands.run("send", "--tenant", "t" + tenant, "--count", "5").done();
            }
            List<String> receipts = new ArrayList<>();
            while (receipts.size() < 3) {
                receipts.addAll(receiptsOf(lease(owner, 3)));
            }
            assertThat(post(other, "done", "{\"receipt\":\"" + receipts.get(0) + "\"}").statusCode()).isEqualTo(200);
            assertThat(post(other, "renew", "{\"receipt\":\"" + receipts.get(1) + "\"}").body())
                    .contains("leaseUntil");
            assertThat(statuses(post(other, "answer", allDone(receipts))))
                    .as("the first was answered before").startsWith(409, 200, 200).doesNotContain(503);
            while (receipts.size() < 40) {
                List<String> more = new ArrayList<>();
                for (SpillwayProcess process : List.of(owner, other)) {
                    String leased = post(process, "lease", "{\"max\":50,\"waitMillis\":200}").body();
                    more.addAll(receiptsOf(JSON.readTree(leased).get("items")));
                }
                if (!more.isEmpty()) {
                    assertThat(statuses(post(other, "answer", allDone(more)))).containsOnly(200);
                    receipts.addAll(more);
                }
            }
            assertBooks(40);
            owner.kill();
            assertThat(post(other, "done", "{\"receipt\":\"" + receipts.get(0) + "\"}"))
                    .as("nobody can say whether it counts").satisfies(unknown -> {
                        assertThat(unknown.statusCode()).isEqualTo(503);
                        assertThat(unknown.headers().firstValue("Retry-After")).contains("1");
                    });
        }
    }

    private static List<String> receiptsOf(JsonNode items) {
        List<String> receipts = new ArrayList<>();
        items.forEach(item -> receipts.add(item.get("receipt").textValue()));
        return receipts;
    }

    private static String allDone(List<String> receipts) {
        return receipts.stream().map(receipt -> "{\"outcome\":\"done\",\"receipt\":\"" + receipt + "\"}")
                .collect(Collectors.joining(",", "{\"answers\":[", "]}"));
    }

    private static List<Integer> statuses(HttpResponse<String> response) throws IOException {
        List<Integer> statuses = new ArrayList<>();
        JSON.readTree(response.body()).get("results").forEach(result -> statuses.add(result.get("status").intValue()));
        return statuses;
    }

    private SpillwayProcess startAt(int port, String name, Map<String, String> environment, String roles) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("SPILLWAY_HANDLER_PULL_PORT", Integer.toString(port));
        all.put("SPILLWAY_HANDLER_PULL_ADVERTISED_URL", "http://127.0.0.1:" + port);
        return start(name, all, roles);
    }

    private SpillwayProcess start(String name, Map<String, String> environment, String roles) {
        Map<String, String> all = new HashMap<>(Map.of("SPILLWAY_HANDLER_PULL_PORT", "0"));
        all.putAll(environment);
        all.put("SPILLWAY_HANDLER_TYPE", "pull");
        return SpillwayProcess.start(directory.resolve(name), all, Stream.concat(
                Stream.of("--roles", roles), Stream.of(commands.options())).toArray(String[]::new));
    }

    /** Waits until all items are done in the ledger, and requires that it balances. */
    private void assertBooks(int items) {
        JsonNode audit = commands.run("audit", "--output", "json").json();
        while (audit.get("done").intValue() < items) {
            LockSupport.parkNanos(50_000_000);
            audit = commands.run("audit", "--output", "json").json();
        }
        assertThat(audit.get("balanced").booleanValue()).as(audit.toString()).isTrue();
        assertThat(audit.get("accepted").intValue()).isEqualTo(items);
        assertThat(audit.get("done").intValue()).isEqualTo(items);
    }

    private JsonNode lease(SpillwayProcess process, int max) throws Exception {
        HttpResponse<String> response = post(process, "lease", "{\"max\":" + max + ",\"waitMillis\":30000}");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JSON.readTree(response.body()).get("items");
    }

    private HttpResponse<String> post(SpillwayProcess process, String action, String body) throws Exception {
        return client.send(HttpRequest.newBuilder(URI.create(address(process, "work") + "/v1/work:" + action))
                .header("Authorization", "Bearer " + KEY)
                .POST(HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String idOf(JsonNode item) {
        return item.get("tenant").textValue() + "/" + item.get("id").textValue();
    }

    private static String address(SpillwayProcess process, String name) {
        Matcher address = Pattern.compile(" " + name + "=(http://\\S+)").matcher(process.readyLine());
        assertThat(address.find()).as(process.readyLine()).isTrue();
        return address.group(1);
    }

    private static boolean isThere(Client client) throws InterruptedException {
        try {
            return new ProcessBuilder(client.version()).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private Process start(Client client, String action, String url, Path keyFile) throws IOException {
        List<String> command = new ArrayList<>(client.command());
        command.addAll(List.of(action, "--url", url, "--key-file", keyFile.toString()));
        Process process = new ProcessBuilder(command).directory(CLIENTS.resolve(client.name()).toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        started.add(process);
        return process;
    }

    private static int exitOf(Process process) throws InterruptedException {
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it ends").isTrue();
        return process.exitValue();
    }
}
