package io.spillway.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PolicyIndexTest {
    private static final TenantPolicy OTHERS = TenantPolicy.of(PolicySettings.NONE_SET);

    @Test
    void it_behaves_like_a_map_for_random_puts_and_removes() {
        long seed = Long.getLong("spillway.test.seed", System.nanoTime());
        Random random = new Random(seed);
        List<TenantPolicy> policies = IntStream.rangeClosed(1, 500).mapToObj(PolicyIndexTest::policy).toList();
        PolicyIndex index = new PolicyIndex(seed);
        Map<String, TenantPolicy> expected = new HashMap<>();
        for (int step = 0; step < 50_000; step++) {
            String tenant = "tenant-" + random.nextInt(2_000);
            if (random.nextInt(3) == 0) {
                index.remove(tenant);
                expected.remove(tenant);
            } else {
                TenantPolicy policy = policies.get(random.nextInt(policies.size()));
                index.put(tenant, policy);
                expected.put(tenant, policy);
            }
        }
        for (int i = 0; i < 2_100; i++) {
            String tenant = "tenant-" + i;
            assertThat(index.of(tenant, OTHERS).policy()).as("seed %d: %s", seed, tenant)
                    .isEqualTo(expected.getOrDefault(tenant, OTHERS));
        }
    }

    @Test
    void unused_policies_are_removed() {
        PolicyIndex index = new PolicyIndex(1);
        for (int change = 1; change <= 10_000; change++) {
            index.put("often", policy(change));
            index.put("once", policy(1));
        }
        assertThat(index.of("often", OTHERS).policy()).isEqualTo(policy(10_000));
        assertThat(index.of("once", OTHERS).policy()).isEqualTo(policy(1));
        assertThat(index.storedPolicies()).isLessThan(100);
    }

    @Test
    void a_concurrent_reader_sees_only_policies_of_its_tenant_or_none() throws Exception {
        PolicyIndex index = new PolicyIndex(7);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicBoolean wrong = new AtomicBoolean();
        Thread reader = new Thread(() -> {
            for (int i = 0; !stop.get(); i = (i + 1) % 1_000) {
                TenantPolicy seen = index.of("tenant-" + i, OTHERS).policy();
                if (seen != OTHERS && seen.concurrency() % 1_000 != i) {
                    wrong.set(true);
                }
            }
        });
        reader.start();
        for (int round = 1; round <= 40; round++) {
            for (int i = 0; i < 1_000; i++) {
                if ((i + round) % 5 == 0) {
                    index.remove("tenant-" + i);
                } else {
                    index.put("tenant-" + i, policy(round * 1_000 + i));
                }
            }
        }
        stop.set(true);
        reader.join();
        assertThat(wrong).isFalse();
    }

    /** A look-up may end at a free slot that another tenant takes before the policy's number is read. */
    @Test
    void a_concurrent_reader_sees_no_policy_for_a_tenant_without_one_while_others_are_set() throws Exception {
        AtomicReference<PolicyIndex> index = new AtomicReference<>(new PolicyIndex(0));
        AtomicBoolean stop = new AtomicBoolean();
        AtomicBoolean wrong = new AtomicBoolean();
        Thread reader = new Thread(() -> {
            while (!stop.get()) {
                if (index.get().of("no-policy", OTHERS).policy() != OTHERS) {
                    wrong.set(true);
                }
            }
        });
        reader.start();
        List<TenantPolicy> policies = IntStream.rangeClosed(1, 12).mapToObj(PolicyIndexTest::policy).toList();
        for (int seed = 1; seed <= 20_000 && !wrong.get(); seed++) {
            PolicyIndex fresh = new PolicyIndex(seed);
            index.set(fresh);
            policies.forEach(policy -> fresh.put("tenant-" + policy.concurrency(), policy));
        }
        stop.set(true);
        reader.join();
        assertThat(wrong).isFalse();
    }

    private static TenantPolicy policy(int concurrency) {
        return TenantPolicy.of(PolicySettings.NONE_SET.with(PolicyField.CONCURRENCY, Integer.toString(concurrency)));
    }
}
