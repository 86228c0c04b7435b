package io.spillway.webhook;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.stream.IntStream;

/**
 * Decides whether an address is one of the public internet, by the special-purpose registries of RFC 6890 and the
 * unicast space of RFC 4291. IPv6 addresses that stand for IPv4 ones (NAT64, 6to4, Teredo) are not, because the network
 * may translate them to private ones.
 */
final class PublicAddress {
    /** Address, and the bits of it that are compared. */
    private record Range(int address, int bits) {
        static Range of(int a, int b, int c, int bits) {
            return new Range(a << 24 | b << 16 | c << 8, bits);
        }

        boolean contains(int other) {
            return (address ^ other) >>> (Integer.SIZE - bits) == 0;
        }
    }

    private static final Range[] RESERVED = {
        Range.of(0, 0, 0, 8), Range.of(10, 0, 0, 8), Range.of(100, 64, 0, 10), Range.of(127, 0, 0, 8),
        Range.of(169, 254, 0, 16), Range.of(172, 16, 0, 12), Range.of(192, 0, 0, 24), Range.of(192, 0, 2, 24),
        Range.of(192, 88, 99, 24), Range.of(192, 168, 0, 16), Range.of(198, 18, 0, 15), Range.of(198, 51, 100, 24),
        Range.of(203, 0, 113, 24), Range.of(224, 0, 0, 3),
    };
    private static final int UNICAST = 0x20;
    private static final int UNICAST_MASK = 0xE0;
    private static final int[] TEREDO_AND_ORCHID = {0x20, 0x01};
    private static final int[] DOCUMENTATION = {0x20, 0x01, 0x0d, 0xb8};
    /** 3fff::/20, as RFC 9637 says; the rest of the block is unicast. */
    private static final int[] SECOND_DOCUMENTATION = {0x3f, 0xff};
    private static final int[] SIX_TO_FOUR = {0x20, 0x02};

    private PublicAddress() {}

    /** Returns whether it is. Java makes IPv4 addresses of those that are mapped to IPv6. */
    static boolean is(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (!(address instanceof Inet6Address)) {
            int number = IntStream.range(0, 4).reduce(0, (all, i) -> all << 8 | bytes[i] & 0xFF);
            return IntStream.range(0, RESERVED.length).noneMatch(i -> RESERVED[i].contains(number));
        }
        boolean isProtocol = startsWith(bytes, TEREDO_AND_ORCHID) && (bytes[2] & 0xFE) == 0;
        return (bytes[0] & UNICAST_MASK) == UNICAST && !isProtocol && !startsWith(bytes, DOCUMENTATION)
                && !startsWith(bytes, SIX_TO_FOUR)
                && !(startsWith(bytes, SECOND_DOCUMENTATION) && (bytes[2] & 0xF0) == 0);
    }

    private static boolean startsWith(byte[] bytes, int[] prefix) {
        return IntStream.range(0, prefix.length).allMatch(i -> (bytes[i] & 0xFF) == prefix[i]);
    }
}
