package io.spillway.core.policy;

import io.spillway.core.item.LinearProbing;
import io.spillway.core.item.TenantHash;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The policies of tenants that have one of their own, for look-ups by the million: tenants are known by their
 * {@link TenantHash}, and hash and number of the policy lie side by side in one array with linear probing, so that with
 * 100,000 tenants a look-up waits for memory once, where a map of objects made it wait four times.
 *
 * <p>One thread writes, any number read, without locks. A reader sees each change some time after it is made, and in
 * between the policy before or none. Two tenants of the same hash would share the policy that was put last.
 *
 * <p>Bound: the writer's; 64 to 128 bytes a tenant, and as many different policies as are in use.
 */
public final class PolicyIndex {
    private static final int FIRST_LENGTH = 64;
    private static final TenantPolicy[] NO_POLICIES = {};

    private final long seed;
    private final Map<TenantPolicy, Integer> numbers = new HashMap<>();
    /** Replaced whole when it grows; number 0 stands for none. */
    private volatile Table table = new Table(new long[FIRST_LENGTH], NO_POLICIES);
    private int used;

    /** Even places of the slots hold hashes, the place behind each the number of a policy. */
    private record Table(long[] slots, TenantPolicy[] policies) {}

    /**
     * Makes an empty index.
     *
     * @param seed of the hash; nobody who can name a tenant should know it
     */
    public PolicyIndex(long seed) {
        this.seed = seed;
    }

    /**
     * The policy of a tenant.
     *
     * @param tenant not null
     * @param others what to answer for a tenant without one
     */
    public TenantPolicy of(String tenant, TenantPolicy others) {
        Table now = table;
        long[] slots = now.slots();
        long number = slots[LinearProbing.find(slots, TenantHash.key(tenant, seed)) + 1];
        // The slots are written in place, so a number may be newer than this table's policies.
        TenantPolicy policy = number == 0 || number > now.policies().length ? null : now.policies()[(int) number - 1];
        return policy == null ? others : policy;
    }

    /** Sets a tenant's policy. */
    public void put(String tenant, TenantPolicy policy) {
        long number = numberOf(policy);
        long hash = TenantHash.key(tenant, seed);
        long[] slots = table.slots();
        int at = LinearProbing.find(slots, hash);
        if (slots[at] == 0) {
            used++;
            if (4L * used > slots.length) {
                slots = grown(slots);
                at = LinearProbing.find(slots, hash);
            }
        }
        slots[at + 1] = number;
        slots[at] = hash;
        // A write to the volatile field, so that readers come to see what was written before it.
        table = new Table(slots, table.policies());
    }

    /** Takes a tenant's policy away; its place is kept for it until the index grows. */
    public void remove(String tenant) {
        long[] slots = table.slots();
        int at = LinearProbing.find(slots, TenantHash.key(tenant, seed));
        if (slots[at] != 0) {
            slots[at + 1] = 0;
            table = new Table(slots, table.policies());
        }
    }

    /** Policies that are kept, in use or not. */
    int differentPolicies() {
        return numbers.size();
    }

    private long numberOf(TenantPolicy policy) {
        Integer known = numbers.get(policy);
        if (known != null) {
            return known;
        }
        if (numbers.size() > 64 && numbers.size() > 2 * used) {
            forgetUnused();
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
        for (int at = 0; at < old.length; at += 2) {
            live += old[at + 1] == 0 ? 0 : 1;
        }
        long[] slots = new long[Math.max(FIRST_LENGTH, Integer.highestOneBit(4 * (live + 1)) << 2)];
        for (int at = 0; at < old.length; at += 2) {
            if (old[at + 1] != 0) {
                LinearProbing.copy(old, at, slots);
            }
        }
        used = live + 1;
        return slots;
    }

    /** Policies that were changed often leave numbers that nobody has. */
    private void forgetUnused() {
        Table old = table;
        long[] slots = old.slots().clone();
        numbers.clear();
        TenantPolicy[] kept = new TenantPolicy[old.policies().length];
        for (int at = 0; at < slots.length; at += 2) {
            if (slots[at + 1] != 0) {
                TenantPolicy policy = old.policies()[(int) slots[at + 1] - 1];
                int number = numbers.computeIfAbsent(policy, absent -> numbers.size() + 1);
                kept[number - 1] = policy;
                slots[at + 1] = number;
            }
        }
        table = new Table(slots, kept);
    }
}
