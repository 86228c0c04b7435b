package io.spillway.core.overload;

/**
 * Limit above which a tenant's recent use is an outlier. The largest of:
 *
 * <ul>
 *   <li>a minimum number of items;
 *   <li>a multiple of the usual use. Tenants are added in ascending order while the next has at most the multiple
 *       of the mean of those before it. Tenants after the first gap do not raise the mean, so several heavy tenants do
 *       not hide each other;
 *   <li>the max-min fair share of the capacity with one more tenant (Bertsekas, Gallager: Data Networks, 1992,
 *       section 6.5.2): unused capacity may be taken.
 * </ul>
 */
final class OutlierThreshold {
    /** Result when no tenant is an outlier. */
    static final long NO_LIMIT = Long.MAX_VALUE;

    private OutlierThreshold() {}

    /**
     * Returns the highest use that is not an outlier.
     *
     * @param ascending recent use of each tenant, each above 0, in ascending order
     * @param tenants   number of valid entries, from the first on
     * @param budget    capacity in the same time, 0 when not known
     * @param multiple  above 1
     * @param least     minimum of the limit
     * @return {@link #NO_LIMIT} with one tenant or none: there is no other tenant to protect
     */
    static long above(long[] ascending, int tenants, double budget, double multiple, long least) {
        if (tenants < 2) {
            return NO_LIMIT;
        }
        double sum = 0;
        int usual = 0;
        while (usual < tenants
                && (usual == 0 || ascending[usual] <= least || ascending[usual] <= multiple * sum / usual)) {
            sum += ascending[usual++];
        }
        return (long) Math.max(least, Math.max(multiple * sum / usual, fairShare(ascending, tenants, budget)));
    }

    /** Returns the max-min fair share of one more tenant that takes all it can get. */
    private static double fairShare(long[] ascending, int tenants, double budget) {
        double left = budget;
        int sharing = tenants + 1;
        for (int i = 0; i < tenants && ascending[i] <= left / sharing; i++) {
            left -= ascending[i];
            sharing--;
        }
        return left / sharing;
    }
}
