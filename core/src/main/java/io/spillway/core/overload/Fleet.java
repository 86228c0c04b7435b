package io.spillway.core.overload;

import io.spillway.core.hashing.TenantHash;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.TenantContext;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * The fleet of workers as one process sees it: selects the partition in which an item is expected to wait least, and
 * keeps hot short at each worker.
 *
 * <p>What counts is the owner of a partition: what waits for its slots in all its partitions, over what it can handle,
 * and what was sent here since the last measurement. Without the last part all items would go to one worker until the
 * next measurement (Mitzenmacher, How useful is old information?, 2000). Work in flight and measured capacity tell a
 * slow worker from a fast one (Wydrowski and others, Load is not what you should balance: introducing Prequal, 2024).
 * Partitions with items and without a known owner, those of a worker whose slots are all taken by attempts of which
 * none ends, and those that are stuck, are used only when all candidates are.
 *
 * <p>{@link #place} and {@link #placeInHot} are thread-safe and allocate nothing, {@link #update} is for one thread.
 * Bounds: one {@link FleetWorker} for each worker and each partition, with at most {@value DecayingCounts#MAX_TENANTS}
 * tenants each.
 */
public final class Fleet {
    /** Interval of {@link #update}: a fraction of the half-life of the counts. */
    public static final long UPDATE_MILLIS = 100;
    /** Result when an item is to go elsewhere. */
    public static final int EXCESS = -1;

    /** Time without the end of an attempt, of a worker with items: many reports, so that a few attempts a second do. */
    static final long HANG_MILLIS = 2_000;
    /** Maximum gap between two calls. After it all counts have decayed to 0. */
    private static final long MAX_GAP_MILLIS = 60_000;

    private final ProtectionSettings settings;
    /** Owners of the partitions that no worker is known to own, so that these are told apart. */
    private final FleetWorker[] unowned;
    /** By lane; none for hot. */
    private final BacklogsApart[] apart = new BacklogsApart[Lane.WORKED.size()];
    /** Reused by {@link #update}. */
    private final long[] counts = new long[DecayingCounts.MAX_TENANTS];
    private volatile Table table;
    private long lastUpdateMillis;
    private int numbered;

    /** State between two updates: known workers by name, the owner of each partition by lane, the latest backlogs. */
    private record Table(
            Map<String, Member> members, boolean isDown, FleetWorker[][] owners, LaneBacklogs backlogs) {}

    private record Member(FleetWorker worker, WorkerReport last) {}

    /** Creates a fleet of no known worker; the lanes have this number of partitions, 1 or more. */
    public Fleet(ProtectionSettings settings, int partitions) {
        if (partitions < 1) {
            throw new IllegalArgumentException("partitions = " + partitions + ": must be 1 or more");
        }
        this.settings = settings;
        this.unowned = new FleetWorker[partitions];
        Arrays.setAll(unowned, i -> new FleetWorker(ProtectionSettings.OFF, i));
        behindHot(lane -> apart[lane.ordinal()] = new BacklogsApart(partitions));
        this.table = new Table(Map.of(), true, owners(Map.of()), LaneBacklogs.UNKNOWN);
    }

    /**
     * Selects the candidate with the least expected wait, and counts one item as sent to it.
     *
     * @param lane       hot, overflow or aged
     * @param candidates partitions, each below the number given to the constructor
     * @param count      number of valid candidates, from the first on: 1 or more
     * @param turn       any number that differs from item to item
     * @param tenant     hash of the tenant, whose backlog stays apart from those of others in overflow and aged
     */
    public int place(Lane lane, int[] candidates, int count, long turn, long tenant, long nowMillis) {
        Table now = table;
        int partition = least(now, lane, candidates, count, turn, tenant, nowMillis);
        if (lane == Lane.HOT) {
            now.owners[lane.ordinal()][partition].guard.lane.sent(nowMillis);
        } else {
            sent(now, lane, partition, tenant, nowMillis);
        }
        return partition;
    }

    /**
     * Selects a partition as {@link #place} does, unless even there the item is expected to wait longer than this at a
     * worker that works: {@link #EXCESS}. What may have made the workers of all candidates hang goes to no other.
     *
     * @param mostMillis 0 or more
     */
    public int placeWithin(
            Lane lane, int[] candidates, int count, long mostMillis, long turn, long tenant, long nowMillis) {
        Table now = table;
        int partition = least(now, lane, candidates, count, turn, tenant, nowMillis);
        FleetWorker owner = now.owners[lane.ordinal()][partition];
        boolean isAtWork = !owner.stuck && !now.backlogs.of(lane).isStuck(partition);
        if (isAtWork && owner.waitMillis(lane, nowMillis) > mostMillis) {
            return EXCESS;
        }
        sent(now, lane, partition, tenant, nowMillis);
        return partition;
    }

    /**
     * Keeps the candidates that have the same owner as a partition, in front, and returns their number.
     *
     * @param count number of valid candidates, from the first on
     */
    public int keepOwnersOf(Lane lane, int partition, int[] candidates, int count) {
        FleetWorker[] owners = table.owners[lane.ordinal()];
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (owners[candidates[i]] == owners[partition]) {
                candidates[kept++] = candidates[i];
            }
        }
        return kept;
    }

    private void sent(Table now, Lane lane, int partition, long tenant, long nowMillis) {
        now.owners[lane.ordinal()][partition].sent(lane, nowMillis);
        apart[lane.ordinal()].sent(partition, tenant);
    }

    private static void behindHot(Consumer<Lane> action) {
        Lane.WORKED.stream().skip(1).forEach(action);
    }

    /**
     * Selects a partition of hot as {@link #place} does for an item that no other rule keeps out of it, unless its
     * tenant or workload has excess there: {@link #EXCESS}.
     *
     * @param workload    of the item within the tenant, empty for none
     * @param isAttempted whether it is a retry: it goes elsewhere if it would delay fresh items
     */
    public int placeInHot(
            TenantContext tenant, String workload, boolean isAttempted, int[] candidates, int count, long turn,
            long nowMillis) {
        Table now = table;
        int partition = least(now, Lane.HOT, candidates, count, turn, tenant.hash(), nowMillis);
        return now.owners[Lane.HOT.ordinal()][partition].guard.admits(tenant, workload, isAttempted, nowMillis)
                ? partition : EXCESS;
    }

    private int least(Table now, Lane lane, int[] candidates, int count, long turn, long tenant, long nowMillis) {
        if (count < 1) {
            throw new IllegalArgumentException("count = " + count + ": must be 1 or more");
        }
        FleetWorker[] owners = now.owners[lane.ordinal()];
        PartitionBacklog backlog = now.backlogs.of(lane);
        long random = TenantHash.mix(turn);
        int first = (int) Math.floorMod(random, (long) count);
        boolean isForward = random >= 0;
        int best = -1;
        int bestFault = Integer.MAX_VALUE;
        long bestScore = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            // In both directions: otherwise one of two equal neighbours would be first more often.
            int index = isForward ? first + i : first - i;
            int partition = candidates[index >= count ? index - count : index < 0 ? index + count : index];
            FleetWorker owner = owners[partition];
            boolean isLeft = owner == unowned[partition] && backlog.waiting(partition) > 0;
            int fault = (owner.stuck || backlog.isStuck(partition) ? 2 : 0) + (isLeft || owner.full ? 1 : 0);
            int more = lane == Lane.HOT ? 0 : owner.byChance(random);
            long score = owner.score(lane, more, nowMillis);
            if (fault < bestFault || fault == bestFault && score < bestScore) {
                best = partition;
                bestFault = fault;
                bestScore = score;
            }
        }
        return lane == Lane.HOT || owners[best].stuck ? best
                : apart[lane.ordinal()].select(tenant, candidates, count, owners, owners[best]);
    }

    /**
     * Updates the fleet. To be called about every {@value #UPDATE_MILLIS} ms.
     *
     * @param reports of the live workers, by name
     * @param read    latest backlogs; the same object again is no new measurement
     * @param routers live processes that send as this one does, itself included, 1 or more
     */
    public void update(Map<String, WorkerReport> reports, LaneBacklogs read, int routers, long nowMillis) {
        long elapsedMillis = lastUpdateMillis == 0 ? 0 : Math.clamp(nowMillis - lastUpdateMillis, 0, MAX_GAP_MILLIS);
        lastUpdateMillis = nowMillis;
        boolean isNew = read != table.backlogs;
        // Without any worker those that were there last stand for those that will come.
        boolean isDown = reports.isEmpty();
        Map<String, Member> members = new HashMap<>(isDown ? table.members : Map.of());
        reports.forEach((name, report) -> members.put(name, new Member(
                table.members.containsKey(name) ? table.members.get(name).worker
                        : new FleetWorker(settings, numbered++), report)));
        members.values().forEach(member -> {
            long[] waiting = Lane.WORKED.stream().mapToLong(lane -> waiting(member, lane, read)).toArray();
            member.worker.update(isDown ? Optional.empty() : Optional.of(member.last), waiting, isNew, routers,
                    elapsedMillis, nowMillis, counts);
            if (member.last.handledPerSecond() > 0) {
                member.worker.endedMillis = nowMillis;
            }
            boolean isHanging = nowMillis - member.worker.endedMillis >= HANG_MILLIS;
            member.worker.full = isHanging && member.last.isFull();
            member.worker.stuck = Arrays.stream(waiting).sum() > 0
                    && isHanging && isStuck(member, read);
        });
        if (isNew) {
            behindHot(lane -> apart[lane.ordinal()].measured(read.of(lane)));
            for (int i = 0; i < unowned.length; i++) {
                int partition = i;
                unowned[i].assume(
                        Lane.WORKED.stream().mapToLong(lane -> read.of(lane).waiting(partition)).toArray(), nowMillis);
            }
        }
        table = new Table(members, isDown, owners(members), read);
    }

    /**
     * Of a worker with items that hangs some partition makes no progress, and it would hold what comes to the others.
     * It hangs until it ends an attempt: it goes on moving excess out of hot, which looks like progress there. While it
     * ends attempts, what makes no progress only waits behind the lanes that go first, or is one long attempt.
     */
    private static boolean isStuck(Member member, LaneBacklogs read) {
        return member.worker.stuck || Lane.WORKED.stream().anyMatch(
                lane -> member.last.owned(lane).stream().anyMatch(read.of(lane)::isStuck));
    }

    private static long waiting(Member member, Lane lane, LaneBacklogs read) {
        PartitionBacklog backlog = read.of(lane);
        return member.last.owned(lane).stream().mapToLong(backlog::waiting).sum();
    }

    private FleetWorker[][] owners(Map<String, Member> members) {
        FleetWorker[][] owners = new FleetWorker[Lane.WORKED.size()][];
        for (Lane lane : Lane.WORKED) {
            FleetWorker[] ofLane = unowned.clone();
            for (Member member : members.values()) {
                for (int partition : member.last.owned(lane)) {
                    if (partition < ofLane.length) {
                        ofLane[partition] = member.worker;
                    }
                }
            }
            owners[lane.ordinal()] = ofLane;
        }
        return owners;
    }

    /**
     * Returns whether hot and overflow are caught up, so that idle slots may take aged items: in the partitions with
     * these numbers, over all workers that have some of them. Items beyond the slots that need less than the target are
     * on their way, or finished and not committed.
     */
    public boolean isCaughtUp(IntPredicate which) {
        Table now = table;
        double slots = 0;
        double perSecond = 0;
        for (Member member : now.members.values()) {
            if (Lane.WORKED.stream().flatMap(lane -> member.last.owned(lane).stream()).anyMatch(which::test)) {
                slots += member.last.slots();
                perSecond += member.last.possiblePerSecond();
            }
        }
        LaneBacklogs read = now.backlogs;
        double beyondSlots = read.of(Lane.HOT).total(which) + read.of(Lane.OVERFLOW).total(which) - slots;
        return !now.isDown && beyondSlots <= Math.max(slots, perSecond * settings.targetMillis() / 1e3);
    }

    /** Returns the number of partitions of a lane that are avoided because they are stuck. */
    public int stuckPartitions(Lane lane) {
        return table.backlogs.of(lane).stuckPartitions();
    }

    /** Returns the number of workers that are avoided because all their slots are taken and no attempt ends. */
    public int fullWorkers() {
        return (int) table.members.values().stream().filter(member -> member.worker.full).count();
    }

    /** Returns whether hot is behind at a worker, so that excess is held back. */
    public boolean isBehind(long nowMillis) {
        return behind(nowMillis) > 0;
    }

    /** Returns at how many workers hot is behind. */
    public int behind(long nowMillis) {
        return (int) table.members.values().stream().filter(member -> member.worker.guard.isBehind(nowMillis)).count();
    }
}
