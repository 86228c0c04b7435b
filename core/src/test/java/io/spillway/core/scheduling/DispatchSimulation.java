package io.spillway.core.scheduling;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;

/**
 * One worker in virtual time: arrivals, one partition per lane, a handler with given durations, and the scheduler under
 * test. An item that the scheduler moves is in its new lane after 60 ms; a delayed one returns to hot when due.
 */
final class DispatchSimulation {
    static final class Item {
        final String tenant;
        final String workload;
        final double arrivedMillis;
        Lane lane;
        int moves;
        double startedMillis = -1;
        double endedMillis = -1;

        Item(String tenant, String workload, double arrivedMillis, Lane lane) {
            this.tenant = tenant;
            this.workload = workload;
            this.arrivedMillis = arrivedMillis;
            this.lane = lane;
        }

        double waitMillis() {
            return startedMillis - arrivedMillis;
        }
    }

    private record Event(double atMillis, long number, Runnable action) {}

    private static final double MOVE_MILLIS = 60;
    /** Cached, since the rules ask for the policy of every tenant after every step. */
    private static final TenantPolicy DEFAULT = TenantPolicy.of(PolicySettings.DEFAULTS);
    private static final int POLL_BATCH = 500;

    final FairDispatch<Item> dispatch;
    final List<Item> items = new ArrayList<>();
    /** Slot-milliseconds of ended attempts, by tenant. */
    final Map<String, Double> servedMillis = new HashMap<>();
    final Map<String, Integer> mostInFlight = new HashMap<>();
    /** Workload of the next item of a tenant. */
    UnaryOperator<String> workloads = tenant -> "";
    int moves;
    /** Slot-milliseconds in use since the start. */
    double usedSlotMillis;
    double nowMillis;
    /** Called after each step with this simulation. */
    Runnable afterStep = () -> {};

    private final DispatchSettings settings;
    private final Map<String, TenantPolicy> policies = new HashMap<>();
    private final Set<String> toppedUp = new HashSet<>();
    private final ToDoubleFunction<Item> durationMillis;
    private final Map<Lane, Deque<Item>> partitions = new EnumMap<>(Lane.class);
    private final PriorityQueue<Event> events = new PriorityQueue<>((a, b) -> a.atMillis() != b.atMillis()
            ? Double.compare(a.atMillis(), b.atMillis())
            : Long.compare(a.number(), b.number()));
    private long numbers;

    DispatchSimulation(DispatchSettings settings, ToDoubleFunction<Item> durationMillis) {
        this.settings = settings;
        this.dispatch = new FairDispatch<>(settings);
        this.durationMillis = durationMillis;
        for (Lane lane : List.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED)) {
            partitions.put(lane, new ArrayDeque<>());
        }
    }

    void policy(String tenant, TenantPolicy policy) {
        policies.put(tenant, policy);
    }

    TenantPolicy policy(String tenant) {
        return policies.getOrDefault(tenant, DEFAULT);
    }

    void burst(String tenant, Lane lane, int count, double atMillis) {
        at(atMillis, () -> {
            for (int i = 0; i < count; i++) {
                arrive(new Item(tenant, workloads.apply(tenant), atMillis, lane));
            }
        });
    }

    /** Adds Poisson arrivals at a rate (items per second) in hot. */
    void stream(String tenant, double rate, double fromMillis, double untilMillis, Random random) {
        double next = fromMillis - Math.log(1 - random.nextDouble()) * 1000 / rate;
        if (next < untilMillis) {
            at(next, () -> {
                arrive(new Item(tenant, workloads.apply(tenant), next, Lane.HOT));
                stream(tenant, rate, next, untilMillis, random);
            });
        }
    }

    /** Keeps a tenant backlogged: each end of an attempt adds another item. */
    void topUp(String tenant, int waiting) {
        burst(tenant, Lane.HOT, waiting, 0);
        toppedUp.add(tenant);
    }

    /** Takes waiting items at this interval too, as a worker does with each poll, and not only at arrivals and ends. */
    void poll(double everyMillis) {
        at(nowMillis + everyMillis, () -> poll(everyMillis));
    }

    void at(double atMillis, Runnable action) {
        events.add(new Event(atMillis, numbers++, action));
    }

    void run(double untilMillis) {
        while (!events.isEmpty() && events.peek().atMillis() <= untilMillis) {
            double until = events.peek().atMillis();
            usedSlotMillis += dispatch.pool.inFlight * (until - nowMillis);
            nowMillis = until;
            while (!events.isEmpty() && events.peek().atMillis() == until) {
                events.poll().action().run();
            }
            step();
            afterStep.run();
        }
        usedSlotMillis += dispatch.pool.inFlight * (untilMillis - nowMillis);
        nowMillis = untilMillis;
    }

    long unread(Lane lane) {
        return partitions.get(lane).size();
    }

    boolean isCaughtUp() {
        return unread(Lane.HOT) + unread(Lane.OVERFLOW) + dispatch.waiting(Lane.HOT) + dispatch.waiting(Lane.OVERFLOW)
                == 0;
    }

    List<Item> startedOf(String tenantPrefix, double arrivedFrom, double arrivedUntil) {
        return items.stream()
                .filter(item -> item.tenant.startsWith(tenantPrefix) && item.startedMillis >= 0)
                .filter(item -> item.arrivedMillis >= arrivedFrom && item.arrivedMillis < arrivedUntil)
                .toList();
    }

    static double percentile(List<Item> items, double share) {
        double[] waits = items.stream().mapToDouble(Item::waitMillis).sorted().toArray();
        return waits.length == 0 ? 0 : waits[(int) Math.min(waits.length - 1, share * waits.length)];
    }

    private void arrive(Item item) {
        items.add(item);
        partitions.get(item.lane).add(item);
    }

    private void step() {
        boolean hasRead;
        do {
            startAll();
            hasRead = false;
            for (Map.Entry<Lane, Deque<Item>> partition : partitions.entrySet()) {
                Lane lane = partition.getKey();
                Deque<Item> unread = partition.getValue();
                for (int i = 0; i < POLL_BATCH && !unread.isEmpty()
                        && dispatch.waiting(lane) < settings.readAheadItems(); i++) {
                    Item item = unread.poll();
                    dispatch.offer(item.lane, item.tenant, item.workload, policy(item.tenant), item, item.moves,
                            ItemLimits.NORMAL_PRIORITY, (long) item.arrivedMillis);
                    hasRead = true;
                }
            }
            startAll();
            dispatch.excess((long) nowMillis, nowNanos()).forEach(this::move);
        } while (hasRead);
    }

    private void move(Excess<Item> excess) {
        Item item = excess.item();
        item.moves++;
        moves++;
        if (excess.to() == Lane.OVERFLOW) {
            requeue(item, Lane.OVERFLOW, nowMillis + MOVE_MILLIS);
        } else {
            requeue(item, Lane.HOT, excess.dueMillis() + MOVE_MILLIS);
        }
    }

    private void requeue(Item item, Lane lane, double atMillis) {
        at(atMillis, () -> {
            item.lane = lane;
            partitions.get(lane).add(item);
        });
    }

    private void startAll() {
        while (true) {
            Optional<SlotLease<Item>> taken = dispatch.take(isCaughtUp(), nowNanos());
            if (taken.isEmpty()) {
                return;
            }
            SlotLease<Item> start = taken.get();
            Item item = start.item();
            item.startedMillis = nowMillis;
            mostInFlight.merge(item.tenant, TenantLoad.inFlight(dispatch, item.tenant), Math::max);
            double millis = durationMillis.applyAsDouble(item);
            at(nowMillis + millis, () -> {
                item.endedMillis = nowMillis;
                servedMillis.merge(item.tenant, millis, Double::sum);
                servedMillis.merge(item.tenant + "/" + item.workload, millis, Double::sum);
                dispatch.ended(start, nowNanos());
                if (toppedUp.contains(item.tenant)) {
                    arrive(new Item(item.tenant, item.workload, nowMillis, Lane.HOT));
                }
                startAll();
            });
        }
    }

    long nowNanos() {
        return (long) (nowMillis * 1e6);
    }

    DispatchSettings settings() {
        return settings;
    }
}
