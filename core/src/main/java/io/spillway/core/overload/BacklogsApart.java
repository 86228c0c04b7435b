package io.spillway.core.overload;

import io.spillway.core.hashing.TenantHash;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Selection among the partitions of one worker, in a lane for backlogs: a partition is first in, first out, so what
 * comes after a large backlog in the same one waits for all of it. Each tenant's items go to partitions of their own
 * while there are empty ones: one, and another one when each has {@value #LARGE} items and as many others are empty. So
 * a flood takes half of the empty partitions, the next flood half of the rest, and so on, as the queues of a switch
 * share its memory (Choudhury and Hahne, Dynamic queue length thresholds for shared-memory packet switches, 1998).
 * Without an empty one the items go where the fewest wait.
 *
 * <p>Thread-safe: each field of it is, and a selection from old values is only a worse one.
 */
final class BacklogsApart {
    /** A worker reads about as many items of a partition ahead. */
    private static final long LARGE = 1_000;

    /** By partition: hash of the tenant that its items came from lately. */
    private final AtomicLongArray tenants;
    /** By partition: items that were sent since the last measurement. */
    private final AtomicLongArray sent;
    private volatile PartitionBacklog measured = PartitionBacklog.UNKNOWN;

    BacklogsApart(int partitions) {
        this.tenants = new AtomicLongArray(partitions);
        this.sent = new AtomicLongArray(partitions);
    }

    void measured(PartitionBacklog backlog) {
        measured = backlog;
        for (int i = 0; i < sent.length(); i++) {
            sent.set(i, 0);
        }
    }

    void sent(int partition, long tenant) {
        tenants.set(partition, tenant);
        sent.getAndIncrement(partition);
    }

    /**
     * Selects one of the candidates of an owner. That items of one make no progress tells nothing where the owner is at
     * work: they wait behind others.
     *
     * @param tenant hash
     * @param owners by partition
     */
    int select(long tenant, int[] candidates, int count, FleetWorker[] owners, FleetWorker owner) {
        // So that several routers select the same ones for a tenant.
        int first = (int) Math.floorMod(TenantHash.mix(tenant), (long) count);
        int own = -1;
        int least = -1;
        int owns = 0;
        int empties = 0;
        for (int i = first; i < first + count; i++) {
            int partition = candidates[i < count ? i : i - count];
            if (owners[partition] != owner) {
                continue;
            }
            if (tenants.get(partition) == tenant) {
                owns++;
                own = own < 0 || waiting(partition) < waiting(own) ? partition : own;
            } else if (waiting(partition) == 0) {
                empties++;
            }
            least = least < 0 || waiting(partition) < waiting(least) ? partition : least;
        }
        if (own >= 0 && (waiting(own) < LARGE || empties <= owns)) {
            return own;
        }
        return least;
    }

    private long waiting(int partition) {
        return measured.waiting(partition) + sent.get(partition);
    }
}
