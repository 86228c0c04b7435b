package io.spillway.router.source;

import io.spillway.core.item.DeadReason;

/** Why a record of a source cannot become an item. Has no stack trace, because bad input can cause many of them. */
final class UnreadableRecord extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient DeadReason reason;

    UnreadableRecord(DeadReason reason, String detail) {
        super(detail, null, false, false);
        this.reason = reason;
    }

    DeadReason reason() {
        return reason;
    }
}
