package io.spillway.gateway;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signer of receipts: proofs that an item was leased from a process. Their text names the process with its address, the
 * lease, the attempt and the position of the item's record, and ends with an HMAC-SHA256 of all that. Remembers why the
 * last {@value #MAX_ENDED} leases ended. Thread-safe.
 */
final class Receipts {
    /** Longest text that is looked at; real ones have about 250 characters. */
    static final int MAX_LENGTH = 1_000;
    private static final int MAX_ENDED = 10_000;
    private static final String ALGORITHM = "HmacSHA256";
    private static final Pattern CONTENT = Pattern.compile("([^|]*)\\|([^|]*)\\|(\\d{1,18})\\|(\\d{1,9})\\|([^|]*)");
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    /** Of a receipt that another process has signed with the same key, and that has no address. */
    static final Verdict OTHER_PROCESS = new Verdict.Refused(Problem.of(Problem.Kind.STALE_RECEIPT,
            "The receipt is of another process. Send it there, or set handler.pull.advertisedUrl in all processes. If"
                    + " that process has ended, the item is leased again."));
    /** Of a text that no process with this key has signed. */
    static final Verdict FORGED = new Verdict.Refused(Problem.of(Problem.Kind.BAD_REQUEST,
            "This process has not signed the receipt. Send it unchanged and to the process that leased the item."
                    + " Receipts end with their process."));

    private final SecretKeySpec key;
    private final String process;
    private final String address;
    private final SequencedMap<Long, String> ended = new LinkedHashMap<>();

    /**
     * Creates a signer.
     *
     * @param secret  1 byte or more
     * @param process differs for each process, without {@code |}
     * @param address URL at which the others reach this process, without {@code |}; empty if they do not
     */
    Receipts(byte[] secret, String process, String address) {
        this.key = new SecretKeySpec(secret, ALGORITHM);
        this.process = process;
        this.address = address;
    }

    /**
     * What a receipt says.
     *
     * @param lease    number of the lease in its process, 1 or more
     * @param attempt  number of the attempt, 1 or more
     * @param position as {@link io.spillway.handler.Delivery#position}
     */
    record Receipt(long lease, int attempt, String position) {}

    /** Result of a check. */
    sealed interface Verdict {
        /** A receipt of this process. Its lease may have ended. */
        record Valid(Receipt receipt) implements Verdict {}

        /** A receipt of the process at this address, which accepts it if its lease has not ended. */
        record Elsewhere(String address) implements Verdict {}

        /** Another receipt: {@link #OTHER_PROCESS} or {@link #FORGED}. */
        record Refused(Problem problem) implements Verdict {}
    }

    String sign(Receipt receipt) {
        byte[] content = String.join("|", process, address, Long.toString(receipt.lease),
                Integer.toString(receipt.attempt), receipt.position).getBytes(StandardCharsets.UTF_8);
        return BASE64.encodeToString(content) + "." + BASE64.encodeToString(mac(content));
    }

    /** Compares the signature in constant time before anything else is read. */
    Verdict check(String text) {
        int dot = text.indexOf('.');
        if (dot < 0 || text.length() > MAX_LENGTH) {
            return FORGED;
        }
        byte[] content;
        try {
            content = Base64.getUrlDecoder().decode(text.substring(0, dot));
            byte[] signature = Base64.getUrlDecoder().decode(text.substring(dot + 1));
            if (!MessageDigest.isEqual(mac(content), signature)) {
                return FORGED;
            }
        } catch (IllegalArgumentException e) {
            return FORGED;
        }
        Matcher parts = CONTENT.matcher(new String(content, StandardCharsets.UTF_8));
        if (!parts.matches()) {
            return FORGED;
        }
        if (parts.group(1).equals(process)) {
            return new Verdict.Valid(new Receipt(
                    Long.parseLong(parts.group(3)), Integer.parseInt(parts.group(4)), parts.group(5)));
        }
        // An earlier process at this address has ended.
        boolean isReachable = !parts.group(2).isEmpty() && !parts.group(2).equals(address);
        return isReachable ? new Verdict.Elsewhere(parts.group(2)) : OTHER_PROCESS;
    }

    /** Records why a lease has ended, to say later why its receipt is refused. */
    synchronized void ended(long lease, String why) {
        ended.put(lease, why);
        if (ended.size() > MAX_ENDED) {
            ended.pollFirstEntry();
        }
    }

    /** Returns why a lease has ended. */
    synchronized String endOf(long lease) {
        return ended.getOrDefault(lease, "The lease has ended.");
    }

    private byte[] mac(byte[] content) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(content);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java platform has " + ALGORITHM, e);
        }
    }
}
