package io.spillway.bench.load;

import io.spillway.bench.peers.QueueUnderTest;
import io.spillway.bench.support.Bench;
import io.spillway.bench.support.Machine;
import io.spillway.bench.support.Scene;
import io.spillway.core.policy.PolicySettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * One run: a queue of its own, the product's or a peer's, traffic into it, and what the handler saw.
 *
 * @param ledger      of the run
 * @param use         of the machine from the first item to the end
 * @param load        average before it
 * @param figures     of the queue at the end
 * @param deadLetters items that were given up
 * @param inTime      whether the run came to its end before its limit
 */
public record LoadRun(Ledger ledger, Machine.Use use, String load, String figures, int deadLetters, boolean inTime) {
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /**
     * What to run.
     *
     * @param prefix       of its topics, never used before
     * @param workers      of the product
     * @param slots        handlers at one time, in each worker
     * @param more         settings of the product by key
     * @param policies     of tenants by number; peers know none
     * @param isOver       asked when all is sent
     * @param limitSeconds when it ends all the same
     */
    public record Plan(
            String prefix,
            int workers,
            int slots,
            Map<String, String> more,
            Map<Integer, PolicySettings> policies,
            Traffic traffic,
            Ledger.Behaviour behaviour,
            Predicate<Ledger> isOver,
            int limitSeconds,
            Observer observer) {

        /** One worker, and nobody looks. */
        public Plan(
                String prefix, int slots, Map<String, String> more, Map<Integer, PolicySettings> policies,
                Traffic traffic, Ledger.Behaviour behaviour, Predicate<Ledger> isOver, int limitSeconds) {
            this(prefix, 1, slots, more, policies, traffic, behaviour, isOver, limitSeconds, new Observer() {});
        }
    }

    /** Looks at a run while it goes on. Called by the thread that drives it. */
    public interface Observer {
        /** Called once before the first item, when the queue and its topics are there. */
        default void begin(Scene scene, QueueUnderTest queue) {}

        /** Called some times a second, before it is asked whether the run is over. */
        default void look(Ledger ledger, QueueUnderTest queue, long atNanos) {}

        /** Returns whether no more items are to be sent. */
        default boolean isStopped() {
            return false;
        }

        /** Called once, with how many items were sent. */
        default void sent(int items) {}

        /** Called once when the run is over, while the queue and its topics are still there. */
        default void end(Scene scene) {}
    }

    /** Runs it through the product. */
    public static LoadRun of(Bench bench, Plan plan) {
        return of(bench, plan, Contestant.SPILLWAY);
    }

    /** Runs it through a queue. */
    public static LoadRun of(Bench bench, Plan plan, Contestant contestant) {
        String load = Machine.load();
        Ledger ledger = new Ledger(plan.traffic(), plan.behaviour(), plan.limitSeconds(), System::nanoTime);
        Map<String, String> settings = new HashMap<>(plan.more());
        settings.put("worker.slots", Integer.toString(plan.slots()));
        try (Scene scene = Scene.set(
                        bench.admin(), bench.broker().bootstrapServers(), plan.prefix(), false, settings);
                QueueUnderTest queue = contestant.start(
                        scene, plan.workers(), plan.slots(), ledger, plan.policies())) {
            System.gc();
            Machine.Watch watch = bench.machine().watch();
            plan.observer().begin(scene, queue);
            boolean inTime = drive(scene, queue, plan, ledger);
            Machine.Use use = watch.since();
            plan.observer().end(scene);
            return new LoadRun(ledger, use, load, queue.figures(), queue.givenUp(), inTime);
        }
    }

    /** Nothing is left to wait for: each item is done. */
    public static boolean allDone(Ledger ledger, Traffic traffic) {
        return ledger.itemsDone() >= traffic.items();
    }

    private static boolean drive(Scene scene, QueueUnderTest queue, Plan plan, Ledger ledger) {
        long startNanos = System.nanoTime() + LEAD_NANOS;
        ledger.startAt(startNanos);
        List<Sender> senders = new ArrayList<>();
        try {
            for (Flow flow : plan.traffic().flows()) {
                senders.add(new Sender(scene, plan.traffic(), flow, startNanos));
            }
            boolean isCounted = false;
            long endNanos = startNanos + TimeUnit.SECONDS.toNanos(plan.limitSeconds());
            while (true) {
                plan.observer().look(ledger, queue, System.nanoTime() - startNanos);
                if (plan.observer().isStopped()) {
                    senders.forEach(Sender::stop);
                }
                boolean isSent = senders.stream().noneMatch(Sender::isSending);
                if (isSent && !isCounted) {
                    senders.forEach(Sender::await);
                    plan.observer().sent(senders.stream().mapToInt(Sender::sent).sum());
                    isCounted = true;
                }
                if (isSent) {
                    if (plan.isOver().test(ledger)) {
                        return true;
                    }
                }
                if (!queue.isRunning()) {
                    throw new IllegalStateException("the queue has ended; the log says why");
                }
                if (isSent && System.nanoTime() > endNanos) {
                    return false;
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        } finally {
            senders.forEach(Sender::close);
        }
    }

    /** Load, disturbance and the queue's own figures. */
    public String remarks() {
        return "load before %s, %s%s".formatted(load, use, figures.isEmpty() ? "" : "; " + figures);
    }

    /** Load, disturbance, and whatever went wrong, for the end of a line. */
    String notes() {
        int duplicates = ledger.duplicates();
        return "load before %s, %s%s%s%s".formatted(
                load, use,
                duplicates == 0 ? "" : ", DUPLICATES " + duplicates,
                deadLetters == 0 ? "" : ", DEAD LETTERS " + deadLetters,
                inTime ? "" : ", NOT FINISHED: " + figures);
    }
}
