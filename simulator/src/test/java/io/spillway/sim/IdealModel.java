package io.spillway.sim;

import io.spillway.core.item.Lane;
import io.spillway.sim.scenario.SimulatedCluster;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Ideal of a fair scheduler: generalised processor sharing (Parekh and Gallager, "A generalized processor sharing
 * approach to flow control", 1993) of all slots of the fleet. At each instant the slots are divided by weighted max-min
 * fairness among the tenants with unfinished items. A tenant can use one slot for each such item, and its policy's
 * concurrency at most. Its first items have a whole slot each, and the next one the rest.
 *
 * <p>The wait of an item is its end less its duration: when a whole slot must take it to end as early. No real
 * scheduler has these waits for all items, since an attempt cannot be interrupted.
 *
 * <p>Left out: everything but the first attempt, whose result does not matter; deaths, rates, drops, limits of
 * workloads, and the speed of workers. A disturbance counts by the time of arrival.
 *
 * <p>Owner: the run. Bound: the items that wait. An event costs the slots and the tenants with unfinished items.
 */
final class IdealModel implements Model {
    private static final long NEVER = Long.MAX_VALUE;
    /** Rounding of times to whole nanoseconds. */
    private static final double DONE_NANOS = 0.5;

    private final TimedQueue<LongConsumer> events;
    private final Tally tally;
    private final Destination destination;
    private final Consumer<Service> ended;
    private final int slots;
    private final Share[] shares;
    /** Those with unfinished items. */
    private final List<Share> active = new ArrayList<>();
    private long progressedNanos;
    private long wakeNanos = NEVER;

    /** Unfinished item. */
    private static final class Work {
        final SimulatedItem item;
        final long durationNanos;
        double leftNanos;
        long firstNanos = NEVER;

        Work(SimulatedItem item, long durationNanos) {
            this.item = item;
            this.durationNanos = durationNanos;
            this.leftNanos = durationNanos;
        }
    }

    /** Unfinished items of a tenant, and its slots. */
    private static final class Share {
        final double weight;
        final int concurrency;
        final List<Work> begun = new ArrayList<>();
        final Deque<Work> waiting = new ArrayDeque<>();
        double slots;
        boolean satisfied;

        Share(double weight, int concurrency) {
            this.weight = weight;
            this.concurrency = concurrency;
        }

        int unfinished() {
            return begun.size() + waiting.size();
        }

        int usable() {
            return Math.min(concurrency, unfinished());
        }

        /** Returns the part of a slot that one of its items has, in their order. */
        double rate(int index) {
            return Math.clamp(slots - index, 0, 1);
        }
    }

    /** @param ended receives the service of each item */
    IdealModel(
            SimulatedCluster cluster, TimedQueue<LongConsumer> events, Tally tally, Destination destination,
            Consumer<Service> ended) {
        this.events = events;
        this.tally = tally;
        this.destination = destination;
        this.ended = ended;
        this.slots = cluster.slots();
        this.shares = new Share[tally.population.size()];
    }

    @Override
    public void arrive(SimulatedItem item, long nowNanos) {
        tally.entered(item, Lane.HOT);
        boolean hasChanged = progress(nowNanos);
        Share share = shares[item.tenant];
        if (share == null) {
            share = new Share(tally.population.policy(item.tenant).weight(),
                    tally.population.policy(item.tenant).concurrency());
            shares[item.tenant] = share;
        }
        if (share.unfinished() == 0) {
            active.add(share);
        }
        hasChanged |= share.slots == share.unfinished();
        long timeoutMillis = tally.population.policy(item.tenant).timeoutMillis();
        long durationNanos = destination.attempt(item, 0, 1, timeoutMillis, nowNanos).nanos();
        share.waiting.add(new Work(item, durationNanos));
        if (hasChanged) {
            divide(nowNanos);
        }
    }

    @Override
    public int inFlight() {
        return (int) Math.round(active.stream().mapToDouble(share -> share.slots).sum());
    }

    private void wake(long nowNanos) {
        if (nowNanos == wakeNanos) {
            wakeNanos = NEVER;
            progress(nowNanos);
            divide(nowNanos);
        }
    }

    /** Serves items since the last time. Returns whether any has ended. */
    private boolean progress(long nowNanos) {
        double nanos = nowNanos - progressedNanos;
        progressedNanos = nowNanos;
        boolean anyEnded = false;
        for (Share share : active) {
            int index = 0;
            for (Iterator<Work> each = share.begun.iterator(); each.hasNext() && index < share.slots; index++) {
                Work work = each.next();
                work.leftNanos -= nanos * share.rate(index);
                if (work.leftNanos <= DONE_NANOS) {
                    each.remove();
                    end(work, nowNanos);
                    anyEnded = true;
                }
            }
        }
        return anyEnded;
    }

    private void end(Work work, long nowNanos) {
        SimulatedItem item = work.item;
        long startedNanos = Math.max(item.arrivedNanos, nowNanos - work.durationNanos);
        tally.attempted(item, startedNanos);
        tally.held(item, work.durationNanos);
        tally.done(item);
        ended.accept(new Service(item.tenant, item.arrivedNanos, work.firstNanos, startedNanos, nowNanos));
    }

    /** Divides the slots among the tenants by water filling, and plans the next end. */
    private void divide(long nowNanos) {
        active.removeIf(share -> {
            share.slots = 0;
            share.satisfied = false;
            return share.unfinished() == 0;
        });
        double left = slots;
        double weights = 0;
        for (Share share : active) {
            weights += share.weight;
        }
        boolean isOver = false;
        while (!isOver) {
            isOver = true;
            double level = left / weights;
            for (Share share : active) {
                if (!share.satisfied) {
                    share.satisfied = share.usable() <= level * share.weight;
                    share.slots = share.satisfied ? share.usable() : level * share.weight;
                    if (share.satisfied) {
                        left -= share.slots;
                        weights -= share.weight;
                        isOver = false;
                    }
                }
            }
        }
        double nextNanos = Double.MAX_VALUE;
        for (Share share : active) {
            while (share.begun.size() < share.slots && !share.waiting.isEmpty()) {
                share.begun.add(share.waiting.remove());
            }
            for (int i = 0; i < share.begun.size() && i < share.slots; i++) {
                Work work = share.begun.get(i);
                work.firstNanos = Math.min(work.firstNanos, nowNanos);
                nextNanos = Math.min(nextNanos, work.leftNanos / share.rate(i));
            }
        }
        if (nextNanos < Double.MAX_VALUE) {
            long atNanos = nowNanos + (long) Math.ceil(nextNanos);
            // An event before it, of an end that has become later, plans anew.
            if (atNanos < wakeNanos) {
                wakeNanos = atNanos;
                events.add(atNanos, this::wake);
            }
        }
    }
}
