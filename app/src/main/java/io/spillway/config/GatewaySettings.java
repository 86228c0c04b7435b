package io.spillway.config;

import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import java.time.Duration;

/** Settings of the gateway, the HTTP API that accepts items. */
public record GatewaySettings(
        @Setting(key = "gateway.host", defaultValue = "127.0.0.1",
                doc = "Address to listen on.") String host,
        @Setting(key = "gateway.port", defaultValue = "8080", allowed = "0 to 65535",
                doc = "Port to listen on; 0 selects a free one.") int port,
        Tls tls,
        @Setting(key = "gateway.adminKeyFile", defaultNote = "`admin.key` in the data directory",
                doc = "File that contains the admin key, 16 characters or more.") String adminKeyFile,
        @Setting(key = "gateway.viewerKeyFile", defaultNote = "no viewers",
                doc = "File that contains the key of viewers, who see what operators see and change nothing.")
                String viewerKeyFile,
        @Setting(key = "gateway.viewerPayloads", defaultValue = "false",
                doc = "Whether viewers see the payloads and headers of dead letters.") boolean viewerPayloads,
        Limits limits) {
    public GatewaySettings {
        AllowedRange.check(
                GatewaySettings.class, host, port, tls, adminKeyFile, viewerKeyFile, viewerPayloads, limits);
    }

    /** Certificate and private key, as PEM files or in a PKCS #12 store; neither for plain HTTP. */
    public record Tls(
            @Setting(key = "gateway.tls.certificateFile",
                    doc = "PEM file with the certificate and its chain. It needs keyFile too.") String certificateFile,
            @Setting(key = "gateway.tls.keyFile", doc = "PEM file with the private key (PKCS #8).") String keyFile,
            @Setting(key = "gateway.tls.keystoreFile",
                    doc = "PKCS #12 store with both, instead of the two PEM files.") String keystoreFile,
            @Setting(key = "gateway.tls.keystorePassword", doc = "Password of the PKCS #12 store.")
                    String keystorePassword) {
        public Tls {
            if (certificateFile.isEmpty() != keyFile.isEmpty()) {
                throw new InvalidSettingException(
                        certificateFile.isEmpty() ? "gateway.tls.certificateFile" : "gateway.tls.keyFile",
                        "", "must be a PEM file, because the other of the two is set");
            }
            if (!keystoreFile.isEmpty() && !certificateFile.isEmpty()) {
                throw new InvalidSettingException("gateway.tls.keystoreFile", keystoreFile,
                        "must be empty, because gateway.tls.certificateFile is set");
            }
        }

        /** Returns whether the gateway uses TLS. */
        public boolean isOn() {
            return !certificateFile.isEmpty() || !keystoreFile.isEmpty();
        }

        /** Returns a text without the password. */
        @Override
        public String toString() {
            return "Tls[" + (isOn() ? certificateFile + keystoreFile : "off") + "]";
        }
    }

    /** Limits of the gateway's load, sizes and times. */
    public record Limits(
            @Setting(key = "gateway.limits.connections", defaultValue = "4000", allowed = "1 to 1000000",
                    doc = "Maximum number of open connections. At the limit the one that has waited longest for a"
                            + " request is closed; while all are busy, further ones wait to be accepted.")
                    int connections,
            @Setting(key = "gateway.limits.addressConnections", defaultValue = "1000", allowed = "1 to 1000000",
                    doc = "Maximum number of open connections from one address, for example of a proxy. At the limit"
                            + " its own are closed as above; while all are busy, further ones are refused.")
                    int addressConnections,
            @Setting(key = "gateway.limits.requests", defaultValue = "4000", allowed = "1 to 1000000",
                    doc = "Maximum number of requests in flight; further ones are answered 503.") int requests,
            @Setting(key = "gateway.limits.tenantRequests", defaultValue = "1000", allowed = "1 to 1000000",
                    doc = "Maximum number of requests in flight of one tenant; further ones are answered 429.")
                    int tenantRequests,
            @Setting(key = "gateway.limits.bytesInFlight", defaultValue = "134217728", unit = "bytes",
                    allowed = "twice gateway.limits.batchBytes to 2147483647",
                    doc = "Maximum size of what has arrived of all request bodies; 503 beyond. A tenant may hold as much"
                            + " as is free: half as the only one.")
                    int bytesInFlight,
            @Setting(key = "gateway.limits.headerBytes", defaultValue = "16384", allowed = "1024 to 1048576",
                    unit = "bytes", doc = "Maximum size of all header fields of one request.") int headerBytes,
            @Setting(key = "gateway.limits.batchLines", defaultValue = "1000", allowed = "1 to 100000",
                    doc = "Maximum number of lines in one batch. A larger batch is answered 413 and not stored.")
                    int batchLines,
            @Setting(key = "gateway.limits.trackedItems", defaultValue = "100000", allowed = "1 to 10000000",
                    doc = "Maximum number of items of tracked tenants whose states a gateway keeps, about 250 bytes of"
                            + " memory each. Beyond it, the one that has not changed for longest is unknown.")
                    int trackedItems,
            @Setting(key = "gateway.limits.batchBytes", defaultValue = "4194304", allowed = "1048576 to 67108864",
                    unit = "bytes",
                    doc = "Maximum size of one batch. A larger batch is answered 413 and not stored.") int batchBytes,
            @Setting(key = "gateway.limits.bodyTimeout", defaultValue = "15s", allowed = "100ms to 300000ms",
                    doc = "Maximum time for the head of a request to arrive, on a new connection from its start, and"
                            + " again for its body.")
                    Duration bodyTimeout,
            @Setting(key = "gateway.limits.idleTimeout", defaultValue = "620s", allowed = "1000ms to 3600000ms",
                    doc = "Time after which a connection without a request is closed. It must be longer than that of"
                            + " a load balancer in front.") Duration idleTimeout,
            @Setting(key = "gateway.limits.confirmTimeout", defaultValue = "10s", allowed = "100ms to 120000ms",
                    doc = "Maximum time for Kafka to confirm the items of a request, one or a whole batch. Then it is"
                            + " answered: 503 for each item that is not confirmed.") Duration confirmTimeout,
            @Setting(key = "gateway.limits.drainGrace", defaultValue = "10s", allowed = "0ms to 20000ms",
                    doc = "Time for requests in flight to finish when the gateway stops.") Duration drainGrace) {
        public Limits {
            AllowedRange.check(
                    Limits.class, connections, addressConnections, requests, tenantRequests, bytesInFlight, headerBytes,
                    batchLines, trackedItems, batchBytes, bodyTimeout, idleTimeout, confirmTimeout, drainGrace);
            if (bytesInFlight < 2L * batchBytes) {
                throw new InvalidSettingException("gateway.limits.bytesInFlight", bytesInFlight,
                        "must be " + 2L * batchBytes + " or more: one tenant may use half, which must hold a batch");
            }
        }
    }
}
