package io.spillway.bench.load;

import io.spillway.bench.support.BenchItems;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * What the handler saw of each item of a run: when it was called first, how often, and when it was done. Written by
 * handler threads, read when the run is over. Times are nanoseconds since the start of the run.
 */
public final class Ledger implements Handler {
    /**
     * A call of the handler.
     *
     * @param number  of the item
     * @param tenant  its number
     * @param attempt which call of this item it is, 1 or more
     * @param atNanos since the start of the run
     */
    public record Call(int number, int tenant, int attempt, long atNanos) {}

    /** What the handler does with an item, once it is noted. */
    @FunctionalInterface
    public interface Behaviour {
        Outcome handle(Call call) throws InterruptedException;

        /** Returns the name of the destination of a tenant's items. */
        default String destination(int tenant) {
            return "";
        }

        /** Takes its time and succeeds. */
        static Behaviour sleeping(long millis) {
            return call -> {
                Thread.sleep(millis);
                return Outcome.done();
            };
        }

        /** As {@link #sleeping}, but that of one tenant takes longer from a time on. */
        static Behaviour slowing(long millis, int slow, long slowMillis, long fromNanos) {
            return call -> {
                Thread.sleep(call.tenant() == slow && call.atNanos() >= fromNanos ? slowMillis : millis);
                return Outcome.done();
            };
        }

        /** As {@link #sleeping}, but those of some tenants fail for a time. */
        static Behaviour failing(long millis, IntPredicate isDown, long fromNanos, long toNanos) {
            return call -> {
                Thread.sleep(millis);
                boolean fails =
                        isDown.test(call.tenant()) && call.atNanos() >= fromNanos && call.atNanos() < toNanos;
                return fails ? Outcome.retry("the destination is down") : Outcome.done();
            };
        }
    }

    private static final long HIGHEST_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Traffic traffic;
    private final Behaviour behaviour;
    private final LongSupplier nanoClock;
    private final long[] intendedNanos;
    private final int[] tenants;
    private final AtomicLongArray firstCallNanos;
    private final AtomicLongArray doneNanos;
    private final AtomicIntegerArray doneTimes;
    private final AtomicIntegerArray calls;
    private final AtomicIntegerArray callsBySecond;
    /** Time of all calls for a tenant in a second; an int holds that of 2,147 calls at a time. */
    private final AtomicIntegerArray microsBySecond;
    private final AtomicIntegerArray inUse;
    private final AtomicIntegerArray mostInUse;
    private final AtomicInteger itemsDone = new AtomicInteger();
    private final LongAdder doneInNanos = new LongAdder();
    private volatile long startNanos;

    /**
     * Makes an empty one.
     *
     * @param seconds   longest time of a run; what comes later counts to the last second
     * @param nanoClock as {@link System#nanoTime}
     */
    Ledger(Traffic traffic, Behaviour behaviour, int seconds, LongSupplier nanoClock) {
        int items = traffic.items();
        this.traffic = traffic;
        this.behaviour = behaviour;
        this.nanoClock = nanoClock;
        this.intendedNanos = new long[items];
        this.tenants = new int[items];
        this.firstCallNanos = new AtomicLongArray(items);
        this.doneNanos = new AtomicLongArray(items);
        this.doneTimes = new AtomicIntegerArray(items);
        this.calls = new AtomicIntegerArray(items);
        this.callsBySecond = new AtomicIntegerArray(traffic.tenants() * seconds);
        this.microsBySecond = new AtomicIntegerArray(traffic.tenants() * seconds);
        this.inUse = new AtomicIntegerArray(traffic.tenants());
        this.mostInUse = new AtomicIntegerArray(traffic.tenants());
        int number = 0;
        for (Flow flow : traffic.flows()) {
            for (int i = 0; i < flow.items(); i++, number++) {
                intendedNanos[number] = flow.atNanos(i);
                tenants[number] = flow.tenant(i);
            }
        }
    }

    void startAt(long nanos) {
        startNanos = nanos;
    }

    /** The handler of the run, for the product. */
    @Override
    public Outcome handle(Delivery delivery) throws InterruptedException {
        return handle(BenchItems.numberOf(delivery.id()), BenchItems.tenantOf(
                traffic.areWorkloads() ? delivery.workload() : delivery.tenant()));
    }

    @Override
    public String destination(Delivery delivery) {
        return behaviour.destination(BenchItems.tenantOf(delivery.tenant()));
    }

    /** The same for peers; true when the item is done. */
    boolean handle(byte[] key, byte[] value) throws InterruptedException {
        return handle(BenchItems.numberIn(value), BenchItems.tenantOf(key)) instanceof Outcome.Done;
    }

    private Outcome handle(int number, int tenant) throws InterruptedException {
        long callNanos = nanoClock.getAsLong();
        long atNanos = callNanos - startNanos;
        int attempt = calls.incrementAndGet(number);
        if (attempt == 1) {
            firstCallNanos.set(number, atNanos);
        }
        callsBySecond.incrementAndGet(tenant * seconds() + second(atNanos));
        mostInUse.accumulateAndGet(tenant, inUse.incrementAndGet(tenant), Math::max);
        try {
            Outcome outcome = behaviour.handle(new Call(number, tenant, attempt, atNanos));
            if (outcome instanceof Outcome.Done) {
                long endNanos = nanoClock.getAsLong();
                doneInNanos.add(endNanos - callNanos);
                if (doneTimes.getAndIncrement(number) == 0) {
                    doneNanos.set(number, endNanos - startNanos);
                    itemsDone.incrementAndGet();
                }
            }
            return outcome;
        } finally {
            inUse.decrementAndGet(tenant);
            use(tenant, atNanos, nanoClock.getAsLong() - startNanos);
        }
    }

    private void use(int tenant, long fromNanos, long toNanos) {
        int last = second(toNanos);
        for (int second = second(fromNanos); second <= last; second++) {
            long from = Math.max(fromNanos, second * SECOND_NANOS);
            long to = second == last ? toNanos : (second + 1) * SECOND_NANOS;
            microsBySecond.addAndGet(tenant * seconds() + second, (int) TimeUnit.NANOSECONDS.toMicros(to - from));
        }
    }

    public int itemsDone() {
        return itemsDone.get();
    }

    /** Items that were done more than once. */
    public int duplicates() {
        return count(number -> doneTimes.get(number) > 1);
    }

    /** Items that were handed over more than once. */
    public int handedOverAgain() {
        return count(number -> calls.get(number) > 1);
    }

    /** What a call that succeeded took on average. */
    public double doneInMillis() {
        long succeeded = 0;
        for (int i = 0; i < doneTimes.length(); i++) {
            succeeded += doneTimes.get(i);
        }
        return doneInNanos.sum() / 1e6 / Math.max(1, succeeded);
    }

    /** Calls of all items. */
    public long calls() {
        long sum = 0;
        for (int i = 0; i < calls.length(); i++) {
            sum += calls.get(i);
        }
        return sum;
    }

    /** Most calls of one item. */
    public int mostCalls() {
        int most = 0;
        for (int i = 0; i < calls.length(); i++) {
            most = Math.max(most, calls.get(i));
        }
        return most;
    }

    /** Most calls at one time for a tenant. */
    public int mostInUse(int tenant) {
        return mostInUse.get(tenant);
    }

    /**
     * Ages at the first call, of items that were to be sent from one time to another; items never handed over are left
     * out.
     */
    Histogram ages(IntPredicate tenant, long fromNanos, long toNanos) {
        Histogram ages = new Histogram(HIGHEST_NANOS, 3);
        for (int i = 0; i < intendedNanos.length; i++) {
            if (isIn(i, tenant, fromNanos, toNanos) && calls.get(i) > 0) {
                ages.recordValue(Math.clamp(firstCallNanos.get(i) - intendedNanos[i], 0, HIGHEST_NANOS));
            }
        }
        return ages;
    }

    /**
     * Ages at the first call, of all items that were to be sent from one time to another. One that had not been handed
     * over by the end counts with its age then: leaving it out would flatter a queue that never got to it.
     */
    public Histogram agesUntil(long endNanos, IntPredicate tenant, long fromNanos, long toNanos) {
        Histogram ages = new Histogram(HIGHEST_NANOS, 3);
        for (int i = 0; i < intendedNanos.length; i++) {
            if (isIn(i, tenant, fromNanos, toNanos)) {
                long seenNanos = calls.get(i) > 0 ? Math.min(firstCallNanos.get(i), endNanos) : endNanos;
                ages.recordValue(Math.clamp(seenNanos - intendedNanos[i], 0, HIGHEST_NANOS));
            }
        }
        return ages;
    }

    /** Items that were to be sent in this time. */
    public int offered(IntPredicate tenant, long fromNanos, long toNanos) {
        return count(number -> isIn(number, tenant, fromNanos, toNanos));
    }

    /** Items of these tenants that were never done. */
    public int notDone(IntPredicate tenant) {
        return count(number -> tenant.test(tenants[number]) && doneTimes.get(number) == 0);
    }

    /** Items of these tenants that were done in this time, whenever they were sent. */
    public int doneBetween(IntPredicate tenant, long fromNanos, long toNanos) {
        return count(number -> tenant.test(tenants[number]) && doneTimes.get(number) > 0
                && doneNanos.get(number) >= fromNanos && doneNanos.get(number) < toNanos);
    }

    /** Of the items that were to be sent in this time, those that are done. */
    int doneOf(IntPredicate tenant, long fromNanos, long toNanos) {
        return count(number -> isIn(number, tenant, fromNanos, toNanos) && doneTimes.get(number) > 0);
    }

    /** When the last item of these tenants was done. */
    public long lastDoneNanos(IntPredicate tenant) {
        long last = 0;
        for (int i = 0; i < tenants.length; i++) {
            last = tenant.test(tenants[i]) ? Math.max(last, doneNanos.get(i)) : last;
        }
        return last;
    }

    /** Items of these tenants that were done in each second from one to another, exclusive. */
    public List<Integer> doneBySecond(IntPredicate tenant, int fromSecond, int toSecond) {
        Integer[] done = new Integer[toSecond - fromSecond];
        Arrays.fill(done, 0);
        for (int i = 0; i < tenants.length; i++) {
            long second = Math.floorDiv(doneNanos.get(i), SECOND_NANOS) - fromSecond;
            if (tenant.test(tenants[i]) && doneTimes.get(i) > 0 && second >= 0 && second < done.length) {
                done[(int) second]++;
            }
        }
        return List.of(done);
    }

    /**
     * Items of these tenants that were to be sent before a time and were done after it: how long after it each was
     * done, the shortest first. Those that were never done are left out.
     */
    public List<Long> backlogDoneNanos(IntPredicate tenant, long atNanos) {
        List<Long> after = new ArrayList<>();
        for (int i = 0; i < tenants.length; i++) {
            if (isIn(i, tenant, Long.MIN_VALUE, atNanos) && doneTimes.get(i) > 0 && doneNanos.get(i) >= atNanos) {
                after.add(doneNanos.get(i) - atNanos);
            }
        }
        after.sort(null);
        return after;
    }

    /** Calls for these tenants in the seconds from one to another, exclusive. */
    public int callsBetween(IntPredicate tenant, int fromSecond, int toSecond) {
        return (int) sum(callsBySecond, tenant, fromSecond, toSecond);
    }

    /** Seconds that calls for these tenants took, in the seconds from one to another, exclusive. */
    public double slotSeconds(IntPredicate tenant, int fromSecond, int toSecond) {
        return sum(microsBySecond, tenant, fromSecond, toSecond) / 1e6;
    }

    private long sum(AtomicIntegerArray bySecond, IntPredicate tenant, int fromSecond, int toSecond) {
        long sum = 0;
        for (int each = 0; each < traffic.tenants(); each++) {
            for (int second = fromSecond; tenant.test(each) && second < Math.min(toSecond, seconds()); second++) {
                sum += bySecond.get(each * seconds() + second);
            }
        }
        return sum;
    }

    private boolean isIn(int number, IntPredicate tenant, long fromNanos, long toNanos) {
        return tenant.test(tenants[number]) && intendedNanos[number] >= fromNanos && intendedNanos[number] < toNanos;
    }

    private int count(IntPredicate numbers) {
        int count = 0;
        for (int i = 0; i < tenants.length; i++) {
            count += numbers.test(i) ? 1 : 0;
        }
        return count;
    }

    private int seconds() {
        return callsBySecond.length() / inUse.length();
    }

    private int second(long nanos) {
        return Math.clamp(nanos / SECOND_NANOS, 0, seconds() - 1);
    }
}
