package io.spillway.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.config.GatewaySettings;
import io.spillway.core.settings.InvalidSettingException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120) // Against a hang; nothing is measured.
class GatewayTlsTest {
    static final String PASSWORD = "opensesame";

    @TempDir
    Path directory;

    private Path store;
    private KeyStore content;

    @BeforeEach
    void createCertificate() throws Exception {
        store = createStore(directory);
        content = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            content.load(in, PASSWORD.toCharArray());
        }
    }

    /** Creates a key and a certificate for this machine in a new PKCS #12 store. */
    static Path createStore(Path directory) throws Exception {
        Path store = directory.resolve("gateway.p12");
        Process keytool = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
                "-alias", "gateway", "-keyalg", "EC", "-dname", "CN=localhost",
                "-ext", "SAN=ip:127.0.0.1,dns:localhost", "-validity", "30",
                "-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", PASSWORD)
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes());
        assertThat(keytool.waitFor()).as(output).isZero();
        return store;
    }

    @Test
    void a_pkcs_12_store_turns_tls_on() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest(
                true, "gateway.tls.keystoreFile", store.toString(), "gateway.tls.keystorePassword", PASSWORD)) {
            assertServes(gateway);
        }
    }

    @Test
    void pem_files_turn_tls_on() throws Exception {
        Path certificate = pem("cert.pem", "CERTIFICATE", content.getCertificate("gateway").getEncoded());
        Path key = pem("key.pem", "PRIVATE KEY", content.getKey("gateway", PASSWORD.toCharArray()).getEncoded());
        try (GatewayUnderTest gateway = new GatewayUnderTest(
                true, "gateway.tls.certificateFile", certificate.toString(), "gateway.tls.keyFile", key.toString())) {
            assertServes(gateway);
        }
    }

    @Test
    void pem_files_may_have_a_byte_order_mark_and_the_line_ends_of_another_system() throws Exception {
        Path certificate = pem("cert.pem", "CERTIFICATE", content.getCertificate("gateway").getEncoded());
        Path key = pem("key.pem", "PRIVATE KEY", content.getKey("gateway", PASSWORD.toCharArray()).getEncoded());
        for (Path file : List.of(certificate, key)) {
            Files.writeString(file, "\uFEFF" + Files.readString(file).replace("\n", "\r\n"));
        }
        try (GatewayUnderTest gateway = new GatewayUnderTest(
                true, "gateway.tls.certificateFile", certificate.toString(), "gateway.tls.keyFile", key.toString())) {
            assertServes(gateway);
        }
    }

    @Test
    void external_workers_lease_over_tls_with_the_same_certificate() throws Exception {
        HttpClient trusting = trusting();
        try (WorkUnderTest work = new WorkUnderTest(1_000, trusting, Map.of(
                "gateway.tls.keystoreFile", store.toString(), "gateway.tls.keystorePassword", PASSWORD))) {
            assertThat(work.url).startsWith("https://127.0.0.1:");
            try (Socket dead = trusting.sslContext().getSocketFactory()
                    .createSocket("127.0.0.1", work.address().getPort())) {
                work.poll(dead, 1);
            }
            work.item("one");
            assertThat(work.lease(1)).singleElement().satisfies(item ->
                    assertThat(item.get("id").textValue()).isEqualTo("one"));
        }
    }

    @Test
    void new_connections_have_a_changed_certificate_once_its_key_is_there_too() throws Exception {
        Certificate before = content.getCertificate("gateway");
        Path certificate = pem("cert.pem", "CERTIFICATE", before.getEncoded());
        Path key = pem("key.pem", "PRIVATE KEY", content.getKey("gateway", PASSWORD.toCharArray()).getEncoded());
        ServerTls tls = new ServerTls(new GatewaySettings.Tls(certificate.toString(), key.toString(), "", ""));
        SSLContext context = tls.server().sslContext();
        assertThat(served(context)).isEqualTo(before);

        Files.delete(store);
        createCertificate();
        Certificate after = content.getCertificate("gateway");
        pem("cert.pem", "CERTIFICATE", after.getEncoded());
        tls.reload();
        assertThat(served(context)).as("the key is still the former one").isEqualTo(before);
        pem("key.pem", "PRIVATE KEY", content.getKey("gateway", PASSWORD.toCharArray()).getEncoded());
        tls.reload();
        assertThat(served(context)).isEqualTo(after).isNotEqualTo(before);
        Files.delete(key);
        tls.reload();
        assertThat(served(context)).as("a file is missing").isEqualTo(after);
    }

    @Test
    void a_running_gateway_follows_its_store_and_measures_when_the_certificate_expires() throws Exception {
        try (GatewayUnderTest gateway = new GatewayUnderTest(
                true, "gateway.tls.keystoreFile", store.toString(), "gateway.tls.keystorePassword", PASSWORD)) {
            long endMillis = ((X509Certificate) content.getCertificate("gateway")).getNotAfter().getTime();
            assertThat(gateway.registry.get("spillway.certificate.expires").tag("use", "gateway").timeGauge()
                    .value(TimeUnit.MILLISECONDS)).isEqualTo(endMillis - gateway.nowMillis.get());

            Files.delete(store);
            createCertificate();
            Certificate served;
            do {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
                served = served(gateway.port());
            } while (!served.equals(content.getCertificate("gateway")));
            assertServes(gateway);
        }
    }

    /** Returns the certificate that a listener with this context shows. */
    private static Certificate served(SSLContext context) throws Exception {
        try (SSLServerSocket listener = (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0)) {
            CompletableFuture<Void> handshake = CompletableFuture.runAsync(() -> {
                try (SSLSocket accepted = (SSLSocket) listener.accept()) {
                    accepted.startHandshake();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            Certificate served = served(listener.getLocalPort());
            handshake.join();
            return served;
        }
    }

    private static Certificate served(int port) throws Exception {
        X509Certificate[] seen = new X509Certificate[1];
        SSLContext trusting = SSLContext.getInstance("TLS");
        TrustManager recording = new X509ExtendedTrustManager() {
            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
                seen[0] = chain[0];
            }

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
                seen[0] = chain[0];
            }

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type) {
                seen[0] = chain[0];
            }

            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type) {}

            @Override
            public X509Certificate[] getAcceptedIssuers() {
                return new X509Certificate[0];
            }
        };
        trusting.init(null, new TrustManager[] {recording}, null);
        try (SSLSocket socket = (SSLSocket) trusting.getSocketFactory().createSocket("127.0.0.1", port)) {
            socket.startHandshake();
        }
        return seen[0];
    }

    @Test
    void invalid_files_are_reported_without_the_password() throws Exception {
        Path junk = Files.writeString(directory.resolve("junk"), "junk");
        assertThatThrownBy(() -> new GatewayUnderTest(
                        true, "gateway.tls.keystoreFile", store.toString(), "gateway.tls.keystorePassword", "notthis"))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("gateway.tls.keystoreFile").message().doesNotContain("notthis");
        assertThatThrownBy(() -> new GatewayUnderTest(
                        true, "gateway.tls.keystoreFile", directory.resolve("no").toString()))
                .isInstanceOf(InvalidSettingException.class).hasMessageEndingWith(": must be a readable file");
        assertThatThrownBy(() -> new GatewayUnderTest(
                        true, "gateway.tls.certificateFile", junk.toString(), "gateway.tls.keyFile", junk.toString()))
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining("PEM");
        assertThatThrownBy(() -> new GatewayUnderTest(true, "gateway.tls.keyFile", junk.toString()))
                .isInstanceOf(InvalidSettingException.class).hasMessageContaining("gateway.tls.certificateFile");
    }

    private void assertServes(GatewayUnderTest gateway) throws Exception {
        assertThat(gateway.url).startsWith("https://127.0.0.1:");
        try (HttpClient client = trusting()) {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(URI.create(gateway.url + "/v1/items"))
                            .header("Authorization", "Bearer " + gateway.key("acme"))
                            .POST(HttpRequest.BodyPublishers.ofString("x"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(202);
        }
    }

    private HttpClient trusting() throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("gateway", content.getCertificate("gateway"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    private Path pem(String name, String what, byte[] encoded) throws Exception {
        return Files.writeString(directory.resolve(name), "-----BEGIN " + what + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded)
                + "\n-----END " + what + "-----\n");
    }
}
