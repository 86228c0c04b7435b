package io.spillway.core.overload;

/**
 * Limits of a tenant's recent use of hot at one worker.
 *
 * <ul>
 *   <li>Above {@link #outlier} a tenant is the cause of a backlog: the largest of a minimum number of items, a multiple
 *       of the usual use, and the fair share. Tenants are added in ascending order to those that are usual while the
 *       next has at most the multiple of the mean of those before it. Tenants after the first gap do not raise the
 *       mean, so several heavy tenants do not hide each other.
 *   <li>Above {@link #fairShare} a tenant has excess: the max-min fair share of the capacity (Bertsekas, Gallager: Data
 *       Networks, 1992, section 6.5.2). If all ask for more than the capacity, all have.
 * </ul>
 */
final class OutlierThreshold {
    private OutlierThreshold() {}

    /**
     * Returns the highest use that is not an outlier.
     *
     * @param ascending recent use of each tenant, each above 0, in ascending order
     * @param tenants   number of valid entries, from the first on
     * @param fairShare result of {@link #fairShare}
     * @param multiple  above 1
     * @param least     minimum of the limit
     */
    static long outlier(long[] ascending, int tenants, long fairShare, double multiple, long least) {
        double sum = 0;
        int usual = 0;
        while (usual < tenants
                && (usual == 0 || ascending[usual] <= least || ascending[usual] <= multiple * sum / usual)) {
            sum += ascending[usual++];
        }
        return (long) Math.max(least, Math.max(usual == 0 ? 0 : multiple * sum / usual, fairShare));
    }

    /**
     * Returns the max-min fair share: the heaviest tenant may take all that the others leave.
     *
     * @param ascending as for {@link #outlier}
     * @param budget    capacity in the same time, 0 when not known
     */
    static long fairShare(long[] ascending, int tenants, double budget) {
        double left = budget;
        int sharing = Math.max(1, tenants);
        for (int i = 0; sharing > 1 && ascending[i] <= left / sharing; i++) {
            left -= ascending[i];
            sharing--;
        }
        return (long) (left / sharing);
    }
}
