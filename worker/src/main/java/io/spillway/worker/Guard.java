package io.spillway.worker;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Lock for state that several threads change. Reentrant. */
final class Guard {
    private final ReentrantLock lock = new ReentrantLock();

    /** Action under the lock that waits for a condition of it. */
    @FunctionalInterface
    interface Waiting {
        void run() throws InterruptedException;
    }

    Condition newCondition() {
        return lock.newCondition();
    }

    void run(Runnable action) {
        get(() -> {
            action.run();
            return null;
        });
    }

    <T> T get(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    void runInterruptibly(Waiting action) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    /** Request to one thread that waits for it. */
    final class Signal {
        private final Condition raised = lock.newCondition();
        private boolean isRaised;

        /** Raises it; call it under the lock. */
        void raise() {
            isRaised = true;
            raised.signal();
        }

        /** Waits, not under the lock, until it is raised, and clears it. */
        void await(long nanos) throws InterruptedException {
            runInterruptibly(() -> {
                Guard.await(raised, () -> isRaised, nanos);
                isRaised = false;
            });
        }
    }

    /** Waits, under the lock, until it is met; returns false if it is not in time. */
    static boolean await(Condition signal, BooleanSupplier isMet, long nanos) throws InterruptedException {
        for (long leftNanos = nanos; !isMet.getAsBoolean(); leftNanos = signal.awaitNanos(leftNanos)) {
            if (leftNanos <= 0) {
                return false;
            }
        }
        return true;
    }
}
