package io.spillway.spring;

import java.security.KeyStore;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.springframework.boot.ssl.SslBundle;

/**
 * Engines of TLS from an SSL bundle of the application, for Kafka's clients, which make this object and can hand it
 * texts alone. Each connection asks the bundle, so one that was reloaded counts from then on. Owner of the bundles by
 * their names; bound: one for each application context with a bundle.
 */
public final class BundleSslEngineFactory implements SslEngineFactory {
    static final String PROPERTY = "spillway.ssl.bundle";
    private static final Map<String, SslBundle> BUNDLES = new ConcurrentHashMap<>();

    private volatile SslBundle bundle;

    /** Makes a bundle known, and returns the name for {@link #PROPERTY}. */
    static String register(SslBundle bundle) {
        String name = UUID.randomUUID().toString();
        BUNDLES.put(name, bundle);
        return name;
    }

    @Override
    public void configure(Map<String, ?> properties) {
        bundle = BUNDLES.get(String.valueOf(properties.get(PROPERTY)));
        if (bundle == null) {
            throw new IllegalStateException(PROPERTY + " is set by the starter alone");
        }
    }

    @Override
    public SSLEngine createClientSslEngine(String host, int port, String endpointIdentification) {
        SSLEngine engine = bundle.createSslContext().createSSLEngine(host, port);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm(endpointIdentification);
        if (bundle.getOptions().getCiphers() != null) {
            parameters.setCipherSuites(bundle.getOptions().getCiphers());
        }
        if (bundle.getOptions().getEnabledProtocols() != null) {
            parameters.setProtocols(bundle.getOptions().getEnabledProtocols());
        }
        engine.setSSLParameters(parameters);
        return engine;
    }

    @Override
    public SSLEngine createServerSslEngine(String host, int port) {
        throw new UnsupportedOperationException("Clients alone use it");
    }

    @Override
    public boolean shouldBeRebuilt(Map<String, Object> next) {
        return false;
    }

    @Override
    public Set<String> reconfigurableConfigs() {
        return Set.of();
    }

    @Override
    public KeyStore keystore() {
        return bundle.getStores().getKeyStore();
    }

    @Override
    public KeyStore truststore() {
        return bundle.getStores().getTrustStore();
    }

    @Override
    public void close() {
        // The application's bundle stays.
    }
}
