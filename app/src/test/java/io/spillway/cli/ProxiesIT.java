package io.spillway.cli;

import static java.net.http.HttpResponse.BodyHandlers.discarding;
import static java.net.http.HttpResponse.BodyHandlers.ofString;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.audit.Census;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * nginx and HAProxy, with the configuration of the documentation, in front of two gateways and two workers of type
 * pull.
 */
@Tag("long")
@Timeout(1_800) // Against a hang; nothing is measured. On a busy machine each proxy takes up to seven minutes.
class ProxiesIT {
    private static final String WORKER_KEY = "spw_0123456789abcdef0123456789abcdef";
    private static final String PASSWORD = "opensesame";
    private static final String LONG_POLL = "{\"waitMillis\":30000}";
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private final ProxyUnderTest.Backend a = ProxyUnderTest.Backend.withFreePorts();
    private final ProxyUnderTest.Backend b = ProxyUnderTest.Backend.withFreePorts();
    private CommandsUnderTest commands;
    private HttpClient client;
    private String tenantKey;

    @BeforeEach
    void prepare() throws Exception {
        commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        tenantKey = commands.run("tenants", "key", "create", "acme", "--output", "json").done().json().get("key")
                .textValue();
        for (String name : List.of("work", "receipt")) {
            Files.writeString(directory.resolve(name + ".key"), WORKER_KEY + "\n");
        }
        client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(certificates()).build();
    }

    @ParameterizedTest
    @EnumSource
    void no_item_is_lost_or_done_twice_without_a_word_while_the_proxy_reloads_and_a_gateway_stops_and_is_killed(
            ProxyUnderTest.Program program) throws Exception {
        assumeTrue(program.find().isPresent(), program + " is neither on the path nor in target/tools");
        SpillwayProcess first = start("a", a);
        SpillwayProcess second = start("b", b);
        try (ProxyUnderTest proxy = new ProxyUnderTest(program, directory, a, b);
                StoredItems stored = new StoredItems(kafka.bootstrapServers(), commands.topics().ingress())) {
            largeBodiesArrive(proxy);
            theItemOfADeadWorkerGoesToTheNextOne(proxy, first, second);
            ProxyCallers callers = new ProxyCallers(client, proxy, tenantKey, WORKER_KEY);

            callers.begin("steady");
            callers.awaitMore(300);

            callers.begin("reload");
            for (int i = 0; i < 3; i++) {
                proxy.reload();
                callers.awaitMore(100);
            }

            callers.begin("taken out");
            proxy.takeOut("a", a);
            callers.awaitMore(50);
            callers.begin("out");
            assertThat(first.stop()).isZero();
            callers.awaitMore(50);
            first = start("a", a);
            callers.begin("put back");
            proxy.putBack("a");
            callers.awaitMore(100);

            callers.begin("stopped");
            assertThat(second.stop()).isZero();
            callers.awaitMore(100);
            second = start("b", b);
            callers.awaitMore(100);

            callers.begin("killed");
            awaitCommitted(idsAccepted(callers.handled()));
            callers.awaitMore(50);
            second.kill();
            callers.awaitMore(200);
            callers.begin("restarted");
            second = start("b", b);
            callers.awaitMore(100);

            callers.endSenders();
            Map<String, Integer> copies = stored.awaitEnd();
            awaitDone(copies.values().stream().mapToInt(Integer::intValue).sum());
            callers.begin("idle");
            callers.endWorkers();
            Stream.of("start", "steady", "reload", "taken out", "out", "put back", "stopped", "killed", "restarted",
                    "idle").forEach(phase -> System.out.println(program + " " + phase + ": sent "
                            + callers.answers(phase) + "; leases " + callers.work(phase, "lease") + "; done "
                            + callers.work(phase, "done")));

            callers.sent().forEach((id, answer) -> {
                int found = copies.getOrDefault(id, 0);
                assertThat(found).as(id + " " + answer).isBetween(answer.status() == 202 ? 1 : 0,
                        answer.what().equals("stopping") ? 0 : 1);
            });
            // A reload of nginx closes idle connections, on which a client may just send.
            for (String phase : program == ProxyUnderTest.Program.NGINX ? List.of("steady", "out")
                    : List.of("steady", "reload", "taken out", "out", "put back")) {
                assertThat(callers.answers(phase).keySet()).as(phase).isSubsetOf("202");
            }
            assertThat(doneBefore(callers.handled())).as("handled again although the answer was accepted before")
                    .isEmpty();
            assertThat(callers.handled().stream().map(ProxyCallers.Handling::id).collect(Collectors.toSet()))
                    .containsAll(copies.keySet().stream().filter(id -> id.startsWith("s")).toList());
        } finally {
            first.close();
            second.close();
        }
    }

    private static Set<String> idsAccepted(List<ProxyCallers.Handling> handled) {
        return handled.stream().filter(handling -> handling.answer().status() == 200)
                .map(ProxyCallers.Handling::id).collect(Collectors.toSet());
    }

    /** Waits for the commits of these accepted answers: on a busy machine one may take longer than a phase. */
    private void awaitCommitted(Set<String> ids) {
        try (Census census = new Census(commands.configuration(), InstantSource.system())) {
            AtomicBoolean isCommitted = new AtomicBoolean();
            while (!isCommitted.get()) {
                isCommitted.set(true);
                census.forEach(false, item -> isCommitted.compareAndSet(true, !ids.contains(item.id())));
            }
        }
    }

    /** Returns what was handled after an accepted answer, which only a kill before the next commit explains. */
    private static Set<String> doneBefore(List<ProxyCallers.Handling> handled) {
        return handled.stream().collect(Collectors.groupingBy(ProxyCallers.Handling::id)).entrySet().stream()
                .filter(item -> item.getValue().stream()
                        .filter(handling -> handling.answer().status() == 200)
                        .filter(handling -> !handling.answer().phase().equals("killed")).count() > 1)
                .map(item -> item.getKey() + " " + item.getValue()).collect(Collectors.toSet());
    }

    private void largeBodiesArrive(ProxyUnderTest proxy) throws Exception {
        String url = proxy.itemsUrl();
        assertThat(post(url, "items", "x".repeat(MIB), tenantKey).statusCode()).isEqualTo(202);
        assertThat(post(url, "items", "x".repeat(MIB + 1), tenantKey).body())
                .contains("urn:spillway:problem:too-large");
        String line = "{\"payload\":\"" + "x".repeat(MIB - 100) + "\"}\n";
        HttpResponse<String> batch = post(url, "items:batch", line.repeat(4), tenantKey);
        assertThat(batch.statusCode()).as(batch.body()).isEqualTo(200);
        assertThat(batch.body().lines()).hasSize(4).allMatch(answer -> answer.contains("\"status\":202"));
        int done = 0;
        while (done < 5) {
            for (String work : proxy.workUrls()) {
                done += done(work, post(work, "work:lease", "{\"max\":100}", WORKER_KEY));
            }
        }
    }

    private void theItemOfADeadWorkerGoesToTheNextOne(ProxyUnderTest proxy, SpillwayProcess... processes)
            throws Exception {
        HttpClient dying = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
                .sslContext(client.sslContext()).build();
        proxy.workUrls().forEach(url ->
                dying.sendAsync(request(url, "work:lease", LONG_POLL, WORKER_KEY), discarding()));
        awaitAsked(1, processes);
        dying.shutdownNow();
        assertThat(dying.awaitTermination(Duration.ofMinutes(1))).isTrue();
        List<CompletableFuture<HttpResponse<String>>> calls = proxy.workUrls().stream()
                .map(url -> client.sendAsync(request(url, "work:lease", LONG_POLL, WORKER_KEY), ofString())).toList();
        awaitAsked(2, processes);
        assertThat(post(proxy.itemsUrl(), "items", "one", tenantKey).statusCode()).isEqualTo(202);
        int found = 0;
        for (int i = 0; i < 2; i++) {
            found += done(proxy.workUrls().get(i), calls.get(i).get());
        }
        assertThat(found).as("the item does not go to a connection whose worker has ended").isEqualTo(1);
    }

    /** Waits until each process has calls that ask for a number of items. */
    private void awaitAsked(int items, SpillwayProcess... processes) throws Exception {
        for (SpillwayProcess process : processes) {
            HttpRequest scrape = HttpRequest.newBuilder(process.address("metrics")).build();
            Pattern asked = Pattern.compile("^spillway_pull_asked\\{?.* " + items + "\\.0$", Pattern.MULTILINE);
            while (!asked.matcher(client.send(scrape, ofString()).body()).find()) {
                LockSupport.parkNanos(10_000_000);
            }
        }
    }

    /** Answers what was leased, and returns how much that is. */
    private int done(String url, HttpResponse<String> leased) throws Exception {
        assertThat(leased.statusCode()).as(leased.body()).isEqualTo(200);
        JsonNode items = new JsonMapper().readTree(leased.body()).get("items");
        for (JsonNode item : items) {
            assertThat(post(url, "work:done", "{\"receipt\":" + item.get("receipt") + "}", WORKER_KEY).statusCode())
                    .isEqualTo(200);
        }
        return items.size();
    }

    private HttpResponse<String> post(String url, String path, String body, String key) throws Exception {
        return client.send(request(url, path, body, key), ofString());
    }

    private static HttpRequest request(String url, String path, String body, String key) {
        return HttpRequest.newBuilder(URI.create(url + "/v1/" + path)).header("Authorization", "Bearer " + key)
                .POST(HttpRequest.BodyPublishers.ofString(body)).build();
    }

    /** Waits until all items are done in the ledger, and requires that it balances. */
    private void awaitDone(int items) {
        JsonNode audit = commands.run("audit", "--output", "json").json();
        while (audit.get("done").intValue() < items) {
            LockSupport.parkNanos(100_000_000);
            audit = commands.run("audit", "--output", "json").json();
        }
        assertThat(audit.get("balanced").booleanValue()).as(audit.toString()).isTrue();
        assertThat(audit.get("accepted").intValue()).isEqualTo(items);
        assertThat(audit.get("done").intValue()).isEqualTo(items);
    }

    private SpillwayProcess start(String name, ProxyUnderTest.Backend ports) {
        return SpillwayProcess.start(directory.resolve(name), Map.of(
                "SPILLWAY_GATEWAY_PORT", Integer.toString(ports.gateway()),
                "SPILLWAY_GATEWAY_TLS_CERTIFICATE_FILE", directory.resolve("ca.crt").toString(),
                "SPILLWAY_GATEWAY_TLS_KEY_FILE", directory.resolve("proxy.key").toString(),
                "SPILLWAY_HANDLER_TYPE", "pull",
                "SPILLWAY_HANDLER_PULL_PORT", Integer.toString(ports.work()),
                "SPILLWAY_HANDLER_PULL_KEY_FILE", directory.resolve("work.key").toString(),
                "SPILLWAY_HANDLER_PULL_RECEIPT_KEY_FILE", directory.resolve("receipt.key").toString()),
                Stream.concat(Stream.of("--roles", "gateway,router,worker"), Stream.of(commands.options()))
                        .toArray(String[]::new));
    }

    /** Writes a certificate of the proxy and the gateways, and returns what trusts it. */
    private SSLContext certificates() throws Exception {
        Path file = directory.resolve("proxy.p12");
        Process keytool = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
                "-alias", "proxy", "-keyalg", "EC", "-dname", "CN=spillway.example.com",
                "-ext", "SAN=dns:spillway.example.com,ip:127.0.0.1", "-validity", "30",
                "-storetype", "PKCS12", "-keystore", file.toString(), "-storepass", PASSWORD).inheritIO().start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        String certificate = pem("CERTIFICATE", store.getCertificate("proxy").getEncoded());
        String key = pem("PRIVATE KEY", store.getKey("proxy", PASSWORD.toCharArray()).getEncoded());
        Files.writeString(directory.resolve("proxy.crt"), certificate);
        Files.writeString(directory.resolve("ca.crt"), certificate);
        Files.writeString(directory.resolve("proxy.key"), key);
        Files.writeString(directory.resolve("proxy.pem"), certificate + key);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("proxy", store.getCertificate("proxy"));
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    private static String pem(String kind, byte[] content) {
        return "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
                + "\n-----END " + kind + "-----\n";
    }
}
