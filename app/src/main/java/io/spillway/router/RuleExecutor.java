package io.spillway.router;

/** Carries out what the router's rules decide, or only records it. What fails is logged, and not thrown. */
public interface RuleExecutor {
    /** Returns whether the isolation rule decides anything. */
    boolean isIsolating();

    /** Returns whether it isolates a tenant when there are so many workers for it, 0 or more. */
    boolean mayIsolate(int workers);

    /**
     * Isolates a tenant. Returns false if Kafka failed, so that it has to be tried again.
     *
     * @param workers number of live workers in the pool, 0 or more
     * @param why     cause, as a clause
     */
    boolean isolate(String tenant, int workers, String why);

    /** Releases a tenant, for a cause. */
    void release(String tenant, String why);

    /**
     * Pauses a subscription.
     *
     * @param hasListener whether another subscription of the tenant is to get an event that says so
     */
    void pause(String tenant, String name, boolean hasListener);
}
