package io.spillway.worker;

import io.spillway.policy.AttemptResult;
import io.spillway.policy.AttemptRules;
import io.spillway.policy.DeadReason;
import io.spillway.policy.Lane;
import io.spillway.policy.LaneReason;
import io.spillway.policy.NextStep;
import io.spillway.policy.Place;
import io.spillway.policy.RetryBudget;
import io.spillway.policy.RetryBudgets;
import io.spillway.policy.Route;
import io.spillway.policy.Mark;
import io.spillway.policy.SuspectDecision;
import io.spillway.policy.SuspectRules;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Carries out what the rules say becomes of an item after an attempt, and whether a retry may be made at all. Called
 * under the lock of {@link WorkerCore}, which owns its state with it.
 */
final class Settlement {
    /** One handler, one destination: what it reaches behind that is its own affair. */
    static final String DESTINATION = "handler";

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
        return switch (budgets.ask(item.tenant(), DESTINATION, nowMillis)) {
            case RetryBudget.Answer.Granted granted -> {
                metrics.retryAsked(item.tenant(), true);
                yield true;
            }
            case RetryBudget.Answer.Wait wait -> {
                item.home().settle(item.offset(), item.tenant(), Lane.DELAY,
                        moves.later(item, LaneReason.RETRY_BUDGET, wait.untilMillis(), item.moves()));
                metrics.moved(Lane.DELAY, LaneReason.RETRY_BUDGET);
                metrics.retryAsked(item.tenant(), false);
                yield false;
            }
        };
    }

    /** What becomes of an item whose attempt is over. */
    void settle(Attempt attempt, AttemptEnd end, long nowMillis) {
        LaneItem item = attempt.item;
        if (end.result() instanceof AttemptResult.Failed || end.result() instanceof AttemptResult.TimedOut) {
            budgets.failed(item.tenant(), DESTINATION);
        }
        NextStep next = AttemptRules.nextStep(end.result(), item.attempts(), attempt.policy, 0, random, nowMillis);
        switch (next) {
            case NextStep.Done done -> {
                budgets.succeeded(item.tenant(), DESTINATION);
                item.home().settle(item.offset(), item.tenant(), Place.DONE);
            }
            case NextStep.DeadLetter dead -> {
                item.home().settle(item.offset(), item.tenant(), Lane.DEAD_LETTER, moves.dead(
                        item, new Route.DeadLetter(dead.reason(), dead.detail()), dead.attempts(), nowMillis));
                metrics.deadLettered(dead.reason());
            }
            case NextStep.Delay delay ->
                item.home().settle(item.offset(), item.tenant(), Lane.DELAY,
                        moves.retry(item, delay.attempts(), delay.dueMillis(), attempt.startedAtMillis));
            case NextStep.GiveBack giveBack -> { }
        }
    }

    /**
     * What the rules say of a suspect: one that workers died with alone often enough is a dead letter.
     *
     * @return the mark to run it alone with; empty when it is convicted
     */
    Optional<Mark> judge(LaneItem suspect, int killerDeaths, long nowMillis) {
        OwnedPartition home = suspect.home();
        return switch (SuspectRules.decide(suspect.offset(), home.progress.takenOverMark(), killerDeaths)) {
            case SuspectDecision.RunAlone alone -> Optional.of(alone.mark());
            case SuspectDecision.RunFreely freely -> throw new IllegalStateException("suspicion is turned off");
            case SuspectDecision.Convict convict -> {
                Route.DeadLetter why = new Route.DeadLetter(
                        DeadReason.KILLED_WORKER, convict.deaths() + " workers died with it alone");
                home.settle(suspect.offset(), suspect.tenant(), Lane.DEAD_LETTER, moves.dead(suspect, why, suspect.attempts(), nowMillis));
                metrics.deadLettered(DeadReason.KILLED_WORKER);
                yield Optional.empty();
            }
        };
    }
}
