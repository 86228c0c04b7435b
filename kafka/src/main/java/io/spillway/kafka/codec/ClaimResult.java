package io.spillway.kafka.codec;

import java.util.Arrays;
import java.util.Optional;
import org.apache.kafka.common.header.Headers;

/**
 * What a record of the delay lane without an item says about a claimed item: the value of the header
 * {@code spillway-claim-result}. Where the item goes on changed, the other headers are all that it has from then on.
 */
public enum ClaimResult {
    /** The attempt has succeeded. */
    DONE("done"),
    /** The item waits for its next attempt. */
    DELAYED("delayed"),
    /** The item is a dead letter. */
    DEAD("dead"),
    /** The attempt was interrupted; the item may start again now. */
    RELEASED("released"),
    /** The lease was extended. */
    RENEWED("renewed"),
    /** The lease has ended, by the delay stage, which reads the results before that first. */
    EXPIRED("expired");

    private final String label;

    ClaimResult(String label) {
        this.label = label;
    }

    /** Returns the value used in the header and as a metric label. */
    public String label() {
        return label;
    }

    /** Returns whether a record of the delay lane is no item. */
    public static boolean isIn(Headers headers) {
        return headers.lastHeader(ItemHeaders.CLAIM_RESULT) != null;
    }

    /** Returns the result in headers; empty if there is none, or this release does not know it. */
    public static Optional<ClaimResult> of(Headers headers) {
        return ItemHeaders.text(headers, ItemHeaders.CLAIM_RESULT).flatMap(label ->
                Arrays.stream(values()).filter(result -> result.label.equals(label)).findAny());
    }
}
