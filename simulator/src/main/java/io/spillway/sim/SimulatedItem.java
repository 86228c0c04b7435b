package io.spillway.sim;

import io.spillway.core.engine.EngineItem;
import io.spillway.core.engine.EnginePartition;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.routing.ItemTimes;
import io.spillway.sim.scenario.SimulatedTime;

/** Item in a simulation. Owner: its queue. Lane, attempts and moves change only with a commit. */
final class SimulatedItem implements EngineItem {
    /** Handling time to be drawn, since none is recorded. */
    static final long NOT_RECORDED = -1;

    /** Number that is the same in every run of a scenario with the same seed. */
    final long number;
    final int tenant;
    final String tenantName;
    /** Empty for none. */
    final String workload;
    final long arrivedNanos;
    /** Recorded handling time, or {@link #NOT_RECORDED}. */
    final long handlingNanos;

    Lane lane = Lane.HOT;
    int attempts;
    int moves;
    int losses;
    int blameThousandths;
    long waitMillis;
    /** Whether it is in the delay lane after a failed attempt. */
    boolean retries;
    /** When its last delay is or was over, epoch milliseconds; 0 for none. */
    long dueMillis;
    int grantedBy = AttemptCounts.UNKNOWN;
    /** Of its last attempt, as its handler names it. */
    String destination = "";
    /** Whether its first attempt was made, or never will be. */
    boolean tried;
    /** Whether it is counted as done, dropped or dead: a crash can repeat that. */
    boolean settled;
    /** How it was settled; outside before. */
    ItemState end = ItemState.OUTSIDE;
    /** Why it is dropped or dead; empty if it is done. */
    String reason = "";
    String detail = "";

    /** Partition of its record; set by {@link SimulatedPartition#append}. */
    SimulatedPartition currentPartition;
    long offset;

    SimulatedItem(
            long number, int tenant, String tenantName, String workload, long arrivedNanos, long handlingNanos) {
        this.number = number;
        this.tenant = tenant;
        this.tenantName = tenantName;
        this.workload = workload;
        this.arrivedNanos = arrivedNanos;
        this.handlingNanos = handlingNanos;
    }

    @Override
    public EnginePartition partition() {
        return currentPartition.state;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public String tenant() {
        return tenantName;
    }

    @Override
    public String workload() {
        return workload;
    }

    @Override
    public int attempts() {
        return attempts;
    }

    @Override
    public int moves() {
        return moves;
    }

    @Override
    public int losses() {
        return losses;
    }

    @Override
    public int blameThousandths() {
        return blameThousandths;
    }

    @Override
    public int grantedBy() {
        return grantedBy;
    }

    @Override
    public long waitMillis() {
        return waitMillis;
    }

    @Override
    public ItemTimes times() {
        long arrivedMillis = SimulatedTime.epochMillis(arrivedNanos);
        return new ItemTimes(arrivedMillis, arrivedMillis, arrivedMillis, dueMillis, attempts > 0);
    }

    @Override
    public int bytes() {
        return 1;
    }
}
