package io.spillway.kafka.codec;

import io.spillway.core.item.DeadReason;

/** First error found in a record. Has no stack trace, because bad input can cause many of them. */
final class UnreadableItem extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient DeadReason reason;

    UnreadableItem(DeadReason reason, String detail) {
        super(detail, null, false, false);
        this.reason = reason;
    }

    static UnreadableItem malformed(String detail) {
        return new UnreadableItem(DeadReason.MALFORMED, detail);
    }

    DeadReason reason() {
        return reason;
    }
}
