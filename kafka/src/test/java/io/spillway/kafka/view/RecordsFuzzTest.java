package io.spillway.kafka.view;

import io.spillway.Fuzz;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.Lane;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.overload.SlotUse;
import io.spillway.core.overload.WorkerReport;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.core.progress.SuspectStatus;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.AttemptTimeouts.TenantStats;
import io.spillway.core.retry.RetryKey;
import io.spillway.core.retry.TimeoutStats;
import io.spillway.core.routing.Sweep;
import io.spillway.core.scheduling.MaxMinSlots.Demand;
import io.spillway.kafka.codec.AttemptReports;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Values of all compacted topics, of any bytes. See {@link Fuzz}. */
class RecordsFuzzTest {
    private static final int PREFIX_BYTES = 10;
    private static final long NOW_MILLIS = 1_795_000_000_000L;
    private static final InstantSource CLOCK = () -> Instant.ofEpochMilli(NOW_MILLIS);
    private static final String[] NAMES = {"acme", "a", "Tenant_9.x-", "n".repeat(128)};
    private static final Map<PolicyField, String[]> POLICY_TEXTS = Map.of(
            PolicyField.RATE, new String[] {"none", "0.5", "1000"}, PolicyField.JITTER, new String[] {"full", "none"},
            PolicyField.SWEEPABLE, new String[] {"true", "false"}, PolicyField.TIMEOUT, new String[] {"auto", "3s"},
            PolicyField.MAX_DEPTH, new String[] {"4611686018427387903", "1"},
            PolicyField.PAUSED, new String[] {"true"}, PolicyField.BACK_PRESSURE, new String[] {"accept"});

    /**
     * A kind of record.
     *
     * @param some   returns a random value
     * @param decode refuses bytes with an {@link IllegalArgumentException}
     */
    record Kind<T>(
            String name, Function<SplittableRandom, T> some, Function<T, byte[]> encode, Function<byte[], T> decode) {
        byte[] valid(SplittableRandom random) {
            T value = some.apply(random);
            byte[] bytes = encode.apply(value);
            Fuzz.require(decode.apply(bytes).equals(value), "decoded to another value", value);
            return bytes;
        }

        boolean accepts(byte[] bytes) {
            T value;
            try {
                value = decode.apply(bytes);
            } catch (IllegalArgumentException refused) {
                String message = Objects.toString(refused.getMessage());
                Fuzz.require(message.length() < 500, "long message", message);
                return false;
            }
            Fuzz.require(decode.apply(encode.apply(value)).equals(value), "encoded to another value", value);
            return true;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Kind<?>> kinds() {
        LaneStates lanes = new LaneStates(CLOCK);
        Demands<Double> demands = Demands.ofRates(Demands.Role.ROUTER, CLOCK);
        Demands<Demand> slots = Demands.ofSlots(CLOCK);
        TimeoutStatuses timeouts = new TimeoutStatuses(CLOCK);
        AttemptReports reports = new AttemptReports();
        TenantPolicies policies = new TenantPolicies(PolicySettings.DEFAULTS);
        return Stream.of(
                new Kind<>("policies", RecordsFuzzTest::policy, each -> TenantPolicies.encode("acme", each),
                        bytes -> policyInForce(policies, bytes)),
                new Kind<>("sweeps and cancels", RecordsFuzzTest::mark,
                        each -> Sweeps.encode(each.orElseThrow()), Sweeps::decode),
                new Kind<>("balances", RecordsFuzzTest::depth, each -> Depths.encode("acme", each),
                        RecordsFuzzTest::depthOfView),
                new Kind<>("lane statuses", RecordsFuzzTest::laneReport, each -> lanes.encode("worker-1", each),
                        bytes -> latest(lanes, "worker-1", bytes)),
                new Kind<>("demands", RecordsFuzzTest::demands, each -> demands.encode("router-1", each),
                        bytes -> latest(demands, "router-1", bytes)),
                new Kind<>("slots", RecordsFuzzTest::slots, each -> slots.encode("worker/1", each),
                        bytes -> latest(slots, "worker/1", bytes)),
                new Kind<>("timeouts", RecordsFuzzTest::timeouts,
                        each -> timeouts.encode("worker-1", each.entrySet().stream()
                                .map(row -> new TenantStats(row.getKey(), row.getValue())).toList()),
                        bytes -> latest(timeouts, "worker-1", bytes)),
                new Kind<>("shards", RecordsFuzzTest::shard, each -> each.encode("acme"), ShardAssignment::decode),
                new Kind<>("requests of shards", RecordsFuzzTest::request, ShardRequest::encode,
                        RecordsFuzzTest::readable),
                new Kind<>("attempts", RecordsFuzzTest::attempts,
                        each -> reports.encode("worker-1", new AttemptReports.Report(each, List.of()), NOW_MILLIS),
                        bytes -> reports.decode(bytes).counts()),
                new Kind<>("API keys", RecordsFuzzTest::key, each -> StoredKey.decode(hex(each)).encode(),
                        bytes -> hex(StoredKey.decode(bytes).encode())));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void bytes_are_refused_or_are_a_value_that_is_encoded_to_the_same(Kind<?> kind) {
        Fuzz.of(kind.name(), kind::valid).afterPrefix(PREFIX_BYTES).check(kind::accepts);
    }

    private static String name(SplittableRandom random) {
        return NAMES[random.nextInt(NAMES.length)];
    }

    private static long count(SplittableRandom random, int bits) {
        return random.nextLong(1L << bits) >> random.nextInt(bits);
    }

    private static PolicySettings policy(SplittableRandom random) {
        PolicySettings settings = random.nextBoolean() ? PolicySettings.DEFAULTS : PolicySettings.NONE_SET;
        for (Map.Entry<PolicyField, String[]> each : POLICY_TEXTS.entrySet()) {
            settings = random.nextBoolean() ? settings.without(each.getKey())
                    : settings.with(each.getKey(), each.getValue()[random.nextInt(each.getValue().length)]);
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            settings = settings.withWorkload("w" + i, new WorkloadPolicy(
                    0.25 * random.nextInt(1, 40), random.nextInt(1, 1000),
                    random.nextBoolean() ? random.nextDouble(0.001, 100) : Double.POSITIVE_INFINITY,
                    random.nextBoolean()));
        }
        return settings;
    }

    /** A policy that is stored is in force, so it must fit the defaults, too. */
    private static PolicySettings policyInForce(TenantPolicies policies, byte[] bytes) {
        PolicySettings settings = TenantPolicies.decode(bytes);
        policies.put("acme", bytes);
        Fuzz.require(policies.own("acme").equals(settings), "own settings", settings);
        Fuzz.require(policies.of("acme").equals(TenantPolicy.of(settings.over(PolicySettings.DEFAULTS))), "in force");
        policies.put(ViewContent.ALL_TENANTS, bytes);
        policies.remove("acme");
        Fuzz.require(policies.of("acme").equals(TenantPolicy.of(settings.over(PolicySettings.DEFAULTS))), "of all");
        policies.remove(ViewContent.ALL_TENANTS);
        return settings;
    }

    private static Optional<Sweeps.Mark> mark(SplittableRandom random) {
        boolean isCancel = random.nextBoolean();
        long start = count(random, 62);
        return Optional.of(new Sweeps.Mark(
                new SweepTarget(isCancel, random.nextInt(4) == 0 ? "*" : name(random),
                        random.nextBoolean() ? "" : name(random), isCancel && random.nextBoolean() ? "order-1" : ""),
                isCancel ? "" : "nightly", new Sweep(start, start + count(random, 40))));
    }

    private static Depth depth(SplittableRandom random) {
        long[] entered = new long[ItemState.COUNT];
        long[] left = new long[ItemState.COUNT];
        for (ItemState state : ItemState.values()) {
            entered[state.ordinal()] = state == ItemState.OUTSIDE ? 0 : count(random, 50);
            left[state.ordinal()] = state == ItemState.DONE || state == ItemState.DROPPED ? 0 : count(random, 50);
        }
        return new Depth(TenantBalance.of(entered, left),
                new FlowRates(random.nextDouble(1e6), random.nextDouble(), 1 + count(random, 60),
                        1 + count(random, 60)),
                new GrowingLimit(random.nextDouble(), random.nextDouble(1e9)), count(random, 62));
    }

    private static Depth depthOfView(byte[] bytes) {
        Depth depth = Depths.decode(bytes);
        Depths depths = new Depths();
        depths.put("acme", bytes);
        Fuzz.require(depths.of("acme").equals(Optional.of(depth)), "in the view", depth);
        Fuzz.require(depths.in(ItemState.HOT) == depth.balance().in(ItemState.HOT), "sum", depth);
        depth.drain(NOW_MILLIS);
        depth.isLate(TenantPolicy.of(PolicySettings.DEFAULTS), NOW_MILLIS);
        depths.put(Depths.foldedKey(0), bytes);
        depths.remove("acme");
        return depth;
    }

    private static WorkerReport laneReport(SplittableRandom random) {
        return new WorkerReport(random.nextInt(1, 100_001), random.nextDouble(1e12), random.nextDouble(1e12),
                random.nextDouble(), count(random, 40), random.nextDouble(1e6),
                Map.of(Lane.HOT, Set.of(random.nextInt(0, 100), 100), Lane.AGED, Set.of(random.nextInt(10_000))),
                "pool-" + random.nextInt(3),
                new SlotUse(random.nextInt(100_000), Map.of(name(random), random.nextInt(1, 1_000))),
                new SuspectStatus(random.nextLong(), random.nextLong(), Map.of(name(random), random.nextLong())));
    }

    private static Map<String, Double> demands(SplittableRandom random) {
        Map<String, Double> demands = new HashMap<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            demands.put(name(random), random.nextDouble(1e9));
        }
        return demands;
    }

    private static Map<String, Demand> slots(SplittableRandom random) {
        Map<String, Demand> demands = new HashMap<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            demands.put(name(random), new Demand(random.nextInt(1000), random.nextInt(1000)));
        }
        return demands;
    }

    private static Map<String, TimeoutStats> timeouts(SplittableRandom random) {
        Map<String, TimeoutStats> tenants = new HashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            tenants.put(name(random), new TimeoutStats(count(random, 13), random.nextDouble(1e5),
                    random.nextDouble(1e5), random.nextDouble(1e5), count(random, 10), count(random, 10),
                    random.nextInt(30), count(random, 20), count(random, 20), random.nextBoolean()));
        }
        return tenants;
    }

    private static ShardAssignment shard(SplittableRandom random) {
        return new ShardAssignment(count(random, 40) - 1);
    }

    private static ShardRequest request(SplittableRandom random) {
        return random.nextBoolean() ? ShardRequest.RELEASE : ShardRequest.ASSIGN;
    }

    private static ShardRequest readable(byte[] bytes) {
        return ShardRequest.decode(bytes).orElseThrow(() -> new IllegalArgumentException("unreadable"));
    }

    private static List<AttemptCounts> attempts(SplittableRandom random) {
        List<AttemptCounts> counts = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            long firsts = count(random, 40);
            long retries = count(random, 40);
            counts.add(new AttemptCounts(new RetryKey(name(random), random.nextBoolean() ? "" : name(random)),
                    random.nextInt(-1, 50), firsts, firsts / 2, retries, retries));
        }
        return counts;
    }

    private static String key(SplittableRandom random) {
        return hex(StoredKey.of(name(random), ApiKey.make(random), count(random, 45)).encode());
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }

    private static <T> T latest(InstanceStatuses<T> view, String instance, byte[] bytes) {
        view.remove(instance);
        view.put(instance, bytes);
        return view.entries.get(instance).status();
    }
}
