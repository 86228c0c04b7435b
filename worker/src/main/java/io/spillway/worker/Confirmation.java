package io.spillway.worker;

import java.util.concurrent.TimeUnit;

/**
 * Doubt whether this worker still has its partitions: when it has not polled for half of its session, for example
 * because its process was suspended, others may have them. Then nothing starts until a transaction that began after
 * that is committed, which the group allows to owners alone. Guarded by the lock of {@link WorkerCore}.
 */
final class Confirmation {
    static final long DOUBT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Runnable doubted;
    private long polledNanos;
    private boolean isDoubtful;
    private boolean isBatchLater;

    /** @param doubted lets a batch of all partitions be committed */
    Confirmation(Runnable doubted, long nowNanos) {
        this.doubted = doubted;
        this.polledNanos = nowNanos;
    }

    void polled(long nowNanos) {
        check(nowNanos);
        polledNanos = nowNanos;
    }

    /** Returns whether items may start. */
    boolean isSure(long nowNanos) {
        check(nowNanos);
        return !isDoubtful;
    }

    private void check(long nowNanos) {
        if (nowNanos - polledNanos > DOUBT_NANOS) {
            polledNanos = nowNanos;
            isDoubtful = true;
            isBatchLater = false;
            doubted.run();
        }
    }

    /** Records that a batch begins; one at a time. */
    void begins() {
        isBatchLater = isDoubtful;
    }

    /** Records that the batch is committed. */
    void committed() {
        isDoubtful &= !isBatchLater;
    }
}
