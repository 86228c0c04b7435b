package io.spillway.kafka.codec;

import io.spillway.core.item.DeadReason;

/** Leaves a reader at the first thing that cannot be; without a stack trace, since a flood of bad input throws many. */
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
