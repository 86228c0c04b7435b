package io.spillway.config;

/**
 * The endpoint that Prometheus reads.
 *
 * @param host    address to listen on; loopback unless told otherwise
 * @param port    0 for a free one
 * @param tenants most tenants with series of their own; the rest are counted together
 */
public record MetricsSettings(String host, int port, int tenants) {
    public MetricsSettings {
        InvalidSettingException.requireRange("metrics.port", port, 0, 65_535);
        InvalidSettingException.requireRange("metrics.tenants", tenants, 1, 10_000);
    }
}
