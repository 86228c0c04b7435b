package io.spillway.core.delay;

import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.RetryGate;
import io.spillway.core.retry.RetryKey;
import io.spillway.core.retry.RetrySettings;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.ItemTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Stage of the only partition of the delay lane, with its items in memory. All times are milliseconds after the start
 * of the test. A tenant has one saved retry, and may make one more in ten seconds.
 */
final class DelayTimeline implements DelayStore<DelayTimeline.Item> {
    static final long NEVER = Long.MAX_VALUE;
    private static final long START = 1_800_000_000_000L;
    private static final PolicySettings SETTINGS =
            PolicySettings.NONE_SET.with(PolicyField.RETRY_TOKENS, "1").with(PolicyField.RETRY_FOR, "1h");
    private static final TenantPolicy POLICY = TenantPolicy.of(SETTINGS);
    private static final TenantPolicy PAUSED = TenantPolicy.of(SETTINGS.with(PolicyField.PAUSED, "true"));

    /** Names of items that can no longer be read. */
    final Set<String> damaged = new HashSet<>();
    final DelayStage<Item> stage;
    private final Map<String, TenantPolicy> policies = new HashMap<>();
    private final List<Timer> timers = new ArrayList<>();
    private final Map<RetryKey, List<Waiting>> parked = new HashMap<>();
    private long nowMillis = START;

    /** Item whose latest attempt failed, or, if it is no retry, one whose producer set its time. */
    record Item(
            String name, String tenant, String workload, boolean isRetry, int attempts, long dueMillis, long endMillis,
            int bytes) {
        /** Returns a retry that is due. It ends in a minute. */
        static Item retry(String name, String tenant) {
            return new Item(name, tenant, "", true, 1, 0, 60_000, 100);
        }

        /** Returns an item that waited for its first attempt. It ends in a minute. */
        static Item first(String name, String tenant) {
            return new Item(name, tenant, "", false, 0, 0, 60_000, 100);
        }

        Item of(String newWorkload) {
            return new Item(name, tenant, newWorkload, isRetry, attempts, dueMillis, endMillis, bytes);
        }

        Item after(int newAttempts) {
            return new Item(name, tenant, workload, isRetry, newAttempts, dueMillis, endMillis, bytes);
        }

        Item due(long atMillis) {
            return new Item(name, tenant, workload, isRetry, attempts, atMillis, endMillis, bytes);
        }

        Item ends(long atMillis) {
            return new Item(name, tenant, workload, isRetry, attempts, dueMillis, atMillis, bytes);
        }

        Item large(int newBytes) {
            return new Item(name, tenant, workload, isRetry, attempts, dueMillis, endMillis, newBytes);
        }

        DelayedItem fields() {
            long sinceMillis = START + endMillis - POLICY.retryForMillis();
            return new DelayedItem(key(tenant), workload, isRetry, attempts,
                    new ItemTimes(sinceMillis, sinceMillis, sinceMillis, START + dueMillis, true));
        }
    }

    private record Timer(long dueMillis, Item item) {}

    private record Waiting(int attemptClass, long endMillis, Item item) {}

    DelayTimeline() {
        this(RetryGate.MAX_GROUPS);
    }

    DelayTimeline(int retryGroups) {
        RetrySettings settings = new RetrySettings(1_000, Duration.ofSeconds(10), Duration.ofSeconds(10), 0);
        ItemEnds ends = new ItemEnds(
                (tenant, workload, margin, now) -> ItemEnds.NO_SWEEP_MILLIS, ItemEnds.NO_FAILURES, () -> 0);
        stage = new DelayStage<>(this, new RetryGate(settings, 0, 1, retryGroups), ends,
                (tenant, workload) -> policies.getOrDefault(tenant, POLICY));
    }

    static RetryKey key(String tenant) {
        return new RetryKey("api", tenant);
    }

    void pause(String tenant) {
        policies.put(tenant, PAUSED);
    }

    void pause(String tenant, String workload) {
        WorkloadPolicy paused = WorkloadPolicy.DEFAULT.with(PolicyField.PAUSED, true);
        policies.put(tenant, TenantPolicy.of(SETTINGS.withWorkload(workload, paused)));
    }

    void resume(String tenant) {
        policies.remove(tenant);
    }

    /** Places an item. Returns its name if it leaves at once, with "paid" if its budget has paid for it. */
    List<String> place(Item item) {
        return stage.place(item, item.fields(), nowMillis).stream().map(DelayTimeline::text).toList();
    }

    /** Spends the saved retry of a tenant, and the one of these ten seconds. */
    void spendRetries(String tenant) {
        for (int i = 0; i < 2; i++) {
            place(Item.retry("granted", tenant));
        }
    }

    /** Reports first attempts of a tenant that succeeded. Each earns a retry. */
    void succeeded(String tenant, int firsts) {
        stage.counted(List.of(new AttemptCounts(key(tenant), AttemptCounts.UNKNOWN, firsts, firsts, 0, 0)), nowMillis);
    }

    /** Stores an item that was parked in an earlier run, and tells the stage of its group. Returns the group's key. */
    RetryKey restore(RetryKey group, Item item, long firstEndMillis) {
        park(group, 1, START + item.endMillis(), item);
        return restore(group, firstEndMillis);
    }

    RetryKey restore(RetryKey group, long firstEndMillis) {
        return stage.restored(group, START + firstEndMillis);
    }

    /** Sets the clock and returns the names of what leaves, as {@link #place} does. */
    List<String> run(long atMillis) {
        nowMillis = START + atMillis;
        return stage.run(nowMillis).stream().map(DelayTimeline::text).toList();
    }

    /** Returns when to run next; {@link #NEVER} for not at all. */
    long nextRunMillis() {
        long nextMillis = stage.nextRunMillis(nowMillis);
        return nextMillis == NEVER ? NEVER : nextMillis - START;
    }

    /** Returns the names of the items parked in a group, in the order of their arrival. */
    List<String> parkedIn(RetryKey group) {
        return parked.getOrDefault(group, List.of()).stream().map(waiting -> waiting.item().name()).toList();
    }

    private static String text(DelayStage.Leaving<Item> leaving) {
        return leaving.item().name() + (leaving.isGranted() ? " paid" : "");
    }

    @Override
    public Optional<DelayedItem> read(Item item, long atMillis) {
        return damaged.contains(item.name()) ? Optional.empty() : Optional.of(item.fields());
    }

    @Override
    public void addTimer(long dueMillis, Item item) {
        timers.add(new Timer(dueMillis, item));
    }

    @Override
    public List<Item> takeDue(long atMillis) {
        List<Timer> due = timers.stream().filter(timer -> timer.dueMillis() <= atMillis)
                .sorted(Comparator.comparingLong(Timer::dueMillis)).toList();
        timers.removeAll(due);
        return due.stream().map(Timer::item).toList();
    }

    @Override
    public long nextDueMillis() {
        return timers.stream().mapToLong(Timer::dueMillis).min().orElse(NEVER);
    }

    @Override
    public void park(RetryKey group, int attemptClass, long endMillis, Item item) {
        parked.computeIfAbsent(group, absent -> new ArrayList<>()).add(new Waiting(attemptClass, endMillis, item));
    }

    @Override
    public Optional<Parked<Item>> first(RetryKey group, boolean byEnd) {
        Comparator<Waiting> byEndOnly = Comparator.comparingLong(Waiting::endMillis);
        return parked.getOrDefault(group, List.of()).stream()
                .min(byEnd ? byEndOnly : Comparator.comparingInt(Waiting::attemptClass).thenComparing(byEndOnly))
                .map(waiting -> new Parked<>(waiting.item(), waiting.endMillis(), waiting.item().bytes()));
    }

    @Override
    public OptionalLong remove(RetryKey group, Parked<Item> first) {
        List<Waiting> waiting = parked.get(group);
        waiting.removeIf(each -> each.item() == first.item());
        return waiting.stream().mapToLong(Waiting::endMillis).min();
    }
}
