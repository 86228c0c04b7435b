package io.spillway.config;

import java.time.Duration;

/**
 * The gateway.
 *
 * @param host         address to listen on; loopback unless told otherwise
 * @param port         0 for a free one
 * @param tls          its certificate, when it speaks TLS
 * @param adminKeyFile file with the admin key; empty for the one in the data directory
 * @param limits       what it takes at the most
 */
public record GatewaySettings(String host, int port, Tls tls, String adminKeyFile, Limits limits) {
    public GatewaySettings {
        InvalidSettingException.requireRange("gateway.port", port, 0, 65_535);
    }

    /**
     * Certificate and private key, as PEM or in a PKCS #12 store; none of both for plain HTTP.
     *
     * @param certificateFile  PEM: the certificate, and those above it; empty for none
     * @param keyFile          PEM: its private key; empty for none
     * @param keystoreFile     PKCS #12; empty for none
     * @param keystorePassword of that store
     */
    public record Tls(String certificateFile, String keyFile, String keystoreFile, String keystorePassword) {
        public Tls {
            if (certificateFile.isEmpty() != keyFile.isEmpty()) {
                throw new InvalidSettingException(
                        certificateFile.isEmpty() ? "gateway.tls.certificateFile" : "gateway.tls.keyFile",
                        "", "must be a PEM file when the other of the two is set");
            }
            if (!keystoreFile.isEmpty() && !certificateFile.isEmpty()) {
                throw new InvalidSettingException("gateway.tls.keystoreFile", keystoreFile,
                        "must be empty when gateway.tls.certificateFile is set: one or the other");
            }
        }

        /** Whether the gateway speaks TLS. */
        public boolean isOn() {
            return !certificateFile.isEmpty() || !keystoreFile.isEmpty();
        }

        /** Without the password. */
        @Override
        public String toString() {
            return "Tls[" + (isOn() ? certificateFile + keystoreFile : "off") + "]";
        }
    }

    /**
     * What the gateway takes at the most.
     *
     * @param connections    open at one time; further ones wait to be accepted
     * @param requests       in flight at one time; further ones are answered 503
     * @param tenantRequests of those, of one tenant; further ones are answered 429
     * @param bytesInFlight  bytes of bodies in memory at one time, half of them of one tenant
     * @param headerBytes    of all header fields of a request
     * @param batchLines     lines of a batch
     * @param batchBytes     bytes of a batch
     * @param bodyTimeout    for the head and for the body of a request to arrive, each
     * @param idleTimeout    for a connection without a request
     * @param confirmTimeout for Kafka to confirm
     * @param drainGrace     for requests in flight, at a stop
     */
    public record Limits(
            int connections,
            int requests,
            int tenantRequests,
            int bytesInFlight,
            int headerBytes,
            int batchLines,
            int batchBytes,
            Duration bodyTimeout,
            Duration idleTimeout,
            Duration confirmTimeout,
            Duration drainGrace) {
        private static final int MIN_BATCH_BYTES = 1_048_576;

        public Limits {
            InvalidSettingException.requireRange("gateway.limits.connections", connections, 1, 1_000_000);
            InvalidSettingException.requireRange("gateway.limits.requests", requests, 1, 1_000_000);
            InvalidSettingException.requireRange("gateway.limits.tenantRequests", tenantRequests, 1, 1_000_000);
            InvalidSettingException.requireRange("gateway.limits.headerBytes", headerBytes, 1_024, 1_048_576);
            InvalidSettingException.requireRange("gateway.limits.batchLines", batchLines, 1, 100_000);
            InvalidSettingException.requireRange("gateway.limits.batchBytes", batchBytes, MIN_BATCH_BYTES, 64 * 1024 * 1024);
            if (bytesInFlight < 2L * batchBytes) {
                throw new InvalidSettingException("gateway.limits.bytesInFlight", bytesInFlight,
                        "must be " + 2L * batchBytes + " or more: a tenant has half of it, and a batch must fit");
            }
            requireMillis("gateway.limits.bodyTimeout", bodyTimeout, 100, 300_000);
            requireMillis("gateway.limits.idleTimeout", idleTimeout, 1_000, 3_600_000);
            requireMillis("gateway.limits.confirmTimeout", confirmTimeout, 100, 120_000);
            requireMillis("gateway.limits.drainGrace", drainGrace, 0, 20_000);
        }

        private static void requireMillis(String key, Duration value, long min, long max) {
            if (value.toMillis() < min || value.toMillis() > max) {
                throw new InvalidSettingException(key, value.toMillis() + "ms", "must be " + min + "ms to " + max + "ms");
            }
        }
    }
}
