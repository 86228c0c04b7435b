package io.spillway.core.policy;

import io.spillway.core.hashing.TenantHash;

/**
 * Tenant of an item with what is looked up once for all rules: the hash of its name and its policy.
 *
 * @param name   of the tenant; empty for a record that could not be read
 * @param hash   {@link TenantHash#key} of the name, with one seed for all tables of a process
 * @param policy in force for the tenant
 */
public record TenantContext(String name, long hash, TenantPolicy policy) {
    /** Returns the context of a tenant whose policy is known. */
    public static TenantContext of(String name, long seed, TenantPolicy policy) {
        return new TenantContext(name, TenantHash.key(name, seed), policy);
    }
}
