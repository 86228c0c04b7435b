package io.spillway.kafka.advice;

import io.spillway.core.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.security.auth.login.LoginException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.SslAuthenticationException;

/**
 * Cause of a failed connection to Kafka in one line, with the property to change. Kafka's own message is often two
 * causes away, such as "Failed to create new KafkaAdminClient".
 */
public final class ConnectionFault {
    private final List<Throwable> chain = new ArrayList<>();

    private ConnectionFault(Throwable fault) {
        for (Throwable cause = fault; cause != null && !chain.contains(cause); cause = cause.getCause()) {
            chain.add(cause);
        }
    }

    /** Describes a fault of connection, login, permissions, TLS or address; empty for every other fault. Escaped. */
    public static Optional<String> describe(Throwable fault) {
        return new ConnectionFault(fault).text();
    }

    private Optional<String> text() {
        // First what the client cannot read or resolve, because the errors of a broker come later.
        return says("No resolvable bootstrap urls")
                .map(found -> "no host of kafka.bootstrapServers can be resolved. Check the names, and the DNS of this"
                        + " machine")
                .or(() -> says("JAAS").map(ConnectionFault::jaas))
                .or(() -> first(fault -> fault instanceof SslAuthenticationException).map(fault -> tls()))
                .or(() -> first(fault -> fault instanceof AuthenticationException)
                        .map(fault -> "Kafka refuses the login: "
                                + Printable.of(fault.getMessage()) + ". Check sasl.mechanism and sasl.jaas.config in"
                                + " kafka.properties"))
                .or(() -> first(fault -> fault instanceof LoginException).map(fault -> "the login cannot be prepared: "
                        + Printable.of(fault.getMessage()) + ". Check sasl.jaas.config in kafka.properties"))
                .or(() -> says("Failed to load SSL keystore").or(() -> says("Failed to load PEM SSL keystore"))
                        .map(fault -> Printable.of(fault.getMessage()) + ". Check that it is of this type, and the"
                                + " passwords of ssl.truststore.* and ssl.keystore.* in kafka.properties"))
                // Also an invalid configuration to Kafka, but not one of the connection.
                .or(() -> first(fault -> fault instanceof AuthorizationException)
                        .map(fault -> "Kafka does not permit it: "
                                + Printable.of(fault.getMessage().replaceFirst("\\.$", "")) + ". Give this login the"
                                + " ACLs of its role: spillway topics acls --role ROLE"))
                .or(() -> first(fault -> fault instanceof InvalidConfigurationException)
                        .map(fault ->
                                Printable.of(fault.getMessage()) + " Check ssl.* and sasl.* in kafka.properties"));
    }

    /** The message is not quoted, because it may contain a part of the JAAS entry. */
    private static String jaas(Throwable fault) {
        return fault.getMessage().contains("Could not find")
                ? "the login has no JAAS entry. Set sasl.jaas.config in kafka.properties"
                : "the JAAS entry of the login cannot be read. Check sasl.jaas.config in kafka.properties: it must be"
                        + " LOGIN_MODULE_CLASS required KEY=\"VALUE\" ...;";
    }

    private String tls() {
        String cause = Printable.of(String.valueOf(chain.getLast().getMessage()));
        // The signature, if a trusted authority has the same name but another key.
        if (cause.contains("PKIX") || cause.contains("unable to find valid certification path")
                || cause.contains("Signature does not match")) {
            return "the broker's certificate is not trusted (" + cause + "). Set ssl.truststore.location or"
                    + " ssl.truststore.certificates in kafka.properties to the authority that signed it";
        }
        if (cause.contains("subject alternative") || cause.contains("No name matching")) {
            return "the broker's certificate is for another host (" + cause + "). Use a host name of the certificate in"
                    + " kafka.bootstrapServers";
        }
        if (cause.contains("Unsupported or unrecognized SSL message")) {
            return "the port does not use TLS. Set security.protocol in kafka.properties to PLAINTEXT or"
                    + " SASL_PLAINTEXT, or use the broker's port for TLS";
        }
        if (Stream.of("certificate_required", "bad_certificate", "certificate_unknown", "unknown_ca")
                .anyMatch(cause::contains)) {
            return "the broker does not accept this client's certificate (" + cause + "). Set ssl.keystore.location in"
                    + " kafka.properties to a certificate that the broker trusts";
        }
        return "TLS with the broker failed (" + cause + "). Check ssl.* in kafka.properties";
    }

    private Optional<Throwable> says(String words) {
        return first(fault -> fault.getMessage() != null && fault.getMessage().contains(words));
    }

    private Optional<Throwable> first(Predicate<Throwable> matches) {
        return chain.stream().filter(matches).findFirst();
    }
}
