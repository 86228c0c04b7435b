package io.spillway.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.apache.hc.client5.http.DnsResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PublicAddressTest {
    @ParameterizedTest
    @ValueSource(strings = {
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
        "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255", "192.169.0.0",
        "198.17.255.255", "198.20.0.0", "203.0.112.255", "223.255.255.255", "2606:4700::1111", "2001:4860:4860::8888",
        "2a00::1", "::ffff:1.1.1.1",
    })
    void an_address_of_the_internet_is_public(String address) throws UnknownHostException {
        assertThat(PublicAddress.is(InetAddress.getByName(address))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.255",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1",
        "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1", "240.0.0.1", "255.255.255.255",
        "::", "::1", "fe80::1", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1", "64:ff9b::a00:1", "64:ff9b:1::1",
        "2001::1", "2001:20::1", "2001:db8::1", "3fff::1", "3fff:fff::1", "2002:a00:1::1", "::ffff:10.0.0.1", "100::1",
    })
    void any_other_is_not(String address) throws UnknownHostException {
        assertThat(PublicAddress.is(InetAddress.getByName(address))).isFalse();
    }

    @Test
    void of_a_name_the_public_addresses_are_used_and_a_name_without_one_is_refused() throws UnknownHostException {
        InetAddress own = InetAddress.getByName("10.0.0.1");
        InetAddress open = InetAddress.getByName("1.1.1.1");

        assertThat(new GuardedDns(giving(own, open)).resolve("both.example")).containsExactly(open);
        assertThatThrownBy(() -> new GuardedDns(giving(own)).resolve("own.example"))
                .isInstanceOf(GuardedDns.PrivateAddressException.class);
    }

    static DnsResolver giving(InetAddress... addresses) {
        return new DnsResolver() {
            @Override
            public InetAddress[] resolve(String host) {
                return addresses;
            }

            @Override
            public String resolveCanonicalHostname(String host) {
                return host;
            }
        };
    }
}
