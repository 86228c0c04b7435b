package io.spillway.bench.jmh;

import io.github.bucket4j.Bucket;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantContext;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.RateTable;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
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

/**
 * A rate for each tenant: our table, and Bucket4j's buckets in a concurrent map, as its documentation has it. Tenants
 * in
 * random order, and a rate that is never reached. Both read the clock once a call.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LimiterBenchmark {
    private static final int CALLS = 1 << 17;
    private static final long RATE = 1_000_000_000;
    private static final TenantPolicy POLICY = TenantPolicy.of(PolicySettings.NONE_SET);

    /** Tenants with a rate. */
    @Param({"1", "1000", "100000"})
    public int tenants;

    private final String[] names = new String[CALLS];
    private final RateTable rates = new RateTable(1_000_000);
    private final RateLimit limit = RateLimit.of(RATE, RATE);
    private final ConcurrentMap<String, Bucket> buckets = new ConcurrentHashMap<>();
    private int next;

    /** Makes names, each an object of its own as after decoding, and a state for each tenant. */
    @Setup(Level.Trial)
    public void setUp() {
        Random random = new Random(42);
        for (int i = 0; i < CALLS; i++) {
            names[i] = "tenant-" + random.nextInt(tenants);
            buckets.computeIfAbsent(names[i], LimiterBenchmark::bucket);
        }
    }

    /** {@link RateTable} with the clock read once a call, as Bucket4j does. */
    @Benchmark
    public boolean rateTable() {
        return rates.admit(TenantContext.of(tenant(), 0, POLICY), limit, System.currentTimeMillis() * 1_000_000);
    }

    /** Bucket4j's local bucket, lock-free, found by the tenant's name. */
    @Benchmark
    public boolean bucket4j() {
        return buckets.computeIfAbsent(tenant(), LimiterBenchmark::bucket).tryConsume(1);
    }

    private static Bucket bucket(String tenant) {
        return Bucket.builder()
                .addLimit(limit -> limit.capacity(RATE).refillGreedy(RATE, Duration.ofSeconds(1)))
                .build();
    }

    private String tenant() {
        next = next + 1 & CALLS - 1;
        return names[next];
    }
}
