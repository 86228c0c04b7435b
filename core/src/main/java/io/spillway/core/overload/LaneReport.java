package io.spillway.core.overload;

/**
 * State of hot as one worker reports it.
 *
 * @param slots             maximum concurrent handlers, 1 to 100,000
 * @param possiblePerSecond capacity in items a second: slots divided by the mean time in a slot (Little's law); 0
 *                          before the first attempt
 * @param handledPerSecond  attempts of all lanes that ended, a second, since the last report
 * @param waiting           hot items read and not started, 0 or more
 * @param ageMillis         mean age of hot items at their first attempt since the last report; 0 for none
 */
public record LaneReport(int slots, double possiblePerSecond, double handledPerSecond, long waiting, double ageMillis) {
    private static final double MAX = 1e12;

    /** @throws IllegalArgumentException when a value is out of its range */
    public LaneReport {
        if (slots < 1 || slots > 100_000 || waiting < 0
                || isOutOfRange(possiblePerSecond) || isOutOfRange(handledPerSecond) || isOutOfRange(ageMillis)) {
            throw new IllegalArgumentException("slots = " + slots + ", possible = " + possiblePerSecond
                    + "/s, handled = " + handledPerSecond + "/s, waiting = " + waiting + ", age = " + ageMillis
                    + " ms: slots must be from 1 to 100000, the others 0 or more");
        }
    }

    private static boolean isOutOfRange(double number) {
        return !(number >= 0 && number <= MAX);
    }
}
