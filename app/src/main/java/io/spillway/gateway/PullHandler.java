package io.spillway.gateway;

import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import io.spillway.worker.Worker;
import io.spillway.worker.handlers.PullSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Handler that external workers lease items from. Each call of {@link #handle} waits for the answer to its item, so
 * slots, leases, retries and the ledger are those of any handler. Thread-safe.
 *
 * <p>Owner: the worker, which closes it. Bounds: items and calls that wait for one are limited by {@code worker.slots}
 * and by the connections of the listener.
 */
public final class PullHandler implements Worker.OnDemand {
    /** Items that start together reach a call within this time. */
    private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final Duration LONGEST_LEASE = Duration.ofDays(1);
    private static final Outcome UNASKED = Outcome.later(Duration.ofSeconds(1));

    private final Receipts receipts;
    private final String destinationFrom;
    private final int maxBytes;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    /** Oldest first; each has fewer items than it asks for. */
    private final Deque<Call> calls = new ArrayDeque<>();
    /** Items without a call: one ended since it made the worker start them. */
    private final Deque<Work> unasked = new ArrayDeque<>();
    private final Map<Long, Work> leased = new HashMap<>();
    private long lastLease;
    private volatile Runnable grown = () -> { };
    /** These are changed under the lock only. */
    private volatile boolean closed;
    private volatile int limit;
    private volatile int asked;

    /**
     * Creates a handler without calls.
     *
     * @param receiptKey signs receipts; 1 byte or more
     * @param process    differs for each start of each process, without {@code |}
     * @param maxBytes   size of the payloads of one lease call from which on it gets no further item
     */
    public PullHandler(PullSettings settings, byte[] receiptKey, String process, int maxBytes, InstantSource clock) {
        this.receipts = new Receipts(receiptKey, process, settings.advertisedUrl());
        this.destinationFrom = settings.destinationFrom();
        this.maxBytes = maxBytes;
        this.clock = clock;
    }

    /** Item in the hands of an external worker. */
    record Leased(Delivery delivery, String receipt) {}

    @Override
    public int limit() {
        return limit;
    }

    @Override
    public void onDemand(Runnable task) {
        grown = task;
    }

    @Override
    public Outcome handle(Delivery delivery) throws InterruptedException {
        Work work = new Work(delivery);
        lock.lockInterruptibly();
        try {
            unasked.add(work);
            serve();
            return outcomeOf(work);
        } finally {
            unasked.remove(work);
            if (leased.remove(work.lease) != null) {
                receipts.ended(work.lease, endOf(work));
            }
            update();
            lock.unlock();
        }
    }

    /** Waits for the answer; an item that nobody asks for is given back in time, without an attempt. */
    private Outcome outcomeOf(Work work) throws InterruptedException {
        long leftNanos = work.length.toNanos() / 4 * 3;
        try {
            while (work.outcome == null) {
                if (work.lease > 0) {
                    work.changed.await();
                } else if (leftNanos > 0 && !closed) {
                    leftNanos = work.changed.awaitNanos(leftNanos);
                } else {
                    return UNASKED;
                }
            }
        } catch (InterruptedException e) {
            // An answer that came before the interrupt was accepted, so it counts.
            if (work.outcome == null) {
                throw e;
            }
        }
        return work.outcome;
    }

    private String endOf(Work work) {
        if (work.outcome != null) {
            return "The receipt was used before: the item was answered.";
        }
        return work.delivery.lease().endsAt().isAfter(clock.instant())
                ? "The item's partition moved to another worker, or this worker stops. The item is attempted again."
                : "The lease ended without an answer, which counts as a timeout. Renew it in time.";
    }

    /** Returns the item's attribute or header of the configured name; empty without one. */
    @Override
    public String destination(Delivery delivery) {
        return destinationFrom.isEmpty() ? "" : Optional.ofNullable(delivery.attributes().get(destinationFrom))
                .or(() -> delivery.header(destinationFrom)).orElse("");
    }

    @Override
    public boolean leavesThreadClean() {
        return true;
    }

    /** Wakes all calls; the worker has no running attempt any more. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            calls.forEach(call -> call.changed.signalAll());
            unasked.forEach(work -> work.changed.signalAll());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Leases items: waits for the first one, and a few milliseconds for more.
     *
     * @param max  most items, 1 or more
     * @param wait longest wait for the first one
     * @return in the order in which the worker started them; empty if none came in time
     */
    List<Leased> lease(int max, Duration wait) throws InterruptedException {
        Call call = new Call(max);
        lock.lockInterruptibly();
        try {
            calls.add(call);
            serve();
        } finally {
            lock.unlock();
        }
        grown.run();
        lock.lock();
        try {
            long leftNanos = call.items.isEmpty() ? Math.max(LINGER_NANOS, wait.toNanos()) : LINGER_NANOS;
            while (!closed && call.missing() > 0 && leftNanos > 0) {
                boolean isFirst = call.items.isEmpty();
                leftNanos = call.changed.awaitNanos(leftNanos);
                leftNanos = isFirst && !call.items.isEmpty() ? LINGER_NANOS : leftNanos;
            }
            return call.items;
        } catch (InterruptedException e) {
            call.items.forEach(item -> giveBack(item.receipt));
            throw e;
        } finally {
            calls.remove(call);
            update();
            lock.unlock();
        }
    }

    /** Ends a leased item with the outcome of its external worker. */
    Answered answer(String receipt, Outcome outcome) {
        return with(receipt, work -> {
            work.outcome = outcome;
            work.changed.signalAll();
            return new Answered.Accepted(Optional.empty());
        });
    }

    /** Offers an item to other calls, because its external worker had ended before it was sent: nobody has seen it. */
    void takeBack(String receipt) {
        with(receipt, work -> {
            leased.remove(work.lease);
            work.lease = 0;
            unasked.addFirst(work);
            work.changed.signalAll();
            serve();
            return new Answered.Accepted(Optional.empty());
        });
    }

    /** Gives an item back whose external worker may not have got it: it was not attempted. */
    void giveBack(String receipt) {
        answer(receipt, Outcome.later(Duration.ZERO));
    }

    /**
     * Extends a lease, as {@link Delivery.Lease#renew} does.
     *
     * @param time from now; empty for the length that the lease had at first
     */
    Answered renew(String receipt, Optional<Duration> time) {
        return with(receipt, work -> {
            try {
                return new Answered.Accepted(Optional.of(work.delivery.lease().renew(time.orElse(work.length))));
            } catch (IllegalStateException e) {
                return stale("The lease has ended. The item is attempted again.");
            }
        });
    }

    /** What became of an answer to a leased item. */
    sealed interface Answered {
        /** It counts; with the end of the lease if it was renewed, possibly earlier than asked for. */
        record Accepted(Optional<Instant> leaseUntil) implements Answered {}

        /** The process at this address leased the item. */
        record Elsewhere(String address) implements Answered {}

        record Refused(Problem problem) implements Answered {}
    }

    /** Returns whether the worker has stopped. */
    boolean isClosed() {
        return closed;
    }

    /** Returns the number of leased items. */
    int leasedItems() {
        return limit - asked;
    }

    /** Returns the number of items that waiting calls still ask for. */
    int askedItems() {
        return asked;
    }

    /** Runs a step under the lock on the item that a receipt stands for. */
    private Answered with(String receipt, Function<Work, Answered> step) {
        lock.lock();
        try {
            return switch (receipts.check(receipt)) {
                case Receipts.Verdict.Refused(Problem problem) -> new Answered.Refused(problem);
                case Receipts.Verdict.Elsewhere(String address) -> new Answered.Elsewhere(address);
                case Receipts.Verdict.Valid(Receipts.Receipt valid) -> {
                    Work work = leased.get(valid.lease());
                    yield work != null && work.outcome == null ? step.apply(work)
                            : stale(work != null ? endOf(work) : receipts.endOf(valid.lease()));
                }
            };
        } finally {
            lock.unlock();
        }
    }

    // ---- under the lock

    /** Gives items to calls, both oldest first. */
    private void serve() {
        while (!unasked.isEmpty() && !calls.isEmpty()) {
            Call call = calls.peek();
            if (call.missing() == 0) {
                calls.remove();
            } else {
                give(unasked.remove(), call);
            }
        }
        update();
    }

    private void give(Work work, Call call) {
        try {
            // An item that waited for a call has its whole lease from now on.
            work.delivery.lease().renew(work.length);
        } catch (IllegalStateException e) {
            // It was interrupted, and its thread ends as soon as it gets the lock.
            return;
        }
        work.lease = ++lastLease;
        leased.put(work.lease, work);
        Delivery delivery = work.delivery;
        call.bytes += delivery.payload().length;
        call.items.add(new Leased(delivery, receipts.sign(
                new Receipts.Receipt(work.lease, delivery.attempt(), delivery.position()))));
        work.changed.signalAll();
        call.changed.signalAll();
    }

    private void update() {
        asked = calls.stream().mapToInt(call -> call.missing()).sum();
        limit = leased.size() + asked;
    }

    private static Answered stale(String detail) {
        return new Answered.Refused(Problem.of(Problem.Kind.STALE_RECEIPT, detail));
    }

    /** Lease call that waits. */
    private final class Call {
        private final int max;
        private final Condition changed = lock.newCondition();
        private final List<Leased> items = new ArrayList<>();
        private long bytes;

        Call(int max) {
            this.max = max;
        }

        int missing() {
            return bytes < maxBytes ? max - items.size() : 0;
        }
    }

    /** Item in {@link #handle}. */
    private final class Work {
        private final Delivery delivery;
        /** Of its lease at first. */
        private final Duration length;
        private final Condition changed = lock.newCondition();
        /** Number of its lease; 0 while nobody has it. */
        private long lease;
        /** Null until it is answered. */
        private Outcome outcome;

        Work(Delivery delivery) {
            this.delivery = delivery;
            Duration left = Duration.between(clock.instant(), delivery.lease().endsAt());
            this.length = left.compareTo(LONGEST_LEASE) > 0 ? LONGEST_LEASE : left;
        }
    }
}
