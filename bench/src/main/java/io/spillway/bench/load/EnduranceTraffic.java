package io.spillway.bench.load;

import java.util.List;

/**
 * Traffic of a long run with {@value #TENANTS} tenants, three of which misbehave. Rates are chosen by the time of slots
 * that they need: the nine steady tenants have six tenths of the load, and what comes in bursts two tenths; the slow
 * tenant and the one whose items fail have a tenth each.
 *
 * @param perSecond     load, in items with a call of {@code handlerMillis}
 * @param handlerMillis what a call takes, except for the slow tenant
 * @param seconds       how long items are sent
 * @param burstSeconds  from one burst to the next
 */
record EnduranceTraffic(double perSecond, int handlerMillis, int seconds, int burstSeconds) {
    /** First, because a {@link Fault} is of the first tenants. */
    static final int FAILING = 0;
    static final int BURSTING = 1;
    static final int SLOW = 2;
    static final int TENANTS = 12;

    private static final int STEADY = 3;
    private static final double STEADY_SHARE = 0.6;
    private static final double BURSTING_SHARE = 0.2;
    private static final double SLOW_SHARE = 0.1;
    private static final double FAILING_SHARE = 0.1;
    private static final int SLOWER = 10;
    private static final double HEALED_SECONDS = 120;
    /** Attempts that fail by chance, so that their retries succeed. */
    private static final double FAIL = 0.1;
    /** Items that fail at every attempt until {@link #healedNanos}. More would look like a destination that fails. */
    private static final double POISON = 0.1;
    /** With about ten attempts of an item that always fails. */
    private static final double CALLS_FOR_AN_ITEM = 0.9 / (1 - FAIL) + 10 * POISON;

    Traffic traffic() {
        return new Traffic(List.of(
                Flow.steady(FAILING, 1, FAILING_SHARE * perSecond / CALLS_FOR_AN_ITEM, 0, seconds),
                Flow.bursts(BURSTING, BURSTING_SHARE * perSecond, burstSeconds, 0, seconds),
                Flow.steady(SLOW, 1, SLOW_SHARE * perSecond / SLOWER, 0, seconds),
                Flow.steady(STEADY, TENANTS - STEADY, STEADY_SHARE * perSecond, 0, seconds)));
    }

    /** All tenants have one destination. */
    Ledger.Behaviour behaviour() {
        Ledger.Behaviour slow = Ledger.Behaviour.sleeping((long) SLOWER * handlerMillis);
        Ledger.Behaviour healed = Ledger.Behaviour.sleeping(handlerMillis);
        Fault fault = fault();
        return call -> (call.tenant() == SLOW ? slow : call.atNanos() >= healedNanos() ? healed : fault).handle(call);
    }

    Fault fault() {
        return new Fault(1, FAIL, POISON, false, 0, Long.MAX_VALUE, handlerMillis);
    }

    /** When nothing fails any more: a little before the last item, because its successes earn the waiting retries. */
    long healedNanos() {
        return Flow.nanos(Math.max(0.9 * seconds, seconds - HEALED_SECONDS));
    }

    static boolean isSteady(int tenant) {
        return tenant >= STEADY;
    }

    static String name(int tenant) {
        return switch (tenant) {
            case FAILING -> "fails";
            case BURSTING -> "bursts";
            case SLOW -> "slow";
            default -> "steady " + (tenant - STEADY + 1);
        };
    }
}
