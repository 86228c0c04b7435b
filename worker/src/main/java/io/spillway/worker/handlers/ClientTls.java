package io.spillway.worker.handlers;

import io.spillway.core.settings.InvalidSettingException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** Factory of the client's TLS context from PEM texts, PEM files or PKCS #12 stores. */
public final class ClientTls {
    private static final Pattern PRIVATE_KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\\s]+-----END CERTIFICATE-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");
    private static final char[] NO_PASSWORD = {};

    private ClientTls() {}

    /** Reads the files; errors are {@link InvalidSettingException}s without content of the files. */
    static SSLContext of(HttpSettings.Tls settings) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(settings), trust(settings), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java cannot create a TLS context.", e);
        }
    }

    /**
     * Returns a context with a client's certificates and private key from one PEM text, which trusts whom Java trusts.
     *
     * @throws IllegalArgumentException if the text has no certificates and their key, without its content
     */
    public static SSLContext of(String pem) {
        try {
            StringBuilder certificates = new StringBuilder();
            Matcher matcher = CERTIFICATE.matcher(pem);
            while (matcher.find()) {
                certificates.append(matcher.group()).append('\n');
            }
            Certificate[] chain = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(
                            certificates.toString().getBytes(StandardCharsets.ISO_8859_1)))
                    .toArray(Certificate[]::new);
            KeyStore store = empty();
            store.setKeyEntry("client", privateKey(pem).orElseThrow(IllegalArgumentException::new), NO_PASSWORD, chain);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers(store, NO_PASSWORD), JavaTrust.MANAGERS, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("no certificates and their private key in PEM", e);
        }
    }

    /** Read once, because there may be a context for each of thousands of receivers. */
    private static final class JavaTrust {
        static final TrustManager[] MANAGERS = managers();

        private static TrustManager[] managers() {
            try {
                TrustManagerFactory factory =
                        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
                factory.init((KeyStore) null);
                return factory.getTrustManagers();
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("This Java has no store of those it trusts.", e);
            }
        }
    }

    private static TrustManager[] trust(HttpSettings.Tls settings) throws GeneralSecurityException {
        if (settings.trustFile().isEmpty()) {
            return null;
        }
        String key = "handler.http.tls.trustFile";
        KeyStore store;
        if (isPkcs12(settings.trustFile())) {
            store = pkcs12(key, settings.trustFile(),
                    SecretFile.password("handler.http.tls.trustPasswordFile", settings.trustPasswordFile()),
                    "must be a PKCS #12 store that the password in handler.http.tls.trustPasswordFile opens");
        } else {
            store = empty();
            int number = 0;
            for (Certificate certificate : certificates(key, settings.trustFile())) {
                store.setCertificateEntry("trusted-" + number++, certificate);
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyManager[] keys(HttpSettings.Tls settings) throws GeneralSecurityException {
        if (!settings.keystoreFile().isEmpty()) {
            String key = "handler.http.tls.keystoreFile";
            char[] password =
                    SecretFile.password("handler.http.tls.keystorePasswordFile", settings.keystorePasswordFile());
            String allowed = "must be a PKCS #12 store that the password in handler.http.tls.keystorePasswordFile"
                    + " opens";
            return managers(key, settings.keystoreFile(), allowed,
                    pkcs12(key, settings.keystoreFile(), password, allowed), password);
        }
        if (settings.certificateFile().isEmpty()) {
            return null;
        }
        Certificate[] chain = certificates("handler.http.tls.certificateFile", settings.certificateFile())
                .toArray(Certificate[]::new);
        KeyStore store = empty();
        store.setKeyEntry("client", keyOf(settings.keyFile()), NO_PASSWORD, chain);
        return managers("handler.http.tls.keyFile", settings.keyFile(),
                "must be the private key of handler.http.tls.certificateFile", store, NO_PASSWORD);
    }

    private static KeyManager[] managers(
            String key, String file, String allowed, KeyStore store, char[] password) {
        try {
            return managers(store, password);
        } catch (GeneralSecurityException e) {
            throw new InvalidSettingException(key, file, allowed);
        }
    }

    private static KeyManager[] managers(KeyStore store, char[] password) throws GeneralSecurityException {
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, password);
        return factory.getKeyManagers();
    }

    private static KeyStore pkcs12(String key, String file, char[] password, String allowed) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(new ByteArrayInputStream(SecretFile.read(key, file)), password);
            return store;
        } catch (IOException | GeneralSecurityException e) {
            throw new InvalidSettingException(key, file, allowed);
        }
    }

    private static Collection<? extends Certificate> certificates(String key, String file) {
        try {
            Collection<? extends Certificate> found = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(SecretFile.pem(key, file)));
            if (!found.isEmpty()) {
                return found;
            }
        } catch (GeneralSecurityException e) {
            // The same error as for a file without certificates.
        }
        throw new InvalidSettingException(key, file, "must be certificates in PEM");
    }

    private static PrivateKey keyOf(String file) {
        String key = "handler.http.tls.keyFile";
        return privateKey(new String(SecretFile.pem(key, file), StandardCharsets.ISO_8859_1))
                .orElseThrow(() -> new InvalidSettingException(key, file,
                        "must be a private key in PEM (PKCS #8: BEGIN PRIVATE KEY), without a password"));
    }

    /** Returns the first private key of a text; empty without one that can be read. */
    private static Optional<PrivateKey> privateKey(String text) {
        Matcher pem = PRIVATE_KEY.matcher(text);
        if (pem.find()) {
            for (String algorithm : ALGORITHMS) {
                try {
                    return Optional.of(KeyFactory.getInstance(algorithm).generatePrivate(
                            new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1)))));
                } catch (InvalidKeySpecException | IllegalArgumentException e) {
                    continue;
                } catch (GeneralSecurityException e) {
                    throw new IllegalStateException("This Java has no keys of type " + algorithm + ".", e);
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isPkcs12(String file) {
        String lower = file.toLowerCase(Locale.ROOT);
        return lower.endsWith(".p12") || lower.endsWith(".pfx");
    }

    private static KeyStore empty() throws GeneralSecurityException {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, NO_PASSWORD);
            return store;
        } catch (IOException e) {
            throw new IllegalStateException("An empty key store cannot be created.", e);
        }
    }
}
