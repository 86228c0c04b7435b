package io.spillway.core.retry;

import io.spillway.core.policy.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How destinations do, as one worker sees it: whether a failure is the item's own, and the attempts to report to the
 * routers.
 *
 * <p>A failure adds to the item's blame {@code min(1, -ln p / ln 20)}, where p is the share of other items whose first
 * attempts fail. If failures are independent, an item without a fault of its own reaches a blame of n with the
 * probability 20⁻ⁿ at every p: each failure has the probability p = 20^(-blame of the failure). A twentieth is what a
 * destination may fail normally; below that each failure counts as one.
 *
 * <p>p is the highest of four estimates: of the tenant, and of the destination over all tenants, each over the last 30
 * s and over the last 100 items. Too high a p means more attempts, too low a p a wrong dead letter. One success of each
 * estimate is taken for granted with a weight of one item, so a lone item that fails again and again is blamed. First
 * attempts count only, since items with a fault make more retries than others.
 *
 * <p>It also keeps since when a tenant has had no success at any destination. Each of its subscriptions, which may have
 * a receiver of its own, counts apart.
 *
 * <p>Thread-safe: the table is its own lock, held for one look-up or report. Bound: {@code maxTenants}, about 500 bytes
 * each; only tenants and destinations with a failure within ten minutes have an entry, so a healthy system has none.
 * The failures of further tenants count for their destination only; further destinations have no entry, and their
 * failures are the items'. Of tenants and subscriptions without a success the first {@code maxTenants} together are
 * kept; items of further ones that were never attempted wait until {@code expireAfter}.
 */
public final class DestinationHealth {
    /** Blame of one failure that is the item's own: one attempt, in thousandths. */
    public static final int WHOLE = 1_000;
    /** Bound of the table of one worker. */
    public static final int MAX_TENANTS = 50_000;

    private static final double NORMAL_FAILURES = 0.05;
    private static final double UNAVAILABLE_FAILURES = 0.95;
    private static final double UNAVAILABLE_ITEMS = 3;
    private static final double REMEMBERED_ITEMS = 100;
    private static final long KEPT_MILLIS = 600_000;

    private final int maxTenants;
    private final Map<String, Destination> destinations = new LinkedHashMap<>();
    private final Map<String, Failing> failing = new HashMap<>();
    private int tenants;

    /** Failed attempts of a tenant or a subscription since its last success. */
    private static final class Failing {
        private final long sinceMillis;
        private long lastMillis;
        private int firsts;

        Failing(long sinceMillis) {
            this.sinceMillis = sinceMillis;
        }
    }

    /** Shares of failures over time and over items, and the attempts since the last report. */
    private static final class Health {
        private final DecayingCount items = new DecayingCount(30_000);
        private final DecayingCount failures = new DecayingCount(30_000);
        private double lastItems;
        private double lastFailures;
        /** When an attempt failed, or a retry ended: while retries wait, the routers need the reports. */
        private long usedAtMillis;
        private long firsts;
        private long firstSuccesses;
        /** By the partition that granted them: retries, and those of them that succeeded. */
        private final Map<Integer, long[]> retries = new HashMap<>();

        void ended(boolean isFirst, boolean succeeded, long nowMillis) {
            if (!succeeded || !isFirst) {
                usedAtMillis = nowMillis;
            }
            if (isFirst) {
                items.add(1, nowMillis);
                failures.add(succeeded ? 0 : 1, nowMillis);
                lastItems += 1 - lastItems / REMEMBERED_ITEMS;
                lastFailures += (succeeded ? 0 : 1) - lastFailures / REMEMBERED_ITEMS;
            }
        }

        void count(boolean isFirst, int partition, boolean succeeded) {
            if (isFirst) {
                firsts++;
                firstSuccesses += succeeded ? 1 : 0;
            } else {
                long[] counts = retries.computeIfAbsent(partition, absent -> new long[2]);
                counts[0]++;
                counts[1] += succeeded ? 1 : 0;
            }
        }

        /** Returns the share of other items that fail, for an item that has failed. */
        double failureShare(long nowMillis) {
            return Math.max(share(failures.at(nowMillis), items.at(nowMillis)), share(lastFailures, lastItems));
        }

        private static double share(double failed, double all) {
            return (Math.max(0, failed - 1) + NORMAL_FAILURES) / (Math.max(0, all - 1) + 1);
        }

        boolean isUnavailable(long nowMillis) {
            double all = items.at(nowMillis);
            return all >= UNAVAILABLE_ITEMS && failures.at(nowMillis) >= UNAVAILABLE_FAILURES * all;
        }

        boolean hasCounts() {
            return firsts > 0 || !retries.isEmpty();
        }

        void takeCounts(RetryKey key, int most, List<AttemptCounts> taken) {
            if (firsts > 0 && taken.size() < most) {
                taken.add(new AttemptCounts(key, AttemptCounts.UNKNOWN, firsts, firstSuccesses, 0, 0));
                firsts = 0;
                firstSuccesses = 0;
            }
            for (var iterator = retries.entrySet().iterator(); iterator.hasNext() && taken.size() < most; ) {
                Map.Entry<Integer, long[]> granted = iterator.next();
                taken.add(new AttemptCounts(key, granted.getKey(), 0, 0, granted.getValue()[0], granted.getValue()[1]));
                iterator.remove();
            }
        }
    }

    /** A destination: its own health over all tenants; its counts are those of tenants without an entry. */
    private static final class Destination {
        private final Health all = new Health();
        private final Map<String, Health> tenants = new HashMap<>();
    }

    /** Creates an empty table. */
    public DestinationHealth(int maxTenants) {
        this.maxTenants = maxTenants;
    }

    /**
     * Records the end of an attempt.
     *
     * @param workload  of the item; empty for none
     * @param isFirst   whether it was the item's first
     * @param grantedBy partition of the delay lane that granted the retry, or {@link AttemptCounts#UNKNOWN}
     * @param succeeded whether the destination did its work; also true for an item that it refused for good
     */
    public synchronized void ended(
            String destination, String tenant, String workload, boolean isFirst, int grantedBy, boolean succeeded,
            long nowMillis) {
        boolean isNews = !succeeded || !isFirst;
        if (!isNews && destinations.isEmpty()) {
            return;
        }
        keepFailing(Subscription.recipient(tenant, workload), isFirst, succeeded, nowMillis);
        Destination target = destinations.get(destination);
        if (target == null) {
            if (!isNews || destinations.size() >= maxTenants) {
                return;
            }
            target = new Destination();
            destinations.put(destination, target);
        }
        Health own = target.tenants.get(tenant);
        if (own == null && isNews && tenants < maxTenants) {
            own = new Health();
            target.tenants.put(tenant, own);
            tenants++;
        }
        target.all.ended(isFirst, succeeded, nowMillis);
        if (own == null) {
            target.all.count(isFirst, grantedBy, succeeded);
        } else {
            own.ended(isFirst, succeeded, nowMillis);
            own.count(isFirst, grantedBy, succeeded);
        }
    }

    private void keepFailing(String recipient, boolean isFirst, boolean succeeded, long nowMillis) {
        Failing own = succeeded ? failing.remove(recipient) : failing.get(recipient);
        if (succeeded || own == null && failing.size() >= maxTenants) {
            return;
        }
        if (own == null) {
            own = new Failing(nowMillis);
            failing.put(recipient, own);
        }
        own.lastMillis = nowMillis;
        own.firsts += isFirst && own.firsts < UNAVAILABLE_ITEMS ? 1 : 0;
    }

    /**
     * Returns whether all attempts of a tenant failed for this long, from the first to the latest one, without ten
     * minutes between two of them. It needs failures of three items. Those of a subscription's deliveries count for it
     * alone.
     *
     * @param workload of an item; empty for none
     * @param millis   0 or more
     */
    public synchronized boolean hasFailedFor(String tenant, String workload, long millis) {
        Failing own = failing.get(Subscription.recipient(tenant, workload));
        return own != null && own.firsts >= UNAVAILABLE_ITEMS && own.lastMillis - own.sinceMillis >= millis;
    }

    /** Returns what a failure adds to its item's blame, in thousandths of an attempt, after {@link #ended}. */
    public synchronized int blame(String destination, String tenant, long nowMillis) {
        Destination target = destinations.get(destination);
        if (target == null) {
            return WHOLE;
        }
        Health own = target.tenants.getOrDefault(tenant, target.all);
        if (target.all.isUnavailable(nowMillis) || own.isUnavailable(nowMillis)) {
            return 0;
        }
        double share = Math.max(target.all.failureShare(nowMillis), own.failureShare(nowMillis));
        double blame = Math.log(share) / Math.log(NORMAL_FAILURES);
        return Math.clamp(Math.round(WHOLE * blame), 0, WHOLE);
    }

    /** Returns whether nearly all items of a tenant fail, at any destination. */
    public synchronized boolean isTenantUnavailable(String tenant, long nowMillis) {
        return destinations.values().stream().map(destination -> destination.tenants.get(tenant))
                .anyMatch(own -> own != null && own.isUnavailable(nowMillis));
    }

    /** Returns the tenants whose items nearly all fail, at any destination. */
    public synchronized Set<String> unavailableTenants(long nowMillis) {
        Set<String> unavailable = new HashSet<>();
        destinations.values().forEach(destination -> destination.tenants.forEach((tenant, own) -> {
            if (own.isUnavailable(nowMillis)) {
                unavailable.add(tenant);
            }
        }));
        return unavailable;
    }

    /** Returns the number of destinations at which nearly all items fail, over all tenants. */
    public synchronized int unavailable(long nowMillis) {
        return (int) destinations.values().stream()
                .filter(destination -> destination.all.isUnavailable(nowMillis)).count();
    }

    /** Returns attempts that were not returned before, at most this many entries; the others come next time. */
    public synchronized List<AttemptCounts> takeCounts(int most) {
        List<AttemptCounts> taken = new ArrayList<>();
        destinations.forEach((name, destination) -> {
            destination.all.takeCounts(RetryKey.othersOf(name), most, taken);
            destination.tenants.forEach((tenant, own) -> {
                if (own.hasCounts()) {
                    own.takeCounts(new RetryKey(name, tenant), most, taken);
                }
            });
        });
        return taken;
    }

    /** Forgets tenants and destinations without a failure or a retry for ten minutes. Call it about every minute. */
    public synchronized void prune(long nowMillis) {
        failing.values().removeIf(own -> own.lastMillis < nowMillis - KEPT_MILLIS);
        for (Iterator<Destination> iterator = destinations.values().iterator(); iterator.hasNext(); ) {
            Destination destination = iterator.next();
            destination.tenants.values().removeIf(own -> {
                boolean unused = own.usedAtMillis < nowMillis - KEPT_MILLIS && !own.hasCounts();
                tenants -= unused ? 1 : 0;
                return unused;
            });
            if (destination.tenants.isEmpty() && destination.all.usedAtMillis < nowMillis - KEPT_MILLIS
                    && !destination.all.hasCounts()) {
                iterator.remove();
            }
        }
    }
}
