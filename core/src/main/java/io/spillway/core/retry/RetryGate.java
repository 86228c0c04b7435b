package io.spillway.core.retry;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * Decides which retries of one partition of the delay lane may go on: the retry budgets (M. Brooker, "Timeouts, retries
 * and backoff with jitter", Amazon Builders' Library; gRPC's retry throttling, proposal A6).
 *
 * <p>A retry costs a token of its tenant and one of its destination. A first attempt that succeeds earns one, a retry
 * that succeeds three: its own back, and those of two others. So a destination that fails up to two thirds of its
 * attempts gets all the retries that it needs, also after its input has stopped, and one at which hardly anything
 * succeeds only saved tokens and a trickle. After an outage each success lets others go, and no more are under way than
 * twice the successes of the last second: the rate doubles with each second (slow start).
 *
 * <p>A tenant pays for failures that are its own only: the worse the destination does with all other tenants, the less
 * a retry costs the tenant.
 *
 * <p>The caller keeps the refused items, by group and in the order of {@link AttemptClasses}, and asks {@link #next}
 * when they may go. Every partition has a share of each budget, and successes are reported to all of them, so the load
 * does not depend on the number of workers and routers. Of the three that a retry earns, two belong to the partition
 * that granted it, so that the last one with waiting items is as fast as all together.
 *
 * <p>Not thread-safe. Owner: the task of the partition. Bound: {@code maxGroups}, about 400 bytes each; the items of
 * further tenants share one group.
 */
public final class RetryGate {
    /** Most tenants and destinations with a budget of their own in one partition of the delay lane. */
    public static final int MAX_GROUPS = 10_000;
    /** Pause between two looks at parked items, about the interval of the workers' reports. */
    public static final long LOOK_MILLIS = 200;

    /** With more items of a group parked, the trickle is as slow as beside other traffic: 100 take 17 min at 10 s. */
    static final int FEW_PARKED = 100;

    private static final long FULL_IDLE_MILLIS = 600_000;
    private static final long IDLE_MILLIS = 3_600_000;
    /** Attempts of other tenants, within the last half minute, that tell how the destination does. */
    private static final double OTHERS_NEEDED = 3;

    private final RetrySettings settings;
    private final int partition;
    private final int partitions;
    private final int maxGroups;
    private final Map<RetryKey, Group> groups = new HashMap<>();
    private final Map<String, Destination> destinations = new HashMap<>();
    private final Queue<Destination> waiting = new ArrayDeque<>();
    private final PriorityQueue<End> ends = new PriorityQueue<>(Comparator.comparingLong(End::atMillis));
    private long parked;

    /** Time at which a group is looked at: not later than the first end of its items. */
    private record End(long atMillis, Group group) {}

    /** Attempts that ended lately, and how many failed. */
    private static final class Recent {
        private final DecayingCount attempts = new DecayingCount(30_000);
        private final DecayingCount failures = new DecayingCount(30_000);

        void add(AttemptCounts counts, long nowMillis) {
            attempts.add(counts.attempts(), nowMillis);
            failures.add(counts.attempts() - counts.successes(), nowMillis);
        }
    }

    private static final class Group {
        final RetryKey key;
        final Destination destination;
        final TokenBucket bucket;
        final Recent recent = new Recent();
        double share;
        double earned;
        long parked;
        long firstEndMillis;
        long lookAtMillis = Long.MAX_VALUE;
        long usedAtMillis;
        boolean queued;

        Group(RetryKey key, Destination destination, TokenBucket bucket) {
            this.key = key;
            this.destination = destination;
            this.bucket = bucket;
        }
    }

    private static final class Destination {
        final TokenBucket bucket;
        final Recent recent = new Recent();
        final DecayingCount successes = new DecayingCount(1_000);
        /** Retries granted and not reported. It decays, because reports may be lost. */
        final DecayingCount underWay = new DecayingCount(120_000);
        final Queue<Group> waiting = new ArrayDeque<>();
        int groups;
        boolean queued;
        /** No group can pay before this time, unless successes are reported. */
        long noneBeforeMillis;

        Destination(TokenBucket bucket) {
            this.bucket = bucket;
        }
    }

    /**
     * Creates a gate with full budgets.
     *
     * @param partition  its number, 0 or more
     * @param partitions of the delay lane, 1 or more
     * @param maxGroups  most tenants and destinations, 1 or more
     */
    public RetryGate(RetrySettings settings, int partition, int partitions, int maxGroups) {
        this.settings = settings;
        this.partition = partition;
        this.partitions = partitions;
        this.maxGroups = maxGroups;
    }

    /** Returns whether an item whose backoff is over may go on, and has paid; not before those that are parked. */
    public boolean mayGo(RetryKey key, TenantPolicy policy, long nowMillis) {
        Group group = group(key, policy);
        group.usedAtMillis = nowMillis;
        if (group.parked > 0 || !mayPay(group.destination, nowMillis)
                || !group.bucket.canPay(cost(group, nowMillis), nowMillis)) {
            return false;
        }
        pay(group, nowMillis);
        return true;
    }

    /**
     * Records that an item was refused and is kept until its end.
     *
     * @return the group to keep it in: its key, or {@link RetryKey#OTHERS} when the table is full
     */
    public RetryKey parked(RetryKey key, TenantPolicy policy, long endMillis) {
        Group group = group(key, policy);
        if (group.parked++ == 0 || endMillis < group.firstEndMillis) {
            firstEndsAt(group, endMillis);
        }
        parked++;
        if (!group.queued) {
            group.queued = true;
            group.destination.waiting.add(group);
            group.destination.noneBeforeMillis = Long.MIN_VALUE;
        }
        if (!group.destination.queued) {
            group.destination.queued = true;
            waiting.add(group.destination);
        }
        return group.key;
    }

    /** Returns a group whose first item may go now and has paid; the caller removes it and calls {@link #removed}. */
    public Optional<RetryKey> next(long nowMillis) {
        for (int left = waiting.size(); left > 0; left--) {
            Destination destination = waiting.remove();
            Optional<Group> next = next(destination, nowMillis);
            destination.queued = !destination.waiting.isEmpty();
            if (destination.queued) {
                waiting.add(destination);
            }
            if (next.isPresent()) {
                return Optional.of(next.get().key);
            }
        }
        return Optional.empty();
    }

    /** Takes back that the last item of {@link #next} has paid: it does not go. */
    public void refund(RetryKey key, long nowMillis) {
        Group group = groups.get(key);
        group.bucket.earn(cost(group, nowMillis), nowMillis);
        group.destination.bucket.earn(1, nowMillis);
        group.destination.underWay.add(-1, nowMillis);
    }

    /** Returns a group of which an item has reached its end; the caller removes it and calls {@link #removed}. */
    public Optional<RetryKey> over(long nowMillis) {
        for (End end = ends.peek(); end != null && end.atMillis() <= nowMillis; end = ends.peek()) {
            Group group = end.group();
            if (group.parked > 0 && group.firstEndMillis <= nowMillis) {
                return Optional.of(group.key);
            }
            ends.remove();
            if (group.lookAtMillis == end.atMillis()) {
                group.lookAtMillis = Long.MAX_VALUE;
                if (group.parked > 0) {
                    firstEndsAt(group, group.firstEndMillis);
                }
            }
        }
        return Optional.empty();
    }

    /** Records that an item of a group was removed; of those left the first ends at this time, empty for none. */
    public void removed(RetryKey key, OptionalLong nextEndMillis) {
        Group group = groups.get(key);
        if (group == null) {
            return;
        }
        long left = nextEndMillis.isPresent() ? Math.max(1, group.parked - 1) : 0;
        parked -= group.parked - left;
        group.parked = left;
        nextEndMillis.ifPresent(endMillis -> firstEndsAt(group, endMillis));
    }

    /** Adds what a worker reported. */
    public void counted(Collection<AttemptCounts> all, long nowMillis) {
        for (AttemptCounts counts : all) {
            Destination destination = destinations.get(counts.key().destination());
            if (destination == null) {
                continue;
            }
            Group group = groups.get(counts.key());
            destination.recent.add(counts, nowMillis);
            // A tenant uses the partitions of its shard only, and those that are not counted alone use all.
            double share = group != null ? group.share : counts.key().tenant().isEmpty() ? 1.0 / partitions : 0;
            double own = counts.partition() == partition ? 1 : 0;
            destination.bucket.earn(earned(counts, 1, share, own), nowMillis);
            destination.successes.add(share * counts.firstSuccesses() + own * counts.retrySuccesses(), nowMillis);
            destination.underWay.add(-own * counts.retries(), nowMillis);
            destination.noneBeforeMillis = Long.MIN_VALUE;
            if (group != null) {
                group.recent.add(counts, nowMillis);
                if (counts.firsts() > 0) {
                    group.bucket.busy(nowMillis);
                }
                group.bucket.earn(earned(counts, group.earned, share, own), nowMillis);
            }
        }
    }

    /** Returns the items parked. */
    public long parked() {
        return parked;
    }

    /** Returns the groups in the table. */
    int groups() {
        return groups.size();
    }

    /** Returns the destinations that have groups. */
    int destinations() {
        return destinations.size();
    }

    /**
     * Forgets budgets that were not used for an hour, and full ones after ten minutes. Call it about every minute. A
     * budget is filled by successes alone, so one whose tenant has gone would never be full.
     */
    public void prune(long nowMillis) {
        groups.values().removeIf(group -> {
            long idleMillis = group.bucket.isFull() ? FULL_IDLE_MILLIS : IDLE_MILLIS;
            boolean unused = group.parked == 0 && group.usedAtMillis < nowMillis - idleMillis;
            if (unused && --group.destination.groups == 0) {
                destinations.remove(group.key.destination());
            }
            return unused;
        });
    }

    private Group group(RetryKey key, TenantPolicy policy) {
        RetryKey stored = groups.containsKey(key) || groups.size() < maxGroups ? key : RetryKey.OTHERS;
        double share = 1.0 / Math.min(partitions, Math.max(1, Math.max(policy.shardSize(), policy.dedicated())));
        double most = Math.max(1, policy.count(PolicyField.RETRY_TOKENS) * share);
        Group group = groups.computeIfAbsent(stored, absent -> {
            long destinationMillis = settings.destinationTrickle().toMillis();
            long tenantMillis = settings.tenantTrickle().toMillis();
            Destination destination = destinations.computeIfAbsent(stored.destination(), name -> new Destination(
                    new TokenBucket(Math.max(1, (double) settings.destinationTokens() / partitions),
                            destinationMillis, destinationMillis)));
            destination.groups++;
            return new Group(stored, destination,
                    new TokenBucket(most, Math.min(destinationMillis, tenantMillis), tenantMillis));
        });
        group.share = share;
        group.earned = policy.number(PolicyField.RETRY_EARNED);
        group.bucket.limit(most);
        return group;
    }

    private Optional<Group> next(Destination destination, long nowMillis) {
        // Else the clock was set back.
        boolean isKnown = destination.noneBeforeMillis <= nowMillis + settings.tenantTrickle().toMillis();
        if (isKnown && nowMillis < destination.noneBeforeMillis || !mayPay(destination, nowMillis)) {
            return Optional.empty();
        }
        long noneBeforeMillis = Long.MAX_VALUE;
        for (int left = destination.waiting.size(); left > 0; left--) {
            Group group = destination.waiting.remove();
            if (group.parked == 0) {
                group.queued = false;
                continue;
            }
            destination.waiting.add(group);
            if (group.parked > FEW_PARKED) {
                group.bucket.busy(nowMillis);
            }
            if (group.bucket.canPay(cost(group, nowMillis), nowMillis)) {
                pay(group, nowMillis);
                return Optional.of(group);
            }
            noneBeforeMillis = Math.min(noneBeforeMillis, group.bucket.nextTrickleMillis(nowMillis));
        }
        destination.noneBeforeMillis = noneBeforeMillis;
        return Optional.empty();
    }

    private boolean mayPay(Destination destination, long nowMillis) {
        double most = 2 * Math.max(settings.destinationTokens() / (double) partitions,
                destination.successes.at(nowMillis));
        return destination.underWay.at(nowMillis) < Math.max(1, most) && destination.bucket.canPay(1, nowMillis);
    }

    private void pay(Group group, long nowMillis) {
        group.bucket.pay(cost(group, nowMillis), nowMillis);
        group.destination.bucket.pay(1, nowMillis);
        group.destination.underWay.add(1, nowMillis);
        group.usedAtMillis = nowMillis;
    }

    /** Returns what a retry costs the tenant: 1, and less if the destination fails with the other tenants too. */
    private static double cost(Group group, long nowMillis) {
        Recent all = group.destination.recent;
        double attempts = all.attempts.at(nowMillis) - group.recent.attempts.at(nowMillis);
        double failures = all.failures.at(nowMillis) - group.recent.failures.at(nowMillis);
        return attempts < OTHERS_NEEDED ? 1 : Math.clamp(1 - failures / attempts, 0, 1);
    }

    private double earned(AttemptCounts counts, double bySuccess, double share, double own) {
        double shared = counts.successes() + settings.earnedByFirst() * counts.firsts();
        return bySuccess * (share * shared + own * 2 * bySuccess * counts.retrySuccesses());
    }

    private void firstEndsAt(Group group, long endMillis) {
        group.firstEndMillis = endMillis;
        if (endMillis < group.lookAtMillis) {
            group.lookAtMillis = endMillis;
            ends.add(new End(endMillis, group));
        }
    }
}
