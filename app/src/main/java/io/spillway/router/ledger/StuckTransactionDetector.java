package io.spillway.router.ledger;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Open transactions of the stream threads, which are committed every {@code router.commitInterval}: one that stays open
 * for long cannot be committed, also while the cluster still answers other calls.
 *
 * <p>Thread-safe. Owner of the table; a stream thread changes the entry of its producer. Bound: the stream threads.
 */
public final class StuckTransactionDetector {
    private final Map<LedgerProducer, Long> openSinceNanos = new ConcurrentHashMap<>();
    private final LongSupplier nanoClock;

    /** Creates a detector without open transactions. */
    public StuckTransactionDetector(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    void begun(LedgerProducer producer) {
        openSinceNanos.put(producer, nanoClock.getAsLong());
    }

    void ended(LedgerProducer producer) {
        openSinceNanos.remove(producer);
    }

    /** Returns whether a transaction has been open for at least this long. */
    public boolean isStuck(Duration time) {
        long nowNanos = nanoClock.getAsLong();
        return openSinceNanos.values().stream().anyMatch(since -> nowNanos - since >= time.toNanos());
    }
}
