package io.spillway.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.apache.hc.client5.http.DnsResolver;

/**
 * Resolver that gives public addresses only. The client connects to what it gives, so that no second look-up can lead
 * elsewhere (DNS rebinding).
 */
final class GuardedDns implements DnsResolver {
    /** A name has private addresses alone. */
    static final class PrivateAddressException extends UnknownHostException {
        private static final long serialVersionUID = 1;

        PrivateAddressException(String message) {
            super(message);
        }
    }

    private final DnsResolver names;

    GuardedDns(DnsResolver names) {
        this.names = names;
    }

    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
        InetAddress[] found = names.resolve(host);
        InetAddress[] allowed = Arrays.stream(found).filter(PublicAddress::is).toArray(InetAddress[]::new);
        if (allowed.length == 0) {
            throw new PrivateAddressException("its addresses are private");
        }
        return allowed;
    }

    @Override
    public String resolveCanonicalHostname(String host) throws UnknownHostException {
        return names.resolveCanonicalHostname(host);
    }
}
