package io.spillway.kafka.tls;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kafka's own TLS with the present content of its stores: Kafka reads them once for each client. A new connection reads
 * stores again whose files have changed. Stores that cannot be used leave the former ones in place. Thread-safe.
 */
public final class CurrentKeyStores implements SslEngineFactory {
    private static final Logger LOG = LoggerFactory.getLogger(CurrentKeyStores.class);

    private Map<String, Object> configured = Map.of();
    private DefaultSslEngineFactory current = new DefaultSslEngineFactory();

    @Override
    public synchronized void configure(Map<String, ?> properties) {
        configured = Collections.unmodifiableMap(properties);
        current.configure(configured);
    }

    private synchronized DefaultSslEngineFactory current() {
        if (current.shouldBeRebuilt(configured)) {
            DefaultSslEngineFactory changed = new DefaultSslEngineFactory();
            try {
                changed.configure(configured);
                current = changed;
                LOG.info("The key or trust store of a Kafka client has changed. New connections have it.");
            } catch (RuntimeException e) {
                LOG.warn("A changed key or trust store cannot be used, and the former one stays until it can: {}",
                        e.toString());
            }
        }
        return current;
    }

    /** Returns when the first certificate of the client expires, epoch milliseconds; empty if it has none. */
    public OptionalLong endMillis() {
        KeyStore keys = current().keystore();
        if (keys == null) {
            return OptionalLong.empty();
        }
        try {
            LongStream ends = LongStream.empty();
            for (String alias : Collections.list(keys.aliases())) {
                Certificate[] chain = keys.isKeyEntry(alias) ? keys.getCertificateChain(alias) : new Certificate[0];
                ends = LongStream.concat(ends, Stream.of(chain).filter(X509Certificate.class::isInstance)
                        .mapToLong(certificate -> ((X509Certificate) certificate).getNotAfter().getTime()));
            }
            return ends.min();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("A store that Kafka has loaded must be readable", e);
        }
    }

    @Override
    public SSLEngine createClientSslEngine(String host, int port, String endpointIdentification) {
        return current().createClientSslEngine(host, port, endpointIdentification);
    }

    @Override
    public SSLEngine createServerSslEngine(String host, int port) {
        return current().createServerSslEngine(host, port);
    }

    @Override
    public boolean shouldBeRebuilt(Map<String, Object> next) {
        return !next.equals(configured);
    }

    @Override
    public Set<String> reconfigurableConfigs() {
        return Set.of();
    }

    @Override
    public KeyStore keystore() {
        return current().keystore();
    }

    @Override
    public KeyStore truststore() {
        return current().truststore();
    }

    @Override
    public void close() throws IOException {
        current().close();
    }
}
