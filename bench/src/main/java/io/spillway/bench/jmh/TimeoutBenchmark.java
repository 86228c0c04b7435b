package io.spillway.bench.jmh;

import io.spillway.bench.support.BenchItems;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptTimeout;
import io.spillway.core.retry.AttemptTimeouts;
import io.spillway.handler.Outcome;
import java.util.Random;
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

/** What an attempt pays for its timeout: the timeout at its start and the sample at its end. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class TimeoutBenchmark {
    private static final int ATTEMPTS = 1 << 16;
    private static final Outcome SUCCEEDED = Outcome.done();

    @Param({"1", "1000", "10000"})
    public int tenants;

    @Param({"30s", "auto"})
    public String timeout;

    private final AttemptTimeouts timeouts = new AttemptTimeouts(AttemptTimeouts.MAX_TENANTS);
    private final String[] names = new String[ATTEMPTS];
    private final long[] nanos = new long[ATTEMPTS];
    private TenantPolicy policy;
    private int next;

    /** Draws tenants and durations, median 20 ms and p99 64 ms. */
    @Setup(Level.Trial)
    public void setUp() {
        policy = TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.TIMEOUT, timeout));
        Random random = new Random(20_261_122);
        for (int i = 0; i < ATTEMPTS; i++) {
            names[i] = BenchItems.tenant(random.nextInt(tenants));
            nanos[i] = (long) (20_000_000 * Math.exp(random.nextGaussian() / 2));
        }
    }

    /** A first attempt that succeeds. */
    @Benchmark
    public long startAndEnd() {
        next = next + 1 & ATTEMPTS - 1;
        AttemptTimeout its = timeouts.start(names[next], policy, 0, false, 0);
        timeouts.ended(its, SUCCEEDED, nanos[next]);
        return its.millis();
    }
}
