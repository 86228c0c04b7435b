package io.spillway.gateway;

import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.pki.PemKeys;
import io.helidon.common.tls.Tls;
import io.spillway.config.GatewaySettings;
import io.spillway.core.settings.FileText;
import io.spillway.core.settings.InvalidSettingException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Factory of the TLS configuration (1.2 and 1.3) from PEM files or a PKCS #12 store. */
final class ServerTls {
    private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

    private ServerTls() {}

    /** Reads certificate and private key. Errors are {@link InvalidSettingException}s without content of the files. */
    static Tls of(GatewaySettings.Tls settings) {
        return settings.keystoreFile().isEmpty() ? pem(settings) : keystore(settings);
    }

    private static Tls pem(GatewaySettings.Tls settings) {
        readable("gateway.tls.certificateFile", settings.certificateFile());
        readable("gateway.tls.keyFile", settings.keyFile());
        try {
            Keys keys = Keys.builder()
                    .pem(PemKeys.builder()
                            .key(text(settings.keyFile()))
                            .certChain(text(settings.certificateFile()))
                            .buildPrototype())
                    .build();
            return Tls.builder().privateKey(keys).privateKeyCertChain(keys).enabledProtocols(PROTOCOLS).build();
        } catch (IOException | RuntimeException e) {
            throw new InvalidSettingException("gateway.tls.certificateFile", settings.certificateFile(),
                    "must be a certificate in PEM, and gateway.tls.keyFile its private key (PKCS #8) in PEM");
        }
    }

    private static Resource text(String file) throws IOException {
        return Resource.create(file, FileText.of(Files.readAllBytes(Path.of(file))));
    }

    private static Tls keystore(GatewaySettings.Tls settings) {
        readable("gateway.tls.keystoreFile", settings.keystoreFile());
        char[] password = settings.keystorePassword().toCharArray();
        try (InputStream in = Files.newInputStream(Path.of(settings.keystoreFile()))) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, password);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, password);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return Tls.builder().sslContext(context).enabledProtocols(PROTOCOLS).build();
        } catch (IOException | GeneralSecurityException e) {
            throw new InvalidSettingException("gateway.tls.keystoreFile", settings.keystoreFile(),
                    "must be a PKCS #12 store that gateway.tls.keystorePassword opens");
        }
    }

    private static void readable(String key, String file) {
        if (!Files.isReadable(Path.of(file)) || Files.isDirectory(Path.of(file))) {
            throw new InvalidSettingException(key, file, "must be a readable file");
        }
    }
}
