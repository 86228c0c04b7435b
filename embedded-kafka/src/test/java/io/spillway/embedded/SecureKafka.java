package io.spillway.embedded;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
 * Broker with ACLs, a listener for TLS and SCRAM-SHA-512 and one for TLS with client certificates, as in production. A
 * third listener has no security: its users may do everything. Owner of the broker; its certificate is for 127.0.0.1.
 */
public final class SecureKafka implements AutoCloseable {
    /** Subject of every certificate that {@link #createStore} makes. */
    public static final String SUBJECT = "CN=localhost";

    private static final String SECURE = "SECURE";
    private static final String MUTUAL = "MUTUAL";
    private static final String STORE_PASSWORD = "secret-of-the-store";

    private final BrokerDirectory directory;
    private final LoopbackSockets sockets;
    private final ServerSocketChannel secure = listening();
    private final ServerSocketChannel mutual = listening();
    private final BrokerNode node;
    private final Path certificate;
    private final Path clientFile;
    private final Admin admin;

    /** Starts a broker with its data and its certificate below a directory. */
    public SecureKafka(Path base) throws Exception {
        Path store = createStore(base.resolve("broker.p12"));
        certificate = writeCertificate(store, base.resolve("broker.pem"));
        Path client = createStore(base.resolve("client.p12"));
        clientFile = writeKey(client, writeCertificate(client, base.resolve("client.pem")));
        directory = BrokerDirectory.claim(base.resolve("kafka"));
        sockets = LoopbackSockets.bind(0);
        directory.prepare(sockets.controllerPort());
        FatalFaults faults = new FatalFaults(status -> { });
        node = new BrokerNode(settings(store), (listener, address, backlog, buffer) -> switch (listener) {
            case SECURE -> secure;
            case MUTUAL -> mutual;
            default -> sockets.openServerSocket(listener, address, backlog, buffer);
        }, faults);
        node.start(Duration.ofMinutes(2));
        admin = Admin.create(Map.of("bootstrap.servers", LoopbackSockets.HOST + ":" + sockets.brokerPort()));
    }

    private Map<String, String> settings(Path store) {
        Map<String, String> settings = new TreeMap<>(BrokerSettings.of(
                directory.path(), sockets.brokerPort(), sockets.controllerPort()));
        settings.merge("listeners", SECURE + "://" + bootstrapServers() + "," + MUTUAL + "://" + mutualServers(),
                (old, more) -> old + "," + more);
        settings.merge("listener.security.protocol.map", SECURE + ":SASL_SSL," + MUTUAL + ":SSL",
                (old, more) -> old + "," + more);
        settings.put("listener.name.mutual.ssl.client.auth", "required");
        settings.put("listener.name.mutual.ssl.truststore.type", "PEM");
        settings.put("listener.name.mutual.ssl.truststore.location", clientFile.toString());
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

    /** Returns the address of the listener for TLS with client certificates. */
    public String mutualServers() {
        return LoopbackSockets.HOST + ":" + mutual.socket().getLocalPort();
    }

    private static ServerSocketChannel listening() throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open();
        channel.configureBlocking(false);
        return channel.bind(new InetSocketAddress(LoopbackSockets.HOST, 0));
    }

    /** Returns a client that may do everything. */
    public Admin admin() {
        return admin;
    }

    /** Returns the PEM file with the broker's certificate. */
    public Path certificate() {
        return certificate;
    }

    /** Returns the PEM file with the key and the certificate of the client whom the broker knows. */
    public Path clientFile() {
        return clientFile;
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
                "-alias", "broker", "-keyalg", "EC", "-dname", SUBJECT, "-ext", "SAN=ip:127.0.0.1",
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
        return Files.writeString(pem, pem("CERTIFICATE", content.getCertificate("broker").getEncoded()));
    }

    /** Adds the key of a store to the PEM file with its certificate. */
    public static Path writeKey(Path store, Path pem) throws Exception {
        KeyStore content = KeyStore.getInstance(store.toFile(), STORE_PASSWORD.toCharArray());
        return Files.writeString(pem, pem("PRIVATE KEY", content.getKey("broker", STORE_PASSWORD.toCharArray())
                .getEncoded()), StandardOpenOption.APPEND);
    }

    private static String pem(String what, byte[] encoded) {
        return "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded)
                + "\n-----END " + what + "-----\n";
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
            mutual.close();
            directory.close();
        }
    }
}
