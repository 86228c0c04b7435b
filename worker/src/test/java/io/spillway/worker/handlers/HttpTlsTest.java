package io.spillway.worker.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.DeliveryBuilder;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS of the HTTP handler, with a server that requires a certificate of the client. */
@Timeout(120) // Only against a hang.
class HttpTlsTest {
    private static final String PASSWORD = "opensesame";

    @TempDir
    private static Path directory;
    private static HttpsServer server;

    @BeforeAll
    static void listen() throws Exception {
        generate("server", "EC");
        for (String algorithm : new String[] {"RSA", "EC", "Ed25519"}) {
            generate("client-" + algorithm, algorithm);
        }
        Files.writeString(directory.resolve("password"), PASSWORD + "\n");
        Files.writeString(directory.resolve("wrong"), "hidden");
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        for (String algorithm : new String[] {"RSA", "EC", "Ed25519"}) {
            KeyStore client = load("client-" + algorithm);
            trusted.setCertificateEntry(algorithm, client.getCertificate("a"));
        }
        KeyStore serverOnly = KeyStore.getInstance("PKCS12");
        serverOnly.load(null, null);
        serverOnly.setCertificateEntry("server", load("server").getCertificate("a"));
        try (var out = Files.newOutputStream(directory.resolve("trust.p12"))) {
            serverOnly.store(out, PASSWORD.toCharArray());
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(load("server"), PASSWORD.toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters needed = context.getDefaultSSLParameters();
                needed.setNeedClientAuth(true);
                parameters.setSSLParameters(needed);
            }
        });
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(200, -1);
            }
        });
        server.start();
    }

    @AfterAll
    static void stop() {
        server.stop(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void pem_files_authenticate_both_sides(String algorithm) throws Exception {
        assertThat(send(new HttpSettings.Tls(file("server.pem"), "", file("client-" + algorithm + ".pem"),
                file("client-" + algorithm + ".key"), "", ""))).isEqualTo(Outcome.done());
    }

    @Test
    void pkcs12_stores_with_passwords_in_files_do_so_too() throws Exception {
        assertThat(send(new HttpSettings.Tls(file("trust.p12"), file("password"), "", "",
                file("client-EC.p12"), file("password")))).isEqualTo(Outcome.done());
    }

    @Test
    void a_certificate_that_is_renewed_is_used_without_a_restart() throws Exception {
        copy("server.pem", "rotated.pem");
        copy("server.key", "rotated.key");
        AtomicLong nowMillis = new AtomicLong();
        try (Handler handler = new HttpHandler(settings(new HttpSettings.Tls(
                file("server.pem"), "", file("rotated.pem"), file("rotated.key"), "", "")),
                () -> Instant.ofEpochMilli(nowMillis.get()))) {
            copy("client-EC.pem", "rotated.pem");
            nowMillis.addAndGet(1_000);
            assertThat(attempt(handler)).as("the key is not there yet").isFalse();
            copy("client-EC.key", "rotated.key");
            nowMillis.addAndGet(1_000);
            assertThat(attempt(handler)).isTrue();
        }
    }

    private static boolean attempt(Handler handler) {
        try {
            return handler.handle(DeliveryBuilder.of("acme", "1").build()).equals(Outcome.done());
        } catch (Exception e) {
            return false;
        }
    }

    private static void copy(String from, String to) throws IOException {
        Files.copy(directory.resolve(from), directory.resolve(to), StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void without_a_certificate_of_the_client_no_item_is_sent() {
        Outcome outcome;
        try {
            outcome = send(new HttpSettings.Tls(file("server.pem"), "", "", "", "", ""));
        } catch (Exception e) {
            // With TLS 1.3 the server refuses after the client's handshake, and its alert and the request cross.
            assertThat(e).isInstanceOf(IOException.class);
            return;
        }
        assertThat(outcome).isInstanceOf(Outcome.Unavailable.class);
    }

    @Test
    void a_server_that_is_not_trusted_is_unavailable_and_no_item_is_sent() throws Exception {
        assertThat(send(new HttpSettings.Tls("", "", file("client-EC.pem"), file("client-EC.key"), "", "")))
                .isInstanceOfSatisfying(Outcome.Unavailable.class, no ->
                        assertThat(no.detail()).startsWith("no connection to 127.0.0.1:").contains("SSLHandshake"));
    }

    @Test
    void a_file_that_cannot_be_used_is_named_with_its_setting_and_without_a_secret() {
        assertRefused(new HttpSettings.Tls(file("trust.p12"), file("wrong"), "", "", "", ""), "trustFile");
        assertRefused(new HttpSettings.Tls(file("password"), "", "", "", "", ""), "trustFile");
        assertRefused(new HttpSettings.Tls(file("none.pem"), "", "", "", "", ""), "trustFile");
        assertRefused(new HttpSettings.Tls("", "", "", "", file("client-EC.p12"), file("wrong")), "keystoreFile");
        assertRefused(new HttpSettings.Tls("", "", file("server.pem"), file("server.pem"), "", ""), "keyFile");
    }

    @Test
    void a_certificate_needs_its_key_and_excludes_a_store() {
        assertThatThrownBy(() -> new HttpSettings.Tls("", "", "c.pem", "", "", ""))
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining("handler.http.tls.keyFile");
        assertThatThrownBy(() -> new HttpSettings.Tls("", "", "c.pem", "k.pem", "s.p12", ""))
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining("handler.http.tls.keystoreFile");
    }

    private static void assertRefused(HttpSettings.Tls tls, String key) {
        assertThatThrownBy(() -> new HttpHandler.Type().check(settings(tls), null))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("handler.http.tls." + key)
                .hasMessageNotContaining("hidden").hasMessageNotContaining(PASSWORD);
    }

    private static Outcome send(HttpSettings.Tls tls) throws Exception {
        try (Handler handler = new HttpHandler(settings(tls), InstantSource.system())) {
            return handler.handle(DeliveryBuilder.of("acme", "1").build());
        }
    }

    private static HttpSettings settings(HttpSettings.Tls tls) {
        Duration timeout = Duration.ofSeconds(30);
        return new HttpSettings("https://127.0.0.1:" + server.getAddress().getPort() + "/", timeout, timeout,
                1, Map.of(), Map.of(), false, "", "", "", tls, "");
    }

    private static String file(String name) {
        return directory.resolve(name).toString();
    }

    private static KeyStore load(String name) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(directory.resolve(name + ".p12"))) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    /** Creates a key with a certificate of its own, as a store and as PEM files. */
    private static void generate(String name, String algorithm) throws Exception {
        Process keytool = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias", "a",
                "-keyalg", algorithm, "-dname", "CN=" + name, "-ext", "san=ip:127.0.0.1", "-storetype", "PKCS12",
                "-keystore", file(name + ".p12"), "-storepass", PASSWORD).redirectErrorStream(true).start();
        String output = new String(keytool.getInputStream().readAllBytes());
        assertThat(keytool.waitFor()).as(output).isZero();
        KeyStore store = load(name);
        write(name + ".pem", "CERTIFICATE", store.getCertificate("a").getEncoded());
        write(name + ".key", "PRIVATE KEY", store.getKey("a", PASSWORD.toCharArray()).getEncoded());
    }

    private static void write(String name, String type, byte[] content) throws IOException {
        Files.writeString(directory.resolve(name), "-----BEGIN " + type + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
                + "\n-----END " + type + "-----\n");
    }
}
