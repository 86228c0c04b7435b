package io.spillway.core.scheduling;

import io.spillway.core.item.Lane;
import java.util.List;

/** Buffers of the lanes by priority: hot, overflow, aged. Owner: {@link FairDispatch}. */
final class Lanes<T> {
    final List<LaneBuffer<T>> all;

    Lanes(DispatchSettings settings) {
        this.all = List.of(
                new LaneBuffer<>(Lane.HOT, 0, settings.slots()),
                new LaneBuffer<>(Lane.OVERFLOW, settings.overflowTrickle(), settings.slots()),
                new LaneBuffer<>(Lane.AGED, settings.agedTrickle(), settings.slots()));
    }

    LaneBuffer<T> of(Lane lane) {
        if (lane.ordinal() >= LaneBuffer.COUNT) {
            throw new IllegalArgumentException("lane = " + lane.label() + ": must be hot, overflow or aged");
        }
        return all.get(lane.ordinal());
    }

    /** Returns the queue whose first item starts next; null if none may. */
    FairQueue<T> next(boolean liveLanesCaughtUp, boolean mayLend, boolean mayLendLong) {
        FairQueue<T> next = null;
        for (int i = 0; i < LaneBuffer.COUNT && next == null; i++) {
            LaneBuffer<T> lane = all.get(i);
            next = lane.isDue() ? lane.turns.next(mayLend, mayLendLong) : null;
        }
        // What a tenant is entitled to goes before long work that borrows, whatever its lane.
        next = next == null ? of(Lane.HOT).turns.next(mayLend, false) : next;
        next = next == null ? of(Lane.OVERFLOW).turns.next(false, false) : next;
        for (int i = 0; i < LaneBuffer.COUNT && next == null; i++) {
            LaneBuffer<T> lane = all.get(i);
            boolean mayRun = lane.lane != Lane.AGED || liveLanesCaughtUp || lane.inFlight < lane.slots;
            next = mayRun ? lane.turns.next(mayLend, mayLendLong) : null;
        }
        return next;
    }
}
