package io.spillway.core.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.scheduling.MaxMinSlots.Demand;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MaxMinSlotsTest {
    /** Demands are {@code wanted/claimed} of each worker. Where a remainder rotates, the parts are sorted. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            alone                                | 7 | 3/0           | 7
            alone and idle                       | 7 | 0/0           | 7
            equal demand                         | 4 | 9/0 9/0       | 2 2
            one leaves slots to the other        | 4 | 1/0 9/0       | 1 3
            an idle one has none                 | 4 | 0/0 9/0       | 0 4
            spare slots are divided              | 5 | 1/0 0/0       | 2 3
            all idle                             | 4 | 0/0 0/0       | 2 2
            the first one leaves slots           | 4 | 9/0 1/0       | 1 3
            the smallest demand counts first     | 7 | 9/0 1/0 3/0   | 1 3 3
            what two leave goes to the third     | 7 | 1/0 2/0 9/0   | 1 2 4
            a remainder goes to one              | 5 | 9/0 9/0       | 2 3
            fewer slots than workers             | 1 | 9/0 9/0 9/0   | 0 0 1
            slots in use elsewhere are not free  | 4 | 9/4 9/0       | 0 2
            a slot given back is free            | 4 | 9/3 9/0       | 1 2
            more in use than the limit           | 2 | 9/3 9/0       | 0 1
            one waits for what another uses      | 6 | 9/0 9/0 9/4   | 0 2 2
            """)
    void parts_of_a_limit(String name, int limit, String demands, String expected) {
        List<Demand> members = Arrays.stream(demands.split(" ")).map(each -> each.split("/"))
                .map(each -> new Demand(Integer.parseInt(each[0]), Integer.parseInt(each[1]))).toList();
        List<Integer> parts = parts(limit, members, 0);
        Collections.sort(parts);
        assertThat(parts).as(name).hasToString("[" + expected.replace(" ", ", ") + "]");
    }

    /** Who has a slot, turn by turn. Workers of two versions would exceed a limit together if this changed. */
    @ParameterizedTest
    @CsvSource({
        "acme,      4, 1, 021310230213210323012103",
        "acme/mail, 4, 1, 210323101302301221031302",
        "globex,    4, 1, 031231020132302102130123",
        "acme,      5, 2, 021403012413021403120423230412240134142301123401",
    })
    void the_order_of_turns_is_pinned(String key, int workers, int limit, String order) {
        Map<String, Map<String, Demand>> members = new TreeMap<>();
        for (int i = 0; i < workers; i++) {
            members.put("worker-" + i, Map.of(key, new Demand(9, 0)));
        }
        StringBuilder turns = new StringBuilder();
        for (int turn = 0; turn < 24; turn++) {
            for (String member : members.keySet()) {
                turns.append(new MaxMinSlots(member, members, turn).of(key, limit) > 0 ? member.substring(7) : "");
            }
        }
        assertThat(turns).hasToString(order);
    }

    /** Two of five have a slot more in a turn, and everyone once in three turns; the first of a cycle twice. */
    @Test
    void a_remainder_of_several_slots_goes_to_as_many_in_each_turn() {
        List<Demand> members = Collections.nCopies(5, new Demand(9, 0));
        for (int cycle = 0; cycle < 20; cycle++) {
            int[] more = new int[5];
            for (int turn = 3 * cycle; turn < 3 * cycle + 3; turn++) {
                List<Integer> parts = parts(7, members, turn);
                assertThat(parts).as("turn %d", turn).containsOnly(1, 2).filteredOn(part -> part == 2).hasSize(2);
                Arrays.setAll(more, i -> more[i] + parts.get(i) - 1);
            }
            Arrays.sort(more);
            assertThat(more).as("cycle %d", cycle).containsExactly(1, 1, 1, 1, 2);
        }
    }

    @Test
    void a_worker_that_wants_just_its_part_never_gets_more_while_another_waits() {
        for (int turn = 0; turn < 10; turn++) {
            assertThat(parts(5, List.of(new Demand(2, 0), new Demand(9, 0)), turn)).containsExactly(2, 3);
        }
    }

    @Test
    void of_too_many_limits_those_with_the_highest_demand_are_published() {
        Map<String, Demand> demands = new TreeMap<>();
        for (int i = 0; i < MaxMinSlots.MAX_PUBLISHED; i++) {
            demands.put("t%04d".formatted(i), new Demand(5, 0));
        }
        assertThat(MaxMinSlots.published(demands)).isEqualTo(demands);
        demands.put("a", new Demand(1, 0));
        demands.put("z", new Demand(9, 0));
        assertThat(MaxMinSlots.published(demands)).hasSize(MaxMinSlots.MAX_PUBLISHED)
                .containsKeys("t0000", "t0998", "z").doesNotContainKeys("a", "t0999");
    }

    @Test
    void no_limit_stays_none() {
        assertThat(shares(0, List.of(new Demand(1, 0), new Demand(1, 0)), 0).of("acme", Integer.MAX_VALUE))
                .isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void a_limit_beyond_the_published_ones_keeps_one_slot() {
        Map<String, Demand> own = new TreeMap<>();
        for (int i = 0; i < MaxMinSlots.MAX_PUBLISHED; i++) {
            own.put("tenant-" + i, new Demand(1, 1));
        }
        var shares = new MaxMinSlots("a", Map.of("a", own, "b", Map.of("acme", new Demand(9, 4))), 0);
        assertThat(shares.of("acme", 4)).isEqualTo(1);
    }

    /** Workers apply parts, run and end attempts at random, and publish; every step all read the same statuses. */
    @Tag("slow")
    @Test
    void workers_together_never_exceed_a_limit_and_none_waits_for_ever() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int run = 0; run < 300; run++) {
            int workers = 1 + random.nextInt(6);
            int limit = 1 + random.nextInt(9);
            int[] running = new int[workers];
            long[] servedAt = new long[workers];
            List<Demand> published = new ArrayList<>(Collections.nCopies(workers, new Demand(20, 0)));
            for (int step = 0; step < 400; step++) {
                List<Integer> parts = parts(limit, published, step / 10);
                for (int i = 0; i < workers; i++) {
                    running[i] -= random.nextInt(running[i] + 1);
                    while (running[i] < parts.get(i)) {
                        running[i]++;
                        servedAt[i] = step;
                    }
                    published.set(i, new Demand(20, Math.max(running[i], parts.get(i))));
                }
                assertThat(Arrays.stream(running).sum()).as("seed %d run %d", seed, run).isLessThanOrEqualTo(limit);
            }
            // In the last 20 turns, which are three cycles or more.
            assertThat(Arrays.stream(servedAt).min().orElseThrow()).as("seed %d run %d", seed, run).isGreaterThan(200);
        }
    }

    @Test
    void parts_of_any_demands_add_up_to_the_limit_and_each_worker_has_a_turn_in_two_cycles() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int run = 0; run < 2_000; run++) {
            int limit = 1 + random.nextInt(12);
            List<Demand> members = new ArrayList<>();
            for (int i = random.nextInt(8); i >= 0; i--) {
                members.add(new Demand(random.nextInt(10), 0));
            }
            int[] most = new int[members.size()];
            for (int turn = 0; turn < 2 * members.size(); turn++) {
                List<Integer> parts = parts(limit, members, turn);
                assertThat(parts.stream().mapToInt(each -> each).sum()).as("seed %d", seed).isEqualTo(limit);
                for (int i = 0; i < most.length; i++) {
                    most[i] = Math.max(most[i], parts.get(i));
                }
            }
            for (int i = 0; i < most.length; i++) {
                assertThat(most[i]).as("seed %d limit %d %s", seed, limit, members)
                        .isGreaterThanOrEqualTo(Math.min(1, members.get(i).wanted()));
            }
        }
    }

    @Test
    void a_scheduler_applies_its_part_to_tenants_and_workloads_and_returns_their_demand() {
        FairDispatch<String> dispatch =
                new FairDispatch<>(new DispatchSettings(20, 0, 0, 0, 100, 1 << 20, 100, false));
        TenantPolicy policy = TenantPolicy.of(PolicySettings.DEFAULTS.with(PolicyField.CONCURRENCY, "4"));
        for (int i = 0; i < 6; i++) {
            DispatchTimeline.offer(dispatch, Lane.HOT, "acme", policy, "item-" + i, 0);
        }
        assertThat(dispatch.share(MaxMinSlots.ALONE)).isEqualTo(Map.of("acme", new Demand(6, 4)));

        Map<String, Map<String, Demand>> both =
                Map.of("a", Map.of("acme", new Demand(6, 4)), "b", Map.of("acme", new Demand(9, 0)));
        assertThat(dispatch.share(new MaxMinSlots("a", both, 0))).isEqualTo(Map.of("acme", new Demand(6, 2)));
        assertThat(dispatch.take(true, 0)).isPresent();
        assertThat(dispatch.take(true, 0)).isPresent();
        assertThat(dispatch.take(true, 0)).as("beyond the part").isEmpty();

        dispatch.share(MaxMinSlots.ALONE);
        assertThat(dispatch.take(true, 0)).isPresent();
        assertThat(dispatch.take(true, 0)).isPresent();
        assertThat(dispatch.take(true, 0)).isEmpty();
    }

    private static List<Integer> parts(int limit, List<Demand> demands, long turn) {
        List<Integer> parts = new ArrayList<>();
        for (int i = 0; i < demands.size(); i++) {
            parts.add(shares(i, demands, turn).of("acme", limit));
        }
        return parts;
    }

    private static MaxMinSlots shares(int own, List<Demand> demands, long turn) {
        Map<String, Map<String, Demand>> members = new TreeMap<>();
        for (int i = 0; i < demands.size(); i++) {
            members.put("worker-" + i, Map.of("acme", demands.get(i)));
        }
        return new MaxMinSlots("worker-" + own, members, turn);
    }
}
