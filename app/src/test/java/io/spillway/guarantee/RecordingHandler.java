package io.spillway.guarantee;

import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Handler for workers in the test's process, which may share it: counts the calls of each item, detects concurrent
 * calls of one item, and delegates to a {@link Behaviour}. Thread-safe.
 */
final class RecordingHandler implements Handler {
    interface Behaviour {
        Outcome handle(Delivery delivery) throws Exception;
    }

    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    private final Map<String, Integer> done = new ConcurrentHashMap<>();
    private final Set<String> running = ConcurrentHashMap.newKeySet();
    private final Set<String> ranConcurrently = ConcurrentHashMap.newKeySet();
    private final boolean leavesThreadClean;
    private volatile Behaviour behaviour;

    RecordingHandler(Behaviour behaviour) {
        this(false, behaviour);
    }

    RecordingHandler(boolean leavesThreadClean, Behaviour behaviour) {
        this.leavesThreadClean = leavesThreadClean;
        this.behaviour = behaviour;
    }

    /** Takes the number of milliseconds in the payload. */
    static Outcome takePayloadMillis(Delivery delivery) {
        LockSupport.parkNanos(Long.parseLong(new String(delivery.payload(), StandardCharsets.UTF_8)) * 1_000_000);
        return Outcome.done();
    }

    void behave(Behaviour next) {
        behaviour = next;
    }

    @Override
    public Outcome handle(Delivery delivery) throws Exception {
        String id = delivery.id();
        calls.computeIfAbsent(id, absent -> new AtomicInteger()).incrementAndGet();
        if (!running.add(id)) {
            ranConcurrently.add(id);
        }
        try {
            Outcome outcome = behaviour.handle(delivery);
            if (outcome instanceof Outcome.Done) {
                done.merge(id, 1, Integer::sum);
            }
            return outcome;
        } finally {
            running.remove(id);
        }
    }

    @Override
    public boolean leavesThreadClean() {
        return leavesThreadClean;
    }

    Set<String> ids() {
        return Set.copyOf(calls.keySet());
    }

    int calls(String id) {
        return calls.containsKey(id) ? calls.get(id).get() : 0;
    }

    int calls() {
        return calls.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    int inFlight() {
        return running.size();
    }

    int doneCount() {
        return done.size();
    }

    /** Waits until all of these items are done. */
    void awaitDone(Collection<String> ids) {
        while (!done.keySet().containsAll(ids)) {
            LockSupport.parkNanos(10_000_000);
            if (Thread.interrupted()) {
                throw new IllegalStateException("interrupted; not done are " + (ids.size() - done.size()) + " or more");
            }
        }
    }

    /** Returns one line for each item that was not done exactly once, or was handled by two calls at one time. */
    List<String> breaches(Collection<String> ids) {
        Set<String> breaches = new TreeSet<>();
        Set<String> unknown = new HashSet<>(done.keySet());
        // Not removeAll, which searches the list for each of the set.
        ids.forEach(unknown::remove);
        unknown.forEach(id -> breaches.add(id + " was never sent"));
        ids.forEach(id -> {
            int times = done.getOrDefault(id, 0);
            if (times != 1) {
                breaches.add(id + " was done " + times + " times");
            }
        });
        ranConcurrently.forEach(id -> breaches.add(id + " ran twice at one time"));
        return List.copyOf(breaches);
    }
}
