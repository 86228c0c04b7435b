package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.spillway.guarantee.KafkaUnderTest;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Faults of the connection to Kafka and of its security are one line with the cause and the remedy, and no trace. */
@Timeout(900) // Against a hang; nothing is measured.
class KafkaConnectionIT {
    private static final String IMPATIENT = "default.api.timeout.ms: 2000\n    request.timeout.ms: 2000\n    ";
    private static final String PASSWORD = "secret-of-the-store";

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

    @BeforeEach
    void listen() {
        log.start();
        root.addAppender(log);
    }

    @AfterEach
    void stopListening() {
        root.detachAppender(log);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SASL_PLAINTEXT", "SASL_SSL"})
    void a_missing_jaas_entry_is_the_cause(String protocol) throws Exception {
        assertThat(failure("security.protocol: " + protocol + "\n    sasl.mechanism: PLAIN"))
                .contains("JAAS", "sasl.jaas.config", "kafka.properties");
    }

    @Test
    void an_invalid_jaas_entry_is_the_cause_and_is_not_quoted() throws Exception {
        assertThat(failure("security.protocol: SASL_PLAINTEXT\n    sasl.mechanism: PLAIN\n    sasl.jaas.config: "
                        + "org.apache.kafka.common.security.plain.PlainLoginModule required hunter2"))
                .contains("sasl.jaas.config").doesNotContain("hunter2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"truststore", "keystore"})
    void a_missing_store_is_named_with_its_file(String kind) throws Exception {
        assertThat(failure("security.protocol: SSL\n    ssl." + kind + ".location: /none/store.jks\n    ssl." + kind
                        + ".password: hunter2"))
                .contains("/none/store.jks", "ssl." + kind + ".location").doesNotContain("hunter2");
    }

    @Test
    void a_missing_password_of_a_store_is_the_cause() throws Exception {
        assertThat(failure("security.protocol: SSL\n    ssl.keystore.location: " + createStore()))
                .contains("key store password is not specified", "ssl.*");
    }

    @Test
    void a_wrong_password_of_a_store_is_the_cause() throws Exception {
        String store = createStore().toString();
        assertThat(failure("security.protocol: SSL\n    ssl.truststore.location: " + store
                        + "\n    ssl.truststore.type: PKCS12\n    ssl.truststore.password: wrong"))
                .contains(store, "PKCS12", "passwords", "ssl.truststore.*").doesNotContain("wrong");
    }

    @Test
    void a_login_that_the_listener_does_not_support_is_the_cause() throws Exception {
        assertThat(failure("security.protocol: SASL_PLAINTEXT\n    sasl.mechanism: PLAIN\n    sasl.jaas.config: "
                        + "org.apache.kafka.common.security.plain.PlainLoginModule required username=u password=p;"))
                .contains("refuses the login", "client mechanism PLAIN", "sasl.mechanism")
                .doesNotContain("does not answer");
    }

    @Test
    void tls_to_a_port_without_tls_is_the_cause() throws Exception {
        assertThat(failure(IMPATIENT + "security.protocol: SSL"))
                .contains(kafka.bootstrapServers() + " does not use TLS", "security.protocol", "PLAINTEXT");
    }

    @Test
    void a_certificate_that_is_not_trusted_is_the_cause() throws Exception {
        try (ServerSocket tls = tlsServer()) {
            assertThat(failure("127.0.0.1:" + tls.getLocalPort(), IMPATIENT + "security.protocol: SSL"))
                    .contains("certificate is not trusted", "ssl.truststore.location");
        }
    }

    @Test
    void plain_text_to_a_port_with_tls_is_the_cause() throws Exception {
        try (ServerSocket tls = tlsServer()) {
            String address = "127.0.0.1:" + tls.getLocalPort();
            assertThat(failure(address, IMPATIENT + "security.protocol: PLAINTEXT"))
                    .contains(address + " uses TLS", "security.protocol", "SASL_SSL");
        }
    }

    @Test
    void a_port_where_nothing_listens_is_the_cause() throws Exception {
        assertThat(failure("127.0.0.1:1", IMPATIENT + "client.rack: x")).contains("nothing listens on 127.0.0.1:1");
    }

    /** An empty label is refused without a question to a name server. */
    @Test
    void a_host_that_cannot_be_resolved_is_the_cause() throws Exception {
        assertThat(CommandRun.of("tenants", "list", "--bootstrap-servers", "no..host:9092").failedWith(2))
                .contains("no..host:9092", "resolved", "kafka.bootstrapServers");
    }

    private String failure(String properties) throws IOException {
        return failure(kafka.bootstrapServers(), properties);
    }

    private String failure(String address, String properties) throws IOException {
        String config = Files.writeString(directory.resolve("spillway.yml"),
                "kafka:\n  properties:\n    " + properties + "\n").toString();
        String line = CommandRun.of("tenants", "list", "--config", config, "--bootstrap-servers", address)
                .failedWith(1);
        assertThat(line).contains(address).doesNotContain("Unexpected failure", "Failed to create", "Exception:", "$");
        assertThat(log.list).as("a trace in the log").allMatch(event -> event.getThrowableProxy() == null);
        return line;
    }

    private Path createStore() throws Exception {
        Path store = directory.resolve("broker.p12");
        Process keytool = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
                "-alias", "broker", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "SAN=ip:127.0.0.1",
                "-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", PASSWORD)
                .redirectErrorStream(true).start();
        String output = new String(keytool.getInputStream().readAllBytes());
        assertThat(keytool.waitFor()).as(output).isZero();
        return store;
    }

    /** A port that does a TLS handshake with each connection and then closes it, until it is closed itself. */
    private ServerSocket tlsServer() throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(createStore())) {
            keys.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        ServerSocket server =
                context.getServerSocketFactory().createServerSocket(0, 16, InetAddress.getByName("127.0.0.1"));
        Thread.ofVirtual().start(() -> {
            while (!server.isClosed()) {
                try (var socket = server.accept()) {
                    socket.getInputStream().read();
                } catch (IOException e) {
                    // The client refuses the certificate, or the server is closed.
                }
            }
        });
        return server;
    }
}
