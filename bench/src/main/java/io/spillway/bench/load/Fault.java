package io.spillway.bench.load;

import io.spillway.handler.Outcome;
import java.util.SplittableRandom;

/**
 * What goes wrong at the destination of some tenants, the first ones by number. The others have another destination,
 * which works.
 *
 * @param tenants   whose destination it is: those with a number below this
 * @param fail      share of the attempts that fail from {@code fromNanos} to {@code toNanos}; 1 is an outage
 * @param poison    share of the items of which all attempts fail from {@code fromNanos} on, and for good
 * @param hang      whether calls take {@value #HANG_MILLIS} ms from {@code fromNanos} to {@code toNanos}
 * @param fromNanos since the start of the run
 * @param toNanos   since the start of the run, exclusive
 * @param millis    what any other call takes, also one that fails
 */
record Fault(int tenants, double fail, double poison, boolean hang, long fromNanos, long toNanos, int millis)
        implements Ledger.Behaviour {
    static final int HANG_MILLIS = 60_000;

    private static final long SEED = 20_261_123;
    private static final long ITEM_STEP = 0x9E37_79B9_7F4A_7C15L;

    @Override
    public Outcome handle(Ledger.Call call) throws InterruptedException {
        Thread.sleep(hang && isNow(call) ? HANG_MILLIS : millis);
        return fails(call) ? Outcome.retry("the destination fails") : Outcome.done();
    }

    @Override
    public String destination(int tenant) {
        return tenant < tenants ? "failing" : "sound";
    }

    /** Whether an attempt fails: by its item and number, so threads and their order change nothing. */
    boolean fails(Ledger.Call call) {
        if (call.tenant() >= tenants || call.atNanos() < fromNanos) {
            return false;
        }
        return random(call.number(), 0) < poison || isNow(call) && random(call.number(), call.attempt()) < fail;
    }

    private boolean isNow(Ledger.Call call) {
        return call.tenant() < tenants && call.atNanos() >= fromNanos && call.atNanos() < toNanos;
    }

    private static double random(int number, int attempt) {
        return new SplittableRandom(SEED + ITEM_STEP * number + attempt).nextDouble();
    }
}
