package io.spillway.core.overload;

/**
 * Who is far over its fair share: more than the greatest of
 *
 * <ul>
 *   <li>a number of items that says nothing yet;
 *   <li>a multiple of what the others usually have: tenants are taken in ascending order as long as the next has no more than
 *       the multiple of the mean of those before it. Who comes after the first gap is far over, and does not raise the mean, so two
 *       or ten heavy tenants do not hide each other, and where all are alike there is no gap;
 *   <li>the max-min fair share of what can be handled, with room for one tenant more (Bertsekas, Gallager: Data Networks, 1992,
 *       section 6.5.2): what nobody else makes use of is nobody's loss.
 * </ul>
 */
final class OutlierThreshold {
    /** For when nobody is. */
    static final long NOBODY = Long.MAX_VALUE;

    private OutlierThreshold() {}

    /**
     * The most that is not far over.
     *
     * @param ascending what each tenant has had lately, each above 0, in ascending order
     * @param tenants   how many of them count, from the first on
     * @param budget    what can be handled in the same time, 0 when not known
     * @param multiple  above 1
     * @param least     more than this is needed in any case
     * @return {@link #NOBODY} when there is one tenant or none: there is nobody to protect from it
     */
    static long above(long[] ascending, int tenants, double budget, double multiple, long least) {
        if (tenants < 2) {
            return NOBODY;
        }
        double sum = 0;
        int usual = 0;
        while (usual < tenants
                && (usual == 0 || ascending[usual] <= least || ascending[usual] <= multiple * sum / usual)) {
            sum += ascending[usual++];
        }
        return (long) Math.max(least, Math.max(multiple * sum / usual, level(ascending, tenants, budget)));
    }

    /** The level at which the budget is used up when one tenant more takes all it can get. */
    private static double level(long[] ascending, int tenants, double budget) {
        double left = budget;
        int sharing = tenants + 1;
        for (int i = 0; i < tenants && ascending[i] <= left / sharing; i++) {
            left -= ascending[i];
            sharing--;
        }
        return left / sharing;
    }
}
