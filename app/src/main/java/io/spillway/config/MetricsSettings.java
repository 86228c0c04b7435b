package io.spillway.config;

import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.Setting;

/** Settings of the Prometheus endpoint. */
public record MetricsSettings(
        @Setting(key = "metrics.host", defaultValue = "127.0.0.1",
                doc = "Address that `/metrics`, `/livez` and `/readyz` listen on.") String host,
        @Setting(key = "metrics.port", defaultValue = "9404", allowed = "0 to 65535",
                doc = "Port of these three endpoints; 0 selects a free one.") int port,
        @Setting(key = "metrics.tenants", defaultValue = "100", allowed = "1 to 10000",
                doc = "Maximum number of tenants with metric series of their own; all others are counted together.")
                int tenants,
        @Setting(key = "metrics.kafka", defaultValue = "selected", allowed = "selected, all, none",
                doc = "Which metrics of Kafka's clients and Kafka Streams to show: those listed in metrics.md, all of"
                        + " them (thousands of series), or none.") KafkaMetrics kafka) {

    /** Choice among Kafka's own metrics. */
    public enum KafkaMetrics { SELECTED, ALL, NONE }

    public MetricsSettings {
        AllowedRange.check(MetricsSettings.class, host, port, tenants, kafka);
    }
}
