package io.spillway.core.overload;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Rule by which a tenant gets workers of its own: when it has taken more than a share of the slots or of the backlog,
 * or has killed workers, for some time without a break; and by which it is released when it has been calm for some
 * time.
 *
 * <p>A share of the slots counts while other tenants wait for them. A share of the backlog counts if the workers would
 * need the same time for it alone. Once over, a tenant is over until it takes less than three quarters of the share,
 * and calm below half of it: otherwise one near the limit would come and go.
 *
 * <p>Owner: one thread. Bounds: the tenants over a share, and those that killed workers.
 */
public final class IsolationRule {
    private static final double STILL_OVER = 0.75;
    private static final double CALM = 0.5;

    private final Settings settings;
    private final Map<String, Long> overSinceMillis = new HashMap<>();
    /** Tenants over their share whose isolation was returned; it may have been refused, or only observed. */
    private final Set<String> decided = new HashSet<>();
    private final Map<String, Long> calmSinceMillis = new HashMap<>();

    /**
     * Settings of the rule.
     *
     * @param share       part of the slots or of the backlog, above 0 and at most 1
     * @param afterMillis time over it after which a tenant is isolated, 1 or more
     * @param calmMillis  time after which one that is calm is released, 1 or more
     * @param most        tenants in the pool from which on none is added, 1 or more
     * @param pool        pool of spare workers, not the shared one
     */
    public record Settings(double share, long afterMillis, long calmMillis, int most, String pool) {}

    /** What is to be done with a tenant. */
    public sealed interface Change {
        String tenant();

        /** Returns the cause, as a clause. */
        String why();

        /** It is to have workers of its own. */
        record Isolate(String tenant, String why) implements Change {}

        /** It is to share the workers again. */
        record Release(String tenant, String why) implements Change {}
    }

    /** Creates a rule that has seen nothing yet. */
    public IsolationRule(Settings settings) {
        this.settings = settings;
    }

    /**
     * Returns what is to be done now, once for each time that a tenant is over its share, or calm. Those that are over
     * for longest come first. To be called at equal intervals, a small part of the times.
     *
     * @param loads     of the tenants that take much; others take nothing
     * @param isolated  tenants in the pool of spare workers
     * @param nowMillis monotonic
     */
    public List<Change> next(
            Map<String, TenantLoad> loads, Set<String> isolated, boolean mayIsolate, long nowMillis) {
        loads.forEach((tenant, load) -> {
            if (isOver(tenant, load) && !isolated.contains(tenant)) {
                overSinceMillis.putIfAbsent(tenant, nowMillis);
            } else {
                overSinceMillis.remove(tenant);
            }
        });
        overSinceMillis.keySet().retainAll(loads.keySet());
        decided.retainAll(overSinceMillis.keySet());
        List<Change> changes = new ArrayList<>();
        overSinceMillis.entrySet().stream()
                .filter(over -> isLong(over.getValue(), nowMillis) && !decided.contains(over.getKey()))
                .sorted(Map.Entry.<String, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                .limit(mayIsolate ? Math.max(0, settings.most() - isolated.size()) : 0)
                .map(over -> new Change.Isolate(over.getKey(), why(loads.get(over.getKey()))))
                .forEach(changes::add);
        changes.forEach(change -> decided.add(change.tenant()));

        calmSinceMillis.keySet().retainAll(isolated);
        isolated.stream().sorted(Comparator.naturalOrder()).forEach(tenant -> {
            if (!isCalm(loads.getOrDefault(tenant, TenantLoad.NONE))) {
                calmSinceMillis.remove(tenant);
                return;
            }
            calmSinceMillis.putIfAbsent(tenant, nowMillis);
            if (nowMillis - calmSinceMillis.get(tenant) >= settings.calmMillis()) {
                calmSinceMillis.remove(tenant);
                changes.add(new Change.Release(tenant, "it has been calm"));
            }
        });
        return changes;
    }

    /** Records that an isolation could not be carried out: it is tried again after the time that led to it. */
    public void failed(String tenant, long nowMillis) {
        decided.remove(tenant);
        overSinceMillis.replace(tenant, nowMillis);
    }

    /** Returns how many tenants that are not isolated are over their share for long. */
    public int over(long nowMillis) {
        return (int) overSinceMillis.values().stream().filter(since -> isLong(since, nowMillis)).count();
    }

    private boolean isLong(long sinceMillis, long nowMillis) {
        return nowMillis - sinceMillis >= settings.afterMillis();
    }

    private boolean isOver(String tenant, TenantLoad load) {
        double limit = settings.share() * (overSinceMillis.containsKey(tenant) ? STILL_OVER : 1);
        return load.isKiller() || load.isCrowded() && load.slots() > limit || isBacklogOver(load, limit);
    }

    private boolean isBacklogOver(TenantLoad load, double limit) {
        return load.backlog() > limit && load.drainMillis() > settings.afterMillis() * limit / settings.share();
    }

    /** Of its own workers it may use all; what tells is whether it needs as many. */
    private boolean isCalm(TenantLoad load) {
        return !load.isKiller() && load.slots() <= settings.share() * CALM
                && load.drainMillis() <= settings.afterMillis() * CALM;
    }

    private String why(TenantLoad load) {
        double limit = settings.share() * STILL_OVER;
        return load.isKiller() ? "its items kill workers"
                : load.isCrowded() && load.slots() > limit
                        ? percent(load.slots()) + " % of the slots are its, while others wait"
                        : percent(load.backlog()) + " % of what waits is its, and takes the workers long";
    }

    private static String percent(double part) {
        return String.format(Locale.ROOT, "%.0f", 100 * part);
    }
}
