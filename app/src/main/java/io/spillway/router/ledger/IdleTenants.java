package io.spillway.router.ledger;

import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.kafka.topics.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Search for idle tenants in the store of one fold task, and the sum of the balances that were forgotten. Without it
 * made-up tenants would stay in the topic and in the memory of every view for ever.
 *
 * <p>Owner: a {@link FoldProcessor}. Bound: a step reads {@value #MOST_READ} balances and returns {@value #MOST_FOUND}
 * names, so it delays the routing on the same thread by a few milliseconds.
 */
final class IdleTenants {
    static final int MOST_READ = 2_000;
    static final int MOST_FOUND = 500;
    static final long STEP_MILLIS = 10_000;
    private static final long MOST_PAUSE_MILLIS = 3_600_000;

    private final long idleMillis;
    private TenantBalance sum;
    /** First key of the next step; null at the start of the store. */
    private Bytes next;

    /** Creates the search; {@code sum} is that of the balances that were forgotten before. */
    IdleTenants(long idleMillis, TenantBalance sum) {
        this.idleMillis = idleMillis;
        this.sum = sum;
    }

    /** Returns the sum of the balances that were forgotten. */
    TenantBalance sum() {
        return sum;
    }

    /** Returns when to search again, in milliseconds: soon in the middle of the store, and seldom after its end. */
    long pauseMillis() {
        return next != null ? STEP_MILLIS : longPauseMillis();
    }

    /**
     * Returns when to search for the first time, in milliseconds. The tasks of all instances start together, so the
     * partition, which is one job of the whole cluster, sets the phase: evenly over the long pause, and the same on
     * every host that runs it.
     */
    long firstPauseMillis(int partition) {
        return STEP_MILLIS + longPauseMillis() * partition / Topics.LEDGER_PARTITIONS;
    }

    private long longPauseMillis() {
        return Math.clamp(idleMillis / 4, STEP_MILLIS, MOST_PAUSE_MILLIS);
    }

    /**
     * Adds the next idle balances to the sum and returns their keys, which the caller removes.
     *
     * @param isIdle tells from the name of a tenant and its balance whether it is idle
     */
    List<Bytes> forget(KeyValueStore<Bytes, byte[]> store, BiPredicate<byte[], Depth> isIdle) {
        List<Bytes> found = new ArrayList<>();
        try (KeyValueIterator<Bytes, byte[]> balances = store.range(next, null)) {
            int read = 0;
            for (; balances.hasNext() && read < MOST_READ && found.size() < MOST_FOUND; read++) {
                KeyValue<Bytes, byte[]> entry = balances.next();
                Depth depth = FoldProcessor.balance(entry.value);
                if (isIdle.test(entry.key.get(), depth)) {
                    sum = sum.plus(depth.balance());
                    found.add(entry.key);
                }
            }
            next = balances.hasNext() ? balances.peekNextKey() : null;
        }
        return found;
    }
}
