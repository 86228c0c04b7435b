package io.spillway.gateway;

import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.pki.PemKeys;
import io.helidon.common.tls.Tls;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.spillway.config.GatewaySettings;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.FileText;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS (1.2 and 1.3) of a listener, with certificate and private key from PEM files or a PKCS #12 store. New connections
 * have the certificate that the files had at the last {@link #reload}. Thread-safe.
 */
final class ServerTls {
    private static final Logger LOG = LoggerFactory.getLogger(ServerTls.class);
    static final long CHECK_MILLIS = 10_000;

    private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");
    private static final String ALIAS = "gateway";

    private final GatewaySettings.Tls settings;
    private volatile Identity identity;
    /** Files that were read last, also those that could not be used. */
    private byte[] digest;

    /**
     * Certificate chain, the listener's own first, and the private key of the first.
     *
     * @param endMillis when the first of them expires, epoch milliseconds
     */
    private record Identity(X509Certificate[] chain, PrivateKey key, long endMillis) {}

    /** Reads certificate and private key. Errors are {@link InvalidSettingException}s without content of the files. */
    ServerTls(GatewaySettings.Tls settings) {
        this.settings = settings;
        byte[][] files = files();
        this.identity = read(files);
        this.digest = digest(files);
    }

    /** Returns the TLS of a listener with these settings, if it has any. */
    static Optional<ServerTls> of(GatewaySettings.Tls settings) {
        return settings.isOn() ? Optional.of(new ServerTls(settings)) : Optional.empty();
    }

    Tls server() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {new CurrentIdentity()}, null, null);
            return Tls.builder().sslContext(context).enabledProtocols(PROTOCOLS).build();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java has no TLS", e);
        }
    }

    /** Reads the files if they have changed. Files that cannot be used leave the former certificate in place. */
    synchronized void reload() {
        byte[] present = {};
        try {
            byte[][] files = files();
            present = digest(files);
            if (!Arrays.equals(present, digest)) {
                identity = read(files);
                LOG.info("The certificate of the listener has changed. New connections have it; it is valid until {}.",
                        Instant.ofEpochMilli(identity.endMillis));
            }
        } catch (InvalidSettingException e) {
            if (!Arrays.equals(present, digest)) {
                LOG.warn("The changed certificate cannot be used, and the former one stays until it can: {}",
                        e.getMessage());
            }
        }
        digest = present;
    }

    /** @param listener value of the label, such as {@code gateway} */
    void bindTo(MeterRegistry registry, String listener, InstantSource clock) {
        TimeGauge.builder("spillway.certificate.expires", () -> identity.endMillis - clock.millis(),
                        TimeUnit.MILLISECONDS)
                .description("Time until the certificate expires").tag("use", listener).register(registry);
    }

    private byte[][] files() {
        return settings.keystoreFile().isEmpty()
                ? new byte[][] {
                    bytes("gateway.tls.certificateFile", settings.certificateFile()),
                    bytes("gateway.tls.keyFile", settings.keyFile())
                }
                : new byte[][] {bytes("gateway.tls.keystoreFile", settings.keystoreFile())};
    }

    private Identity read(byte[][] files) {
        try {
            Identity read = settings.keystoreFile().isEmpty() ? pem(files[0], files[1]) : store(files[0]);
            requirePair(read.key, read.chain[0].getPublicKey());
            return read;
        } catch (GeneralSecurityException | IOException | RuntimeException e) {
            throw settings.keystoreFile().isEmpty()
                    ? new InvalidSettingException("gateway.tls.certificateFile", settings.certificateFile(),
                            "must be a certificate in PEM, and gateway.tls.keyFile its private key (PKCS #8) in PEM")
                    : new InvalidSettingException("gateway.tls.keystoreFile", settings.keystoreFile(),
                            "must be a PKCS #12 store that gateway.tls.keystorePassword opens, with a certificate and"
                                    + " its private key");
        }
    }

    private static Identity pem(byte[] certificate, byte[] key) throws IOException {
        Keys keys = Keys.builder()
                .pem(PemKeys.builder()
                        .key(Resource.create("key", FileText.of(key)))
                        .certChain(Resource.create("certificate", FileText.of(certificate)))
                        .buildPrototype())
                .build();
        return identity(keys.certChain().toArray(new X509Certificate[0]), keys.privateKey().orElseThrow());
    }

    private Identity store(byte[] content) throws GeneralSecurityException, IOException {
        char[] password = settings.keystorePassword().toCharArray();
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(new ByteArrayInputStream(content), password);
        for (String alias : Collections.list(store.aliases())) {
            if (store.isKeyEntry(alias) && store.getKey(alias, password) instanceof PrivateKey key) {
                Certificate[] chain = store.getCertificateChain(alias);
                return identity(Arrays.copyOf(chain, chain.length, X509Certificate[].class), key);
            }
        }
        throw new GeneralSecurityException("The store has no private key");
    }

    private static Identity identity(X509Certificate[] chain, PrivateKey key) {
        return new Identity(chain, key, Arrays.stream(chain)
                .mapToLong(certificate -> certificate.getNotAfter().getTime()).min().orElseThrow());
    }

    /** Two files are replaced one after the other, and a pair that does not match would fail in each handshake. */
    private static void requirePair(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> key.getAlgorithm();
        };
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        byte[] signed = signature.sign();
        signature.initVerify(certified);
        if (!signature.verify(signed)) {
            throw new GeneralSecurityException("The key is of another certificate");
        }
    }

    private static byte[] digest(byte[][] files) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (byte[] file : files) {
                digest.update(digest.digest(file));
            }
            return digest.digest();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java has SHA-256", e);
        }
    }

    private static byte[] bytes(String key, String file) {
        try {
            return Files.readAllBytes(Path.of(file));
        } catch (IOException e) {
            throw new InvalidSettingException(key, file, "must be a readable file");
        }
    }

    /** Key manager of the present certificate. */
    private final class CurrentIdentity extends X509ExtendedKeyManager {
        @Override
        public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
            return chooseServerAlias(keyType, issuers, null);
        }

        @Override
        public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
            return identity.key.getAlgorithm().equals(keyType) ? ALIAS : null;
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return identity.chain;
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return identity.key;
        }

        @Override
        public String[] getServerAliases(String keyType, Principal[] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String[] getClientAliases(String keyType, Principal[] issuers) {
            return null;
        }

        @Override
        public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
            return null;
        }
    }
}
