package io.spillway.runtime;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdkBuilder;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.text.Printable;
import io.spillway.tracing.Tracing;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SDK of OpenTelemetry of this process, configured by its standard environment variables. There is none, and none of
 * its classes is loaded, unless a variable says where traces go. Owner of the SDK.
 */
final class TraceExport implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TraceExport.class);
    private static final String EXPORTER = "OTEL_TRACES_EXPORTER";
    /** A value of one of these turns traces on. */
    private static final List<String> ADDRESSES =
            List.of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT");
    /**
     * Defaults of ours: metrics are for Prometheus and logs on standard error, and the sender on the JDK's client knows
     * HTTP alone.
     */
    private static final Map<String, String> DEFAULTS = Map.of(
            "otel.service.name", "spillway", "otel.metrics.exporter", "none", "otel.logs.exporter", "none",
            "otel.exporter.otlp.protocol", "http/protobuf");

    private final Optional<OpenTelemetrySdk> sdk;
    private final Tracing tracing;

    private TraceExport(Optional<OpenTelemetrySdk> sdk, Tracing tracing) {
        this.sdk = sdk;
        this.tracing = tracing;
    }

    /** Returns whether these environment variables ask for traces. */
    static boolean isOn(Map<String, String> environment) {
        String exporter = environment.getOrDefault(EXPORTER, "");
        boolean isDisabled = "true".equalsIgnoreCase(environment.getOrDefault("OTEL_SDK_DISABLED", ""));
        boolean isAsked = exporter.isEmpty()
                ? ADDRESSES.stream().anyMatch(name -> !environment.getOrDefault(name, "").isEmpty())
                : !exporter.equals("none");
        return isAsked && !isDisabled;
    }

    /**
     * Creates the SDK if the environment asks for traces.
     *
     * @throws CommandFailure if a variable has a value that the SDK refuses
     */
    static TraceExport open(Map<String, String> environment) {
        if (!isOn(environment)) {
            return new TraceExport(Optional.empty(), Tracing.OFF);
        }
        OpenTelemetrySdk sdk = sdk(environment);
        LOG.info("Traces are exported, as the OTEL_ variables of the environment say");
        return new TraceExport(Optional.of(sdk), Tracing.of(sdk, environment));
    }

    private static OpenTelemetrySdk sdk(Map<String, String> environment) {
        AutoConfiguredOpenTelemetrySdkBuilder builder = AutoConfiguredOpenTelemetrySdk.builder()
                .disableShutdownHook()
                .addPropertiesSupplier(() -> properties(environment));
        // For handlers of users. Another system in this JVM, as in tests, may have set it.
        if (!GlobalOpenTelemetry.isSet()) {
            builder.setResultAsGlobal();
        }
        try {
            return builder.build().getOpenTelemetrySdk();
        } catch (RuntimeException e) {
            throw CommandFailure.usage("The variables of OpenTelemetry (OTEL_...) cannot be used: "
                    + reasons(e) + ". Correct them, or set OTEL_SDK_DISABLED=true.");
        }
    }

    /** The outer ones name the variable, the inner ones what is wrong with it. */
    private static String reasons(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .map(cause -> Printable.onOneLine(cause.getMessage())).distinct().collect(Collectors.joining(": "));
    }

    /** Returns our defaults and the variables as the SDK names its properties. */
    private static Map<String, String> properties(Map<String, String> environment) {
        Map<String, String> properties = new HashMap<>(DEFAULTS);
        environment.forEach((name, value) -> {
            if (name.startsWith("OTEL_") && !value.isEmpty()) {
                properties.put(name.toLowerCase(Locale.ROOT).replace('_', '.'), value);
            }
        });
        return properties;
    }

    /** Returns the source of spans; {@link Tracing#OFF} without an SDK. */
    Tracing tracing() {
        return tracing;
    }

    /** Sends what is not sent yet, for at most 10 s. */
    @Override
    public void close() {
        sdk.ifPresent(OpenTelemetrySdk::close);
    }
}
