package io.spillway.core.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.spillway.Seed;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SubsetIndexTest {
    @Test
    void it_behaves_like_a_map() {
        Seed seed = new Seed();
        SubsetIndex index = new SubsetIndex();
        Map<Long, Integer> map = new HashMap<>();
        for (int round = 0; round < seed.rounds(200_000); round++) {
            // Grows beyond its initial length and shrinks again.
            long key = seed.random().nextLong(round % 50_000 < 25_000 ? 4_000 : 600);
            if (seed.random().nextInt(100) < (round % 50_000 < 25_000 ? 60 : 40)) {
                index.add(key);
                map.merge(key, 1, Integer::sum);
            } else if (map.containsKey(key)) {
                index.remove(key);
                map.computeIfPresent(key, (k, count) -> count == 1 ? null : count - 1);
            }
            if (index.count(key) != map.getOrDefault(key, 0) || index.size() != map.size()) {
                fail("%s: round %d: %d of %d, %d in all", seed, round, index.count(key), key, index.size());
            }
        }
        for (long key = 0; key < 4_000; key++) {
            assertThat(index.count(key)).as(seed.toString()).isEqualTo(map.getOrDefault(key, 0));
        }
        assertThat(index.shared()).isEqualTo((int) map.values().stream().filter(count -> count > 1).count());
    }
}
