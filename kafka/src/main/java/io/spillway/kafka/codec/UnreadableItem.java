package io.spillway.kafka.codec;

import io.spillway.core.item.DeadReason;

/** First error found in a record. Has no stack trace, because bad input can cause many of them. */
public final class UnreadableItem extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient DeadReason reason;

    /** @param detail for the dead letter */
    public UnreadableItem(DeadReason reason, String detail) {
        super(detail, null, false, false);
        this.reason = reason;
    }

    /** Returns the error of bytes that do not decode. */
    public static UnreadableItem malformed(String detail) {
        return new UnreadableItem(DeadReason.MALFORMED, detail);
    }

    /** Returns the reason of the dead letter. */
    public DeadReason reason() {
        return reason;
    }
}
