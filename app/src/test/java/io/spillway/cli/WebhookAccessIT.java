package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Receivers that know their senders by a certificate and by access tokens. */
@Timeout(300) // Against a hang.
class WebhookAccessIT {
    private static final String PASSWORD = "changeit";

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private final AtomicInteger tokens = new AtomicInteger();
    private final Map<String, Set<String>> done = new ConcurrentHashMap<>();
    /** The receiver refuses all tokens before this one, as if they were revoked. */
    private volatile String oldest = "Bearer t1";

    @Test
    void each_receiver_gets_its_own_certificate_and_tokens_of_which_a_refused_one_is_replaced() throws Exception {
        HttpServer authority = HttpServer.create(loopback(), 0);
        authority.createContext("/token", this::giveToken);
        HttpsServer receiver = receiver();
        Stream.of(authority, receiver).forEach(server -> {
            server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            server.start();
        });
        Path keys = Files.createDirectories(directory.resolve("keys"));
        String oauth = "oauth2 http://127.0.0.1:" + authority.getAddress().getPort() + "/token id secret\n";
        Files.writeString(keys.resolve("one"), oauth + pem("one"));
        Files.writeString(keys.resolve("two"), pem("two") + oauth);
        Files.writeString(keys.resolve("none"), oauth);

        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        try (SpillwayProcess all = SpillwayProcess.start(directory.resolve("all"), Map.of(
                "SPILLWAY_HANDLER_TYPE", "webhook", "SPILLWAY_HANDLER_WEBHOOK_KEYS", keys.toString(),
                "SPILLWAY_HANDLER_WEBHOOK_ALLOWPRIVATE", "true",
                "JAVA_TOOL_OPTIONS", "-Djavax.net.ssl.trustStore=" + directory.resolve("receiver.p12")
                        + " -Djavax.net.ssl.trustStorePassword=" + PASSWORD), commands.options())) {
            for (String name : new String[] {"one", "two", "none"}) {
                commands.run("subscriptions", "set", "acme", name, "--signing-key", name, "--url",
                        "https://127.0.0.1:" + receiver.getAddress().getPort() + "/" + name, "--wait").done();
            }
            commands.run("send", "--tenant", "acme", "--count", "20").done();
            await("one CN=one", 20);
            await("two CN=two", 20);
            assertThat(tokens).as("one for each receiver, and none for each request").hasValueLessThanOrEqualTo(3);
            oldest = "Bearer t" + (tokens.get() + 1);
            commands.run("send", "--tenant", "acme", "--count", "10").done();
            await("one CN=one", 30);
            await("two CN=two", 30);
            assertThat(done.keySet()).as("nobody without a certificate, and none with another's")
                    .containsExactlyInAnyOrder("one CN=one", "two CN=two");
            assertThat(all.stop()).isZero();
        } finally {
            authority.stop(0);
            receiver.stop(0);
        }
    }

    private void giveToken(HttpExchange exchange) throws IOException {
        byte[] body = ("{\"access_token\": \"t" + tokens.incrementAndGet() + "\", \"token_type\": \"Bearer\"}")
                .getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private HttpsServer receiver() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(store("receiver"), PASSWORD.toCharArray());
        KeyStore clients = KeyStore.getInstance("PKCS12");
        clients.load(null, null);
        for (String name : new String[] {"one", "two"}) {
            clients.setCertificateEntry(name, store(name).getCertificate(name));
        }
        TrustManagerFactory known = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        known.init(clients);
        context.init(own.getKeyManagers(), known.getTrustManagers(), null);
        HttpsServer server = HttpsServer.create(loopback(), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters tls = context.getDefaultSSLParameters();
                tls.setNeedClientAuth(true);
                parameters.setSSLParameters(tls);
            }
        });
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            String token = exchange.getRequestHeaders().getFirst("Authorization");
            boolean isGood = number(token) >= number(oldest);
            if (isGood) {
                String client = ((HttpsExchange) exchange).getSSLSession().getPeerPrincipal().getName();
                done.computeIfAbsent(exchange.getRequestURI().getPath().substring(1) + " " + client,
                        name -> ConcurrentHashMap.newKeySet())
                        .add(exchange.getRequestHeaders().getFirst("webhook-id"));
            }
            exchange.sendResponseHeaders(isGood ? 204 : 401, -1);
            exchange.close();
        });
        return server;
    }

    private static int number(String token) {
        return Integer.parseInt(token.substring("Bearer t".length()));
    }

    private void await(String name, int count) {
        while (done.getOrDefault(name, Set.of()).size() < count) {
            LockSupport.parkNanos(10_000_000);
        }
    }

    private String pem(String name) throws Exception {
        KeyStore store = store(name);
        return block("CERTIFICATE", store.getCertificate(name).getEncoded())
                + block("PRIVATE KEY", store.getKey(name, PASSWORD.toCharArray()).getEncoded());
    }

    private static String block(String type, byte[] content) {
        return "-----BEGIN " + type + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END "
                + type + "-----\n";
    }

    private KeyStore store(String name) throws Exception {
        Path file = directory.resolve(name + ".p12");
        if (Files.notExists(file)) {
            Process keytool = new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
                    "-alias", name, "-keyalg", "EC", "-dname", "CN=" + name, "-ext", "SAN=ip:127.0.0.1",
                    "-storetype", "PKCS12", "-keystore", file.toString(), "-storepass", PASSWORD)
                    .redirectErrorStream(true).start();
            String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(keytool.waitFor()).as(output).isZero();
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }
}
