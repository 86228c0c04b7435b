package io.spillway.core.retry;

import java.util.HashMap;
import java.util.Map;

/**
 * The {@link RetryBudget}s of one process by tenant and destination. Thread-safe: the table is its own lock, held for
 * one look-up. Not kept over a restart, which fills every budget once.
 *
 * <p>Bound: {@code maxBudgets} (about 250 bytes each). A full budget that nobody asks says the same as none and leaves the
 * table after a thousand successes, so a healthy system has none. When the table is full, further tenants share one budget until
 * others are full again or {@link #prune} removes them: retries are then scarcer than they need be, never more.
 */
public final class RetryBudgets {
    /** A budget that nobody asked for so long is forgotten: that gives away its cap once, far less than the trickle would. */
    static final long IDLE_MILLIS = 600_000;

    private final int maxBudgets;
    private final RetryBudget.Settings settings;
    private final Map<Key, RetryBudget> budgets = new HashMap<>();
    private final RetryBudget shared;
    private long sharedAsks;

    private record Key(String tenant, String destination) {}

    /**
     * Makes a table in which every budget is full.
     *
     * @param maxBudgets most budgets at one time, 1 or more
     * @param settings   of each budget, not null
     * @throws IllegalArgumentException when there is no room for one
     */
    public RetryBudgets(int maxBudgets, RetryBudget.Settings settings) {
        if (maxBudgets < 1) {
            throw new IllegalArgumentException("maxBudgets = " + maxBudgets + ": must be 1 or more");
        }
        this.maxBudgets = maxBudgets;
        this.settings = settings;
        shared = new RetryBudget(settings);
    }

    /**
     * Asks for one retry, just before it is made.
     *
     * @param tenant      not null
     * @param destination where the handler sends its items, as the worker names it; not null
     * @param nowMillis   epoch milliseconds
     */
    public synchronized RetryBudget.Answer ask(String tenant, String destination, long nowMillis) {
        Key key = new Key(tenant, destination);
        RetryBudget budget = budgets.get(key);
        if (budget == null && budgets.size() < maxBudgets) {
            budget = new RetryBudget(settings);
            budgets.put(key, budget);
        }
        if (budget == null) {
            sharedAsks++;
            return shared.ask(nowMillis);
        }
        return budget.ask(nowMillis);
    }

    /** An attempt, the first or a retry, has succeeded. */
    public synchronized void succeeded(String tenant, String destination) {
        if (budgets.isEmpty()) {
            return;
        }
        Key key = new Key(tenant, destination);
        RetryBudget budget = budgets.get(key);
        if (budget != null) {
            budget.succeeded();
            if (budget.isOver()) {
                budgets.remove(key);
            }
        } else if (budgets.size() >= maxBudgets) {
            shared.succeeded();
        }
    }

    /** An attempt, the first or a retry, has failed. */
    public synchronized void failed(String tenant, String destination) {
        if (budgets.isEmpty()) {
            return;
        }
        RetryBudget budget = budgets.get(new Key(tenant, destination));
        if (budget != null) {
            budget.failed();
        } else if (budgets.size() >= maxBudgets) {
            shared.failed();
        }
    }

    /** Retries that would be granted now without the trickle; the cap for a tenant that has no budget of its own. */
    public synchronized double tokens(String tenant, String destination) {
        RetryBudget budget = budgets.get(new Key(tenant, destination));
        return budget == null ? settings.capTokens() : budget.tokens();
    }

    /**
     * Forgets budgets that nobody has asked for ten minutes. Call it every minute or so.
     *
     * @param nowMillis epoch milliseconds
     */
    public synchronized void prune(long nowMillis) {
        budgets.values().removeIf(budget -> budget.lastAskedMillis() < nowMillis - IDLE_MILLIS);
    }

    /** Budgets that retries were asked of lately. */
    public synchronized int size() {
        return budgets.size();
    }

    /** Retries asked of the shared budget since the start, because the table was full. */
    public synchronized long sharedAsks() {
        return sharedAsks;
    }
}
