package io.spillway.kafka.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemState;
import io.spillway.core.ledger.Depth;
import io.spillway.core.ledger.FlowRates;
import io.spillway.core.ledger.TenantBalance;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.ratelimit.GrowingLimit;
import io.spillway.core.routing.Sweep;
import io.spillway.kafka.codec.LedgerOwner;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compaction keeps the last record of a key alone: what was in a view before it must not matter. */
class LastRecordTest {
    /**
     * Content of a compacted topic.
     *
     * @param key    of the records
     * @param values of records in either order; a removal is one of them
     * @param state  everything that readers see of the content
     */
    record Topic<C extends ViewContent<?>>(
            String name, Supplier<C> empty, String key, List<Optional<byte[]>> values, Function<C, ?> state) {
        Object after(List<Optional<byte[]>> records) {
            C content = empty.get();
            records.forEach(value -> value.ifPresentOrElse(
                    bytes -> content.put(key, bytes), () -> content.remove(key)));
            return state.apply(content);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Topic<?>> topics() {
        ApiKey apiKey = ApiKey.parse("spw_0123456789abcdef_" + "A".repeat(43)).orElseThrow();
        String reason = LedgerOwner.of(DeadReason.EXPIRED);
        return Stream.of(
                sweeps("sweeps", new SweepTarget(false, "acme", "", "")),
                sweeps("cancels", new SweepTarget(true, "acme", "", "")),
                new Topic<>("policies", () -> new TenantPolicies(PolicySettings.NONE_SET), "acme",
                        values(TenantPolicies.encode("acme", PolicySettings.NONE_SET.with(PolicyField.DEDICATED, "2")),
                                TenantPolicies.encode("acme", PolicySettings.NONE_SET.with(PolicyField.TTL, "9s"))),
                        policies -> List.of(policies.all(), policies.of("acme"), policies.dedicated())),
                new Topic<>("keys", ApiKeys::new, apiKey.keyId(),
                        values(StoredKey.of("acme", apiKey, 5).encode(), StoredKey.of("bolt", apiKey, 3).encode()),
                        keys -> List.of(keys.of(apiKey, 0).map(StoredKey::tenant), keys.size())),
                new Topic<>("shards", ShardAssignments::new, "acme",
                        values(new ShardAssignment(7).encode("acme"), new ShardAssignment(8).encode("acme")),
                        ShardAssignments::all),
                depths("acme"), depths(reason));
    }

    private static Topic<Sweeps> sweeps(String name, SweepTarget target) {
        return new Topic<>(name, Sweeps::new, target.key(),
                values(Sweeps.encode(new Sweeps.Mark(target, "first", new Sweep(300, 400))),
                        Sweeps.encode(new Sweeps.Mark(target, "second", new Sweep(100, 500)))),
                sweeps -> List.of(sweeps.all(), sweeps.hasCancels("acme"),
                        sweeps.coveredBeforeMillis("acme", "", 0, 1_000)));
    }

    private static Topic<Depths> depths(String key) {
        return new Topic<>("depths of " + key, Depths::new, key, values(balance(key, 5), balance(key, 3)),
                depths -> List.of(depths.of("acme").map(Depth::balance), depths.in(ItemState.DEAD_LETTER),
                        depths.entered(ItemState.DEAD_LETTER), depths.deadLetters(DeadReason.EXPIRED)));
    }

    private static byte[] balance(String key, long dead) {
        long[] counts = new long[ItemState.COUNT];
        counts[ItemState.DEAD_LETTER.ordinal()] = dead;
        return Depths.encode(key, new Depth(TenantBalance.EMPTY.plus(ItemState.OUTSIDE, counts),
                FlowRates.startingAt(1_000), GrowingLimit.NONE, 0));
    }

    private static List<Optional<byte[]>> values(byte[] first, byte[] second) {
        return List.of(Optional.of(first), Optional.of(second), Optional.empty());
    }

    @ParameterizedTest
    @MethodSource("topics")
    void what_a_view_shows_follows_from_the_last_record_of_a_key(Topic<?> topic) {
        for (Optional<byte[]> before : topic.values()) {
            for (Optional<byte[]> last : topic.values()) {
                assertThat(topic.after(Arrays.asList(before, last))).isEqualTo(topic.after(List.of(last)));
            }
        }
    }
}
