package io.spillway.core.overload;

/**
 * What one worker says of hot.
 *
 * @param slots             most handlers at once in it, 1 to 100,000
 * @param possiblePerSecond items it could handle a second with all its slots, by what attempts take lately (Little's law: slots
 *                          over the mean time in a slot); 0 before its first attempt
 * @param handledPerSecond  attempts that ended a second, over the time since its last report, of all lanes
 * @param waiting           items of hot that it has read and not begun, 0 or more
 * @param ageMillis         mean age at their first attempt of the items of hot begun since its last report, 0 when there were none
 */
public record LaneReport(int slots, double possiblePerSecond, double handledPerSecond, long waiting, double ageMillis) {
    private static final double MOST = 1e12;

    /** @throws IllegalArgumentException when a number is out of its range */
    public LaneReport {
        if (slots < 1 || slots > 100_000 || waiting < 0
                || isOff(possiblePerSecond) || isOff(handledPerSecond) || isOff(ageMillis)) {
            throw new IllegalArgumentException("slots " + slots + ", possible " + possiblePerSecond + "/s, handled "
                    + handledPerSecond + "/s, waiting " + waiting + ", age " + ageMillis + " ms: must be in their ranges");
        }
    }

    private static boolean isOff(double number) {
        return !(number >= 0 && number <= MOST);
    }
}
