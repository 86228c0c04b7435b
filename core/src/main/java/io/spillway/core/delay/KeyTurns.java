package io.spillway.core.delay;

/**
 * Turns of the items with one order key: one of them has the turn, from when it goes on until it has ended, and the
 * others wait. An item is named by its offset in its partition of the delay lane, which is the order of the items too.
 *
 * @param turn            offset of the item that has the turn; {@link #NOBODY} if none has
 * @param waiting         items that wait, 0 or more
 * @param heldUntilMillis if the item with the turn is a dead letter that holds the others: until when at the latest,
 *                        epoch milliseconds; otherwise 0
 */
public record KeyTurns(long turn, long waiting, long heldUntilMillis) {
    /** Value of {@link #turn} if no item has it. */
    public static final long NOBODY = -1;
    /** A key of which no item is known. */
    public static final KeyTurns UNUSED = new KeyTurns(NOBODY, 0, 0);

    /** Returns whether an item that arrives now goes on at once. */
    public boolean isFree() {
        return turn == NOBODY && waiting == 0;
    }

    /** Returns whether a dead letter holds the others. */
    public boolean isHeld() {
        return heldUntilMillis > 0;
    }

    /** Returns the turns after an item has got the turn that did not wait, or that comes back from the dead letters. */
    public KeyTurns given(long offset) {
        return new KeyTurns(offset, waiting, 0);
    }

    /** Returns the turns when one more waits. */
    public KeyTurns queued() {
        return new KeyTurns(turn, waiting + 1, heldUntilMillis);
    }

    /**
     * Returns the turns after the item with the turn has ended.
     *
     * @param next offset of the first that waits, which gets the turn; {@link #NOBODY} if none waits
     */
    public KeyTurns passed(long next) {
        return next == NOBODY ? UNUSED : new KeyTurns(next, Math.max(0, waiting - 1), 0);
    }

    /** Returns the turns when the item with the turn is a dead letter that holds the others. */
    public KeyTurns held(long untilMillis) {
        return new KeyTurns(turn, waiting, untilMillis);
    }
}
