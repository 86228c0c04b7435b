package io.spillway.core.overload;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * What a tenant takes of the workers of its pool.
 *
 * @param slots       part of their slots that its attempts hold, 0 or more; less than an eighth of those of one worker
 *                    does not count
 * @param isCrowded   whether three quarters of them are taken and items of other tenants wait
 * @param backlog     part of all that waits for workers, 0 to 1
 * @param drainMillis time that they would need for its backlog alone, 0 or more; NaN while nothing is known of them, so
 *                    that it is neither long nor short
 * @param isKiller    whether one of its items was convicted of killing workers recently
 */
public record TenantLoad(double slots, boolean isCrowded, double backlog, double drainMillis, boolean isKiller) {
    /** A tenant that takes nothing. */
    public static final TenantLoad NONE = new TenantLoad(0, false, 0, 0, false);
    /** By default a fifth of the slots is not lent, so tenants with long attempts do not get it. */
    private static final double CROWDED = 0.75;

    /** Workers of one pool, with the attempts of their large tenants. */
    private static final class Pool {
        int slots;
        int running;
        double possiblePerSecond;
        final Map<String, Integer> large = new HashMap<>();

        void add(WorkerReport report) {
            slots += report.slots();
            running += report.use().running();
            possiblePerSecond += report.possiblePerSecond();
            report.use().large().forEach((tenant, count) -> large.merge(tenant, count, Integer::sum));
        }
    }

    /**
     * Returns the loads of all tenants that have many slots or much waiting, or were convicted, by name.
     *
     * @param reports      of the live workers
     * @param waiting      items that wait for workers, of the tenants with large backlogs
     * @param total        items of all tenants that wait for workers, 0 or more
     * @param poolOf       returns the pool of a tenant
     * @param recentMillis a conviction is recent for so long
     */
    public static Map<String, TenantLoad> of(
            Map<String, WorkerReport> reports, Map<String, Long> waiting, long total, Function<String, String> poolOf,
            long recentMillis, long nowMillis) {
        Map<String, Pool> pools = new HashMap<>();
        Map<String, Long> convicted = new HashMap<>();
        reports.values().forEach(report -> {
            pools.computeIfAbsent(report.pool(), absent -> new Pool()).add(report);
            report.suspects().convictedAtMillis().forEach((tenant, at) -> convicted.merge(tenant, at, Math::max));
        });
        TreeSet<String> tenants = new TreeSet<>(waiting.keySet());
        pools.values().forEach(pool -> tenants.addAll(pool.large.keySet()));
        tenants.addAll(convicted.keySet());
        Map<String, TenantLoad> loads = new HashMap<>();
        for (String tenant : tenants) {
            Pool pool = pools.getOrDefault(poolOf.apply(tenant), new Pool());
            long itsWaiting = waiting.getOrDefault(tenant, 0L);
            loads.put(tenant, new TenantLoad(
                    pool.large.getOrDefault(tenant, 0) / (double) Math.max(1, pool.slots),
                    pool.running >= CROWDED * pool.slots && total > itsWaiting,
                    itsWaiting / (double) Math.max(1, total),
                    itsWaiting == 0 ? 0 : pool.possiblePerSecond == 0 ? Double.NaN
                            : itsWaiting * 1e3 / pool.possiblePerSecond,
                    nowMillis - convicted.getOrDefault(tenant, Long.MIN_VALUE / 2) < recentMillis));
        }
        return loads;
    }
}
