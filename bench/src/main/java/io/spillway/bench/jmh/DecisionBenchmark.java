package io.spillway.bench.jmh;

import io.spillway.bench.support.BenchItems;
import io.spillway.core.item.Lane;
import io.spillway.core.overload.Fleet;
import io.spillway.core.overload.LaneBacklogs;
import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.overload.WorkerReport;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.ratelimit.RateTable;
import io.spillway.core.routing.ItemEnds;
import io.spillway.core.routing.ItemRouter;
import io.spillway.core.routing.ItemTimes;
import io.spillway.core.routing.Route;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.view.TenantPolicies;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The limiter, the rules, and the whole decision as the router makes it, for tenants in random order. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class DecisionBenchmark {
    private static final int ITEMS = 1 << 17;
    private static final long START_MILLIS = 1_800_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Tenants with a policy and a rate. */
    @Param({"1", "1000", "100000"})
    public int tenants;

    private final ItemReader reader = new ItemReader(ItemSchemas.load(), 1_114_112);
    private final RateTable rates = new RateTable(1_000_000);
    private final Fleet fleet = new Fleet(ProtectionSettings.DEFAULT, 12);
    private final int[] shard = {1, 4, 7, 11};
    private final RateLimit limit = RateLimit.of(1e9, 1_000_000_000);
    private final BenchItems.Item[] items = new BenchItems.Item[ITEMS];
    private final TenantContext[] contexts = new TenantContext[ITEMS];
    private final ItemRouter router = new ItemRouter(
            new ItemEnds((tenant, workload, margin, now) -> ItemEnds.NO_SWEEP_MILLIS, ItemEnds.NO_FAILURES, () -> 0),
            (tenant, policy) -> policy.rateLimit(), rates, null);
    private TenantPolicies policies;
    private int next;
    private long nowNanos = START_MILLIS * NANOS_PER_MILLI;

    /** Makes items and policies. */
    @Setup(Level.Trial)
    public void setUp() {
        BenchItems source = new BenchItems(tenants);
        for (int i = 0; i < ITEMS; i++) {
            items[i] = source.next(Instant.ofEpochMilli(START_MILLIS), i);
        }
        PolicySettings settings = PolicySettings.NONE_SET
                .with(PolicyField.RATE, "10000000")
                .with(PolicyField.BURST, "1000000000")
                .with(PolicyField.AGED_AFTER, "365d");
        policies = new TenantPolicies(PolicySettings.NONE_SET);
        for (int i = 0; i < tenants; i++) {
            policies.put(BenchItems.tenant(i), TenantPolicies.encode(BenchItems.tenant(i), settings));
        }
        for (int i = 0; i < ITEMS; i++) {
            var read = (ParsedRecord.Item) reader.read(null, items[i].value(), new RecordHeaders(), 0);
            contexts[i] = policies.context(read.tenant());
        }
        Set<Integer> all = IntStream.range(0, 12).boxed().collect(Collectors.toSet());
        fleet.update(Map.of("worker", new WorkerReport(50, 1e7, 1e7, 0, 0, 0, Map.of(Lane.HOT, all))),
                LaneBacklogs.UNKNOWN, 1, nowMillis());
    }

    /** One charge of the rate limiter; the names' hashes are known already. */
    @Benchmark
    public boolean admit() {
        return rates.admit(contexts[step()], limit, nowNanos);
    }

    /** Selection of a partition and the guard of hot, while no worker is behind. */
    @Benchmark
    public int place() {
        return fleet.placeInHot(contexts[step()], "", false, shard, shard.length, next, nowMillis());
    }

    /** The rules with the limiter in them. */
    @Benchmark
    public Route route() {
        TenantContext tenant = contexts[step()];
        return router.decide(tenant, "", ItemTimes.entered(START_MILLIS, START_MILLIS, START_MILLIS), nowMillis());
    }

    /** Read the item, find the policy, apply the rules: what the router does of its own for each record. */
    @Benchmark
    public Route readAndRoute() {
        BenchItems.Item item = items[step()];
        ParsedRecord.Item read =
                (ParsedRecord.Item) reader.read(item.key(), item.value(), new RecordHeaders(), START_MILLIS);
        TenantContext tenant = policies.context(read.tenant());
        return router.decide(tenant, read.workload(),
                ItemTimes.entered(read.enqueuedAtMillis(), START_MILLIS, nowMillis()), nowMillis());
    }

    private int step() {
        nowNanos += 500;
        next = next + 1 & ITEMS - 1;
        return next;
    }

    private long nowMillis() {
        return nowNanos / NANOS_PER_MILLI;
    }
}
