package io.spillway.sim;

import io.spillway.core.engine.EngineItem;
import io.spillway.core.engine.EnginePartition;
import io.spillway.core.item.Lane;
import io.spillway.sim.scenario.SimulatedTime;

/**
 * One item on its way. Owner: the queue it is in; what its record would say (lane, attempts, moves) changes only when a
 * transaction that moves it commits.
 */
final class SimulatedItem implements EngineItem {
    /** Where the time is not recorded, it is drawn. */
    static final long NOT_RECORDED = -1;

    /** The same in every run of a scenario with a seed, whatever happens to it. */
    final long number;
    final int tenant;
    final String tenantName;
    final long arrivedNanos;
    /** Handling time if it was recorded, else {@link #NOT_RECORDED}. */
    final long handlingNanos;

    Lane lane = Lane.HOT;
    int attempts;
    int moves;
    /** Whether its first attempt has been made, or none ever will be. */
    boolean tried;
    /** Whether it is counted as done, dropped or dead: after a crash it may be so twice. */
    boolean settled;

    /** Where its record lies: set when it enters a partition. */
    SimulatedPartition home;
    long offset;

    SimulatedItem(long number, int tenant, String tenantName, long arrivedNanos, long handlingNanos) {
        this.number = number;
        this.tenant = tenant;
        this.tenantName = tenantName;
        this.arrivedNanos = arrivedNanos;
        this.handlingNanos = handlingNanos;
    }

    @Override
    public EnginePartition partition() {
        return home.state;
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
    public int attempts() {
        return attempts;
    }

    @Override
    public int moves() {
        return moves;
    }

    @Override
    public long enqueuedAtMillis() {
        return SimulatedTime.epochMillis(arrivedNanos);
    }

    @Override
    public int bytes() {
        return 1;
    }
}
