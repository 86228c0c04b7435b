package io.spillway.worker.carriers;

/**
 * Number of carrier threads from what one look after the other has found. It doubles while no virtual thread gets a
 * carrier, and halves when less than half of them are in use for long.
 *
 * <p>Counts looks and not time: a process that was suspended has missed none.
 */
final class CarrierRule {
    /** Looks without a carrier after which there are more. A queue of virtual threads is shorter than that. */
    static final int HELD_LOOKS = 5;
    static final int CALM_LOOKS = 100;

    private final int usual;
    private final int most;
    private int held;
    private int calm;

    /**
     * Creates the rule of a JVM.
     *
     * @param usual number to which it returns, 1 or more
     * @param most  that there may be
     */
    CarrierRule(int usual, int most) {
        this.usual = usual;
        this.most = most;
    }

    /**
     * Returns how many there should be.
     *
     * @param now    number of now
     * @param hasRun whether a virtual thread that was started before has run
     * @param inUse  number on which a virtual thread runs
     */
    int next(int now, boolean hasRun, int inUse) {
        if (!hasRun) {
            calm = 0;
            // As soon as they are known to be held, each further look adds some.
            return ++held >= HELD_LOOKS ? Math.max(now, Math.min(2 * now, most)) : now;
        }
        held = 0;
        calm = now > usual && inUse < now / 2 ? calm + 1 : 0;
        if (calm < CALM_LOOKS) {
            return now;
        }
        calm = 0;
        return Math.max(usual, now / 2);
    }
}
