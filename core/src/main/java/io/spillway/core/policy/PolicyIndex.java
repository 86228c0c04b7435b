package io.spillway.core.policy;

import io.spillway.core.hashing.LinearProbing;
import io.spillway.core.hashing.TenantHash;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Policies of the tenants that have their own, by {@link TenantHash}. Hash and policy number share one array
 * ({@link LinearProbing}), so a look-up among 100,000 tenants costs one cache miss, where a map of objects costs four.
 *
 * <p>One thread writes, any number of threads read without locks. A reader sees a change after a delay; until then it
 * sees the previous policy or none. Two tenants with the same hash share the policy that was put last.
 *
 * <p>Bound: the writer's; 64 to 128 bytes a tenant, and as many different policies as are in use.
 */
public final class PolicyIndex {
    private static final int FIRST_LENGTH = 64;
    private static final TenantPolicy[] NO_POLICIES = {};

    private final long seed;
    private final Map<TenantPolicy, Integer> numbers = new HashMap<>();
    /** Replaced as a whole when it grows; policy number 0 means none. */
    private volatile Table table = new Table(new long[FIRST_LENGTH], NO_POLICIES);
    private int used;

    /** Slots as in {@link LinearProbing}, with the number of a policy for each hash. */
    private record Table(long[] slots, TenantPolicy[] policies) {}

    /** Creates an empty index with a seed of {@link TenantHash}. */
    public PolicyIndex(long seed) {
        this.seed = seed;
    }

    /** Returns a tenant with its policy, or with {@code others} when it has none of its own. */
    public TenantContext of(String tenant, TenantPolicy others) {
        Table now = table;
        long[] slots = now.slots();
        long hash = TenantHash.key(tenant, seed);
        int slot = LinearProbing.find(slots, hash);
        // The look-up may end at a free slot that another tenant has taken since.
        long number = slots[slot] == hash ? slots[slot + 1] : 0;
        // The slots are written in place, so a number may be newer than this table's policies.
        TenantPolicy policy = number == 0 || number > now.policies().length ? null : now.policies()[(int) number - 1];
        return new TenantContext(tenant, hash, policy == null ? others : policy);
    }

    /** Sets a tenant's policy. */
    public void put(String tenant, TenantPolicy policy) {
        long number = numberOf(policy);
        long hash = TenantHash.key(tenant, seed);
        long[] slots = table.slots();
        int slot = LinearProbing.find(slots, hash);
        if (slots[slot] == 0) {
            used++;
            if (4L * used > slots.length) {
                slots = grown(slots);
                slot = LinearProbing.find(slots, hash);
            }
        }
        slots[slot + 1] = number;
        slots[slot] = hash;
        // This volatile write publishes the slots to readers.
        table = new Table(slots, table.policies());
    }

    /** Removes a tenant's policy. Its slot stays reserved until the index grows. */
    public void remove(String tenant) {
        long[] slots = table.slots();
        int slot = LinearProbing.find(slots, TenantHash.key(tenant, seed));
        if (slots[slot] != 0) {
            slots[slot + 1] = 0;
            table = new Table(slots, table.policies());
        }
    }

    /** Returns the number of stored policies, in use or not. */
    int storedPolicies() {
        return numbers.size();
    }

    private long numberOf(TenantPolicy policy) {
        Integer known = numbers.get(policy);
        if (known != null) {
            return known;
        }
        if (numbers.size() > 64 && numbers.size() > 2 * used) {
            compact();
        }
        TenantPolicy[] policies = table.policies();
        int number = numbers.size() + 1;
        if (number > policies.length) {
            policies = Arrays.copyOf(policies, 2 * number);
        }
        policies[number - 1] = policy;
        numbers.put(policy, number);
        table = new Table(table.slots(), policies);
        return number;
    }

    private long[] grown(long[] old) {
        int live = 0;
        for (int slot = 0; slot < old.length; slot += 2) {
            live += old[slot + 1] == 0 ? 0 : 1;
        }
        used = live + 1;
        int length = Math.max(FIRST_LENGTH, Integer.highestOneBit(4 * (live + 1)) << 2);
        return LinearProbing.rehash(old, length, number -> number != 0);
    }

    /** Compacts the numbers: frequent changes leave policies that no tenant uses. */
    private void compact() {
        Table old = table;
        long[] slots = old.slots().clone();
        numbers.clear();
        TenantPolicy[] kept = new TenantPolicy[old.policies().length];
        for (int slot = 0; slot < slots.length; slot += 2) {
            if (slots[slot + 1] != 0) {
                TenantPolicy policy = old.policies()[(int) slots[slot + 1] - 1];
                int number = numbers.computeIfAbsent(policy, absent -> numbers.size() + 1);
                kept[number - 1] = policy;
                slots[slot + 1] = number;
            }
        }
        table = new Table(slots, kept);
    }
}
