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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** Factory of the client's TLS context from PEM files or PKCS #12 stores. */
final class ClientTls {
    private static final Pattern PRIVATE_KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
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
        store.setKeyEntry("client", privateKey(settings.keyFile()), NO_PASSWORD, chain);
        return managers("handler.http.tls.keyFile", settings.keyFile(),
                "must be the private key of handler.http.tls.certificateFile", store, NO_PASSWORD);
    }

    private static KeyManager[] managers(
            String key, String file, String allowed, KeyStore store, char[] password) {
        try {
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, password);
            return factory.getKeyManagers();
        } catch (GeneralSecurityException e) {
            throw new InvalidSettingException(key, file, allowed);
        }
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

    private static PrivateKey privateKey(String file) {
        String key = "handler.http.tls.keyFile";
        Matcher pem = PRIVATE_KEY.matcher(new String(SecretFile.pem(key, file), StandardCharsets.ISO_8859_1));
        if (pem.find()) {
            for (String algorithm : ALGORITHMS) {
                try {
                    return KeyFactory.getInstance(algorithm).generatePrivate(
                            new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1))));
                } catch (InvalidKeySpecException | IllegalArgumentException e) {
                    continue;
                } catch (GeneralSecurityException e) {
                    throw new IllegalStateException("This Java has no keys of type " + algorithm + ".", e);
                }
            }
        }
        throw new InvalidSettingException(key, file,
                "must be a private key in PEM (PKCS #8: BEGIN PRIVATE KEY), without a password");
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
