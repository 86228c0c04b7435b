package io.spillway.worker;

import io.spillway.policy.AttemptRules;
import io.spillway.policy.DeadReason;
import io.spillway.policy.LaneReason;
import io.spillway.policy.NextStep;
import io.spillway.policy.RetryBudget;
import io.spillway.policy.RetryBudgets;
import io.spillway.policy.Route;
import io.spillway.policy.SuspectRules;
import io.spillway.policy.Mark;
import io.spillway.policy.TenantPolicy;
import java.util.random.RandomGenerator;

/**
 * Carries out what the rules say becomes of an item after an attempt, and whether a retry may be made at all. Called
 * under the lock of {@link WorkerCore}, which owns its state with it.
 */
final class Settlement {
    private final Moves moves;
    private final RetryBudgets budgets;
    private final WorkerMetrics metrics;
    private final RandomGenerator random;

    Settlement(Moves moves, RetryBudgets budgets, WorkerMetrics metrics, RandomGenerator random) {
        this.moves = moves;
        this.budgets = budgets;
        this.metrics = metrics;
        this.random = random;
    }

    /** Whether an item may be attempted now: a retry needs its tenant's budget, else it waits in the delay lane. */
    boolean mayAttempt(LaneItem item, long nowMillis) {
        if (item.attempts() == 0) {
            return true;
        }
        return switch (budgets.tryRetry(item.tenant(), nowMillis)) {
            case RetryBudget.Granted granted -> true;
            case RetryBudget.Wait wait -> {
                item.home().settle(item.offset(), moves.later(item, LaneReason.RETRY_BUDGET, wait.untilMillis(), item.moves()));
                metrics.moved(io.spillway.policy.Lane.DELAY, LaneReason.RETRY_BUDGET);
                yield false;
            }
        };
    }

    /** What becomes of an item whose attempt is over. */
    void settle(Attempt attempt, AttemptEnd end, TenantPolicy policy, long nowMillis) {
        LaneItem item = attempt.item;
        metrics.ended(attempt, end);
        NextStep next = AttemptRules.next(end.result(), item.attempts(), policy, random, nowMillis);
        switch (next) {
            case NextStep.Done done -> {
                budgets.succeeded(item.tenant(), nowMillis);
                item.home().settle(item.offset());
            }
            case NextStep.DeadLetter dead -> {
                item.home().settle(item.offset(), moves.dead(
                        item, new Route.DeadLetter(dead.reason(), dead.detail()), item.attempts() + 1, nowMillis));
                metrics.deadLettered(dead.reason());
            }
            case NextStep.Delay delay ->
                item.home().settle(item.offset(), moves.retry(item, delay.attempts(), delay.dueMillis(), attempt.startedAtMillis));
            case NextStep.GiveBack giveBack -> { }
        }
    }

    /** Whether a suspect has been alone with the death of a worker often enough; then it is a dead letter. */
    boolean convicts(LaneItem item, int killerDeaths, long nowMillis) {
        Mark mark = markOf(item);
        if (!SuspectRules.convicts(mark, killerDeaths)) {
            return false;
        }
        item.home().settle(item.offset(), moves.dead(
                item,
                new Route.DeadLetter(DeadReason.KILLED_WORKER, mark.deaths() + " workers died with it alone"),
                item.attempts(),
                nowMillis));
        metrics.deadLettered(DeadReason.KILLED_WORKER);
        return true;
    }

    /** The mark to set before a suspect runs: with the deaths of those that died with it marked before. */
    Mark markOf(LaneItem item) {
        return SuspectRules.markOf(item.offset(), item.home().progress.inheritedMark());
    }
}
