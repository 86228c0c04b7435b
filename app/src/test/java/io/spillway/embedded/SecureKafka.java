package io.spillway.embedded;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;

/**
 * Broker with ACLs and a listener for TLS and SCRAM-SHA-512, as in production. Its other listener has no security: its
 * users may do everything. Owner of the broker; the certificate is for 127.0.0.1.
 */
public final class SecureKafka implements AutoCloseable {
    private static final String SECURE = "SECURE";
    private static final String STORE_PASSWORD = "secret-of-the-store";

    private final BrokerDirectory directory;
    private final LoopbackSockets sockets;
    private final ServerSocketChannel secure;
    private final BrokerNode node;
    private final Path certificate;
    private final Admin admin;

    /** Starts a broker with its data and its certificate below a directory. */
    public SecureKafka(Path base) throws Exception {
        Path store = createStore(base.resolve("broker.p12"));
        certificate = writeCertificate(store, base.resolve("broker.pem"));
        directory = BrokerDirectory.claim(base.resolve("kafka"));
        sockets = LoopbackSockets.bind(0);
        directory.prepare(sockets.controllerPort());
        secure = ServerSocketChannel.open();
        secure.configureBlocking(false);
        secure.bind(new InetSocketAddress(LoopbackSockets.HOST, 0));
        FatalFaults faults = new FatalFaults(status -> { });
        node = new BrokerNode(settings(store), (listener, address, backlog, buffer) -> listener.equals(SECURE)
                ? secure : sockets.openServerSocket(listener, address, backlog, buffer), faults);
        node.start(Duration.ofMinutes(2));
        admin = Admin.create(Map.of("bootstrap.servers", LoopbackSockets.HOST + ":" + sockets.brokerPort()));
    }

    private Map<String, String> settings(Path store) {
        Map<String, String> settings = new TreeMap<>(BrokerSettings.of(
                directory.path(), sockets.brokerPort(), sockets.controllerPort()));
        settings.merge("listeners", SECURE + "://" + bootstrapServers(), (old, more) -> old + "," + more);
        settings.merge("listener.security.protocol.map", SECURE + ":SASL_SSL", (old, more) -> old + "," + more);
        settings.put("sasl.enabled.mechanisms", "SCRAM-SHA-512");
        settings.put("listener.name.secure.scram-sha-512.sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required;");
        settings.put("ssl.keystore.location", store.toString());
        settings.put("ssl.keystore.password", STORE_PASSWORD);
        settings.put("ssl.keystore.type", "PKCS12");
        settings.put("authorizer.class.name", RecordingAuthorizer.class.getName());
        settings.put("super.users", "User:ANONYMOUS");
        return settings;
    }

    /** Returns the address of the listener for TLS and SCRAM. */
    public String bootstrapServers() {
        return LoopbackSockets.HOST + ":" + secure.socket().getLocalPort();
    }

    /** Returns a client that may do everything. */
    public Admin admin() {
        return admin;
    }

    /** Returns the PEM file with the broker's certificate. */
    public Path certificate() {
        return certificate;
    }

    /** Creates a user, or changes the password of one. */
    public void user(String name, String password) throws Exception {
        List<UserScramCredentialAlteration> change = List.of(new UserScramCredentialUpsertion(
                name, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), password));
        admin.alterUserScramCredentials(change).all().get();
    }

    /** Creates a key and a certificate for this machine in a new PKCS #12 store. */
    public static Path createStore(Path store) throws IOException, InterruptedException {
        Process keytool = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
                "-alias", "broker", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "SAN=ip:127.0.0.1",
                "-validity", "30", "-storetype", "PKCS12", "-keystore", store.toString(),
                "-storepass", STORE_PASSWORD).redirectErrorStream(true).start();
        String output = new String(keytool.getInputStream().readAllBytes());
        if (keytool.waitFor() != 0) {
            throw new IllegalStateException(output);
        }
        return store;
    }

    /** Writes the certificate of a store as a PEM file. */
    public static Path writeCertificate(Path store, Path pem) throws Exception {
        KeyStore content = KeyStore.getInstance(store.toFile(), STORE_PASSWORD.toCharArray());
        return Files.writeString(pem, "-----BEGIN CERTIFICATE-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'})
                .encodeToString(content.getCertificate("broker").getEncoded()) + "\n-----END CERTIFICATE-----\n");
    }

    @Override
    public void close() throws IOException {
        admin.close();
        try {
            node.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            sockets.close();
            secure.close();
            directory.close();
        }
    }
}
