package io.spillway.bench.jmh;

import io.spillway.core.item.Lane;
import io.spillway.core.overload.Fleet;
import io.spillway.core.overload.LaneBacklogs;
import io.spillway.core.overload.PartitionBacklog;
import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.sharding.Dedication;
import io.spillway.core.sharding.PartitionPlacement;
import io.spillway.core.sharding.PolynomialShards;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.core.sharding.VirtualSlots;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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

/** A tenant's shard of four slots, beside the same draw by shuffling all slots; and the choice among its partitions. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ShardBenchmark {
    private static final int SIZE = 4;
    private static final int TENANTS = 1 << 12;

    /** Slots in all. */
    @Param({"12", "64", "2048", "4096"})
    public int slots;

    private final String[] tenants = new String[TENANTS];
    private final int[] into = new int[PartitionPlacement.MAX_PARTITIONS];
    private ShuffleSharder sharder;
    private PartitionPlacement placement;
    private Fleet fleet;
    private int next;

    /** Makes names, and a placement without dedicated partitions. */
    @Setup(Level.Trial)
    public void setUp() {
        for (int i = 0; i < TENANTS; i++) {
            tenants[i] = "tenant-" + i;
        }
        sharder = new ShuffleSharder(slots, 42);
        placement = new PartitionPlacement(
                sharder, Optional.empty(), VirtualSlots.spread(slots, slots), Dedication.none(slots));
        fleet = new Fleet(ProtectionSettings.DEFAULT, slots);
        long[] waiting = new Random(42).longs(slots, 0, 1_000).toArray();
        PartitionBacklog hot = PartitionBacklog.of(waiting);
        fleet.update(Map.of(), new LaneBacklogs(hot, hot, hot), 1, 0);
    }

    /** The stateless shard, in an array of its own. */
    @Benchmark
    public int[] shard() {
        return sharder.shard(tenant(), SIZE);
    }

    /** The stateless shard, written where the caller wants it. */
    @Benchmark
    public int shardInto() {
        sharder.shard(tenant(), SIZE, into);
        return into[0];
    }

    /** All that the router does for an item: the tenant's partitions, and the least loaded of them. */
    @Benchmark
    public int placeAndChoose() {
        int count = placement.partitions(tenant(), PolynomialShards.NONE, "", SIZE, 1, into);
        return fleet.place(Lane.HOT, into, count, next, next, 0);
    }

    /** Naive: a seeded generator swaps the first four places of all slots. */
    @Benchmark
    public int[] fisherYates() {
        Random random = new Random(tenant().hashCode());
        int[] all = new int[slots];
        for (int i = 0; i < slots; i++) {
            all[i] = i;
        }
        for (int i = 0; i < SIZE; i++) {
            int other = i + random.nextInt(slots - i);
            int swapped = all[i];
            all[i] = all[other];
            all[other] = swapped;
        }
        return Arrays.copyOf(all, SIZE);
    }

    /** Naive, as it is often written: shuffles a list of all slots and takes the first four. */
    @Benchmark
    public List<Integer> collectionsShuffle() {
        List<Integer> all = new ArrayList<>(IntStream.range(0, slots).boxed().toList());
        Collections.shuffle(all, new Random(tenant().hashCode()));
        return List.copyOf(all.subList(0, SIZE));
    }

    private String tenant() {
        next = next + 1 & TENANTS - 1;
        return tenants[next];
    }
}
