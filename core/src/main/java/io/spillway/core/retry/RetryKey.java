package io.spillway.core.retry;

/**
 * What a retry budget belongs to: a tenant at a destination.
 *
 * @param destination as the handler names it; empty for a handler with one destination
 * @param tenant      name of the tenant; empty for all tenants that are not counted by themselves
 */
public record RetryKey(String destination, String tenant) {
    /** Key of what exceeds the bound of a table. */
    public static final RetryKey OTHERS = new RetryKey("", "");

    /** Returns the key of all tenants of a destination that are not counted by themselves. */
    public static RetryKey othersOf(String destination) {
        return destination.isEmpty() ? OTHERS : new RetryKey(destination, "");
    }
}
