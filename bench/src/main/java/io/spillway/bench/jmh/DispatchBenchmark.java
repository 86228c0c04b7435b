package io.spillway.bench.jmh;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.core.scheduling.FairDispatch;
import io.spillway.core.scheduling.SlotLease;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
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
 * What dispatch costs an item: it is offered, another is taken, and an attempt ends. All slots stay busy and 4,000
 * items
 * wait. Beside it the same in a plain queue, which is all that a FIFO worker has to do.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class DispatchBenchmark {
    private static final int SLOTS = 50;
    private static final int WAITING = 4_000;
    private static final int NAMES = 1 << 16;
    /** Between two steps: 50 slots with attempts of 20 ms. */
    private static final long STEP_NANOS = 400_000;

    /** Tenants whose items come in turn. */
    @Param({"1", "100", "4000"})
    public int tenants;

    /** Workloads of each tenant, whose items come in turn; 0 for items without one. */
    @Param({"0", "10"})
    public int workloads;

    private final String[] names = new String[NAMES];
    private final String[] parts = new String[NAMES];
    private final TenantPolicy policy = TenantPolicy.of(PolicySettings.NONE_SET);
    private final FairDispatch<String> dispatch = new FairDispatch<>(DispatchSettings.of(SLOTS));
    private final Queue<SlotLease<String>> running = new ArrayDeque<>();
    private final Queue<String> fifo = new ArrayDeque<>();
    private final Queue<String> fifoRunning = new ArrayDeque<>();
    private long nowNanos;
    private int next;

    /** Fills buffers and slots. */
    @Setup(Level.Trial)
    public void setUp() {
        for (int i = 0; i < NAMES; i++) {
            names[i] = "tenant-" + i % tenants;
            parts[i] = workloads == 0 ? "" : ("workload-" + i / tenants % workloads).intern();
        }
        for (int i = 0; i < WAITING; i++) {
            offer();
            fifo.add(names[i]);
        }
        while (take()) {
            fifoRunning.add(fifo.remove());
        }
    }

    /** One item through {@link FairDispatch}. */
    @Benchmark
    public boolean fairDispatch() {
        nowNanos += STEP_NANOS;
        offer();
        dispatch.ended(running.remove(), nowNanos);
        return take();
    }

    /** One item through a queue. */
    @Benchmark
    public boolean fifoQueue() {
        next = next + 1 & NAMES - 1;
        fifo.add(names[next]);
        fifoRunning.remove();
        return fifoRunning.add(fifo.remove());
    }

    private void offer() {
        next = next + 1 & NAMES - 1;
        dispatch.offer(Lane.OVERFLOW, names[next], parts[next], policy, names[next], 0, ItemLimits.NORMAL_PRIORITY, 0);
    }

    private boolean take() {
        Optional<SlotLease<String>> start = dispatch.take(true, nowNanos);
        start.ifPresent(running::add);
        return start.isPresent();
    }
}
