package io.spillway.core.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class UnfinishedSetTest {
    @Test
    void itEqualsATreeSet() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            UnfinishedSet set = new UnfinishedSet();
            TreeSet<Long> expected = new TreeSet<>();
            long next = 0;
            for (int step = 0; step < 2_000; step++) {
                if (random.nextInt(100) < 55) {
                    set.add(next);
                    expected.add(next);
                    next += 1 + random.nextInt(3);
                } else {
                    long offset = random.nextLong(next + 1);
                    assertThat(set.contains(offset)).as("seed %d", seed).isEqualTo(expected.contains(offset));
                    assertThat(set.remove(offset)).as("seed %d", seed).isEqualTo(expected.remove(offset));
                }
                assertSame(set, expected, random.nextLong(next + 1), seed);
            }
        }
    }

    @Test
    void aHangingOffsetDoesNotMakeItGrow() {
        UnfinishedSet set = new UnfinishedSet();
        set.add(0);
        for (long offset = 1; offset < 100_000; offset++) {
            set.add(offset);
            set.remove(offset);
        }
        assertThat(set.size()).isEqualTo(1);
        assertThat(set.capacity()).isEqualTo(64);
    }

    private static void assertSame(UnfinishedSet set, TreeSet<Long> expected, long bound, long seed) {
        assertThat(set.size()).as("seed %d", seed).isEqualTo(expected.size());
        if (!expected.isEmpty()) {
            assertThat(set.first()).as("seed %d", seed).isEqualTo(expected.first());
        }
        Long below = expected.lower(bound);
        assertThat(set.highestBelow(bound)).as("seed %d", seed).isEqualTo(below == null ? -1 : below);
        if (bound % 16 == 0) {
            long[] all = new long[set.size()];
            set.copyTo(all);
            List<Long> copied = new ArrayList<>();
            for (long offset : all) {
                copied.add(offset);
            }
            assertThat(copied).as("seed %d", seed).isEqualTo(List.copyOf(expected));
        }
    }
}
