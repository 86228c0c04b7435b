package io.spillway.core.retry;

import java.util.HashMap;
import java.util.Map;

/**
 * {@link RetryBudget}s of one process by tenant and destination. Thread-safe: the table is its own lock, held for one
 * look-up. Not persistent: a restart fills every budget once.
 *
 * <p>Bound: {@code maxBudgets}, about 250 bytes each. A full budget leaves the table after a thousand successes without
 * a retry, so a healthy system has none. When the table is full, further tenants share one budget until others are full
 * again or {@link #prune} removes them. Retries are then fewer than necessary, never more.
 */
public final class RetryBudgets {
    /** An unused budget is removed after this time. That grants its cap once, far less than the trickle would. */
    static final long IDLE_MILLIS = 600_000;

    private final int maxBudgets;
    private final RetryBudget.Settings settings;
    private final Map<Key, RetryBudget> budgets = new HashMap<>();
    private final RetryBudget shared;

    private record Key(String tenant, String destination) {}

    /**
     * Creates a table in which every budget is full.
     *
     * @param maxBudgets most budgets at one time, 1 or more
     * @param settings   of each budget
     */
    public RetryBudgets(int maxBudgets, RetryBudget.Settings settings) {
        if (maxBudgets < 1) {
            throw new IllegalArgumentException("maxBudgets = " + maxBudgets + ": must be 1 or more");
        }
        this.maxBudgets = maxBudgets;
        this.settings = settings;
        shared = new RetryBudget(settings);
    }

    /** Requests one retry, just before it is made, to a destination as named by the worker. */
    public synchronized RetryBudget.Answer ask(String tenant, String destination, long nowMillis) {
        Key key = new Key(tenant, destination);
        RetryBudget budget = budgets.get(key);
        if (budget == null && budgets.size() < maxBudgets) {
            budget = new RetryBudget(settings);
            budgets.put(key, budget);
        }
        return (budget == null ? shared : budget).ask(nowMillis);
    }

    /** Records the success of an attempt, the first or a retry. */
    public synchronized void succeeded(String tenant, String destination) {
        if (budgets.isEmpty()) {
            return;
        }
        Key key = new Key(tenant, destination);
        RetryBudget budget = budgets.get(key);
        if (budget != null) {
            budget.succeeded();
            if (budget.isForgettable()) {
                budgets.remove(key);
            }
        } else if (budgets.size() >= maxBudgets) {
            shared.succeeded();
        }
    }

    /** Records the failure of an attempt, the first or a retry. */
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

    /** Returns the retries available without the trickle; the cap for a tenant without its own budget. */
    public synchronized double tokens(String tenant, String destination) {
        RetryBudget budget = budgets.get(new Key(tenant, destination));
        return budget == null ? settings.capTokens() : budget.tokens();
    }

    /** Removes budgets that were not used for ten minutes. Call it about every minute. */
    public synchronized void prune(long nowMillis) {
        budgets.values().removeIf(budget -> budget.lastAskedMillis() < nowMillis - IDLE_MILLIS);
    }

    /** Returns how many tenants and destinations have their own budget. */
    public synchronized int size() {
        return budgets.size();
    }
}
