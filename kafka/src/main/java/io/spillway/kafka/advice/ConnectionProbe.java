package io.spillway.kafka.advice;

import io.spillway.core.text.Printable;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.apache.kafka.common.utils.Utils;

/**
 * Diagnosis of addresses that do not answer as Kafka: the host name, the port, and whether TLS is spoken there. Kafka's
 * clients only report a timeout for all of these. Bound: {@value #MAX_ADDRESSES} addresses, two connections each.
 */
public final class ConnectionProbe {
    private static final int MAX_ADDRESSES = 3;
    private static final int TIMEOUT_MILLIS = 2_000;

    private ConnectionProbe() {}

    /**
     * Describes what the first addresses do with a connection.
     *
     * @param securityProtocol as configured, for example {@code SASL_SSL}
     */
    public static String describe(String bootstrapServers, String securityProtocol) {
        return Arrays.stream(bootstrapServers.split(",")).map(String::strip).filter(address -> !address.isEmpty())
                .limit(MAX_ADDRESSES)
                .map(address -> describeOne(address, securityProtocol.toUpperCase(Locale.ROOT)))
                .collect(Collectors.joining("; "));
    }

    private static String describeOne(String address, String protocol) {
        String shown = Printable.of(address);
        String host = Utils.getHost(address);
        Integer port = Utils.getPort(address);
        if (host == null || port == null) {
            return shown + " is not HOST:PORT";
        }
        boolean wantsTls = protocol.endsWith("SSL");
        try {
            InetSocketAddress target = new InetSocketAddress(InetAddress.getByName(host), port);
            boolean speaksTls = speaksTls(target, host);
            return wantsTls == speaksTls
                    ? shown + " accepts connections, but does not answer as a Kafka broker to security.protocol="
                            + protocol
                    : shown + (speaksTls ? " uses TLS" : " does not use TLS") + ", but security.protocol is " + protocol
                            + ": set kafka.properties.security.protocol to "
                            + (speaksTls ? "SSL or SASL_SSL" : "PLAINTEXT or SASL_PLAINTEXT")
                            + ", or use the broker's other port";
        } catch (UnknownHostException e) {
            return "the host of " + shown + " cannot be resolved";
        } catch (ConnectException e) {
            return "nothing listens on " + shown;
        } catch (IOException e) {
            return "no connection to " + shown + ": " + Printable.of(e.toString());
        }
    }

    /** Opens a connection, which may fail, and then tries a TLS handshake. No certificate is ever accepted. */
    private static boolean speaksTls(InetSocketAddress target, String host) throws IOException {
        try (Socket plain = new Socket()) {
            plain.connect(target, TIMEOUT_MILLIS);
            plain.setSoTimeout(TIMEOUT_MILLIS);
            try (SSLSocket tls = (SSLSocket) refusing().getSocketFactory()
                    .createSocket(plain, host, target.getPort(), true)) {
                tls.startHandshake();
                return true;
            } catch (SSLHandshakeException e) {
                // The peer has sent a certificate or an alert, unless it has just closed the connection.
                return !(e.getCause() instanceof EOFException);
            } catch (IOException e) {
                return false;
            }
        }
    }

    private static SSLContext refusing() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new NoTrust()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Ends a handshake when the peer's certificate arrives. */
    private static final class NoTrust implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            throw new CertificateException();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            throw new CertificateException();
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
