package io.spillway.core.engine;

import io.spillway.core.progress.SuspectDecision;
import io.spillway.core.progress.SuspectRules;
import java.util.function.Predicate;

/**
 * Decides which suspects run next, and convicts those with which too many workers died.
 *
 * <p>Owner: the {@link WorkerEngine}. It has no state of its own.
 */
final class SuspectTrials<T extends EngineItem, A extends EngineAttempt<T>> {
    private final Quarantine<T> quarantine;
    private final Settlement<T, A> settlement;
    private final RunningAttempts<T, A> running;
    private final EngineEffects<T, A> effects;
    private final int killerDeaths;

    SuspectTrials(
            Quarantine<T> quarantine, Settlement<T, A> settlement, RunningAttempts<T, A> running,
            EngineEffects<T, A> effects, int killerDeaths) {
        this.quarantine = quarantine;
        this.settlement = settlement;
        this.running = running;
        this.effects = effects;
        this.killerDeaths = killerDeaths;
    }

    /**
     * Decides on suspects until one is marked to run alone, or a few of each partition to run beside each other.
     *
     * @param isReady whether an item can go on; the others are removed
     */
    void decide(Predicate<T> isReady, long nowMillis, long nowNanos) {
        quarantine.forEachNext(nowMillis, nowNanos,
                suspect -> decision(suspect, false) instanceof SuspectDecision.Convict,
                suspect -> judge(suspect, isReady, nowMillis, nowNanos));
        if (quarantine.extendGroups(nowMillis, isReady)) {
            effects.commitWanted(nowNanos);
        }
    }

    private void judge(T suspect, Predicate<T> isReady, long nowMillis, long nowNanos) {
        if (!isReady.test(suspect)) {
            return;
        }
        boolean isolate = quarantine.hasConvicted(suspect.tenant(), nowMillis) && !running.hasTenant(suspect.tenant());
        switch (decision(suspect, isolate)) {
            case SuspectDecision.RunAlone alone -> {
                quarantine.mark(suspect, alone.mark());
                effects.commitWanted(nowNanos);
            }
            case SuspectDecision.Convict convict -> {
                settlement.convict(suspect, convict, nowMillis);
                quarantine.convicted(suspect.tenant(), nowMillis);
            }
        }
    }

    private SuspectDecision decision(T suspect, boolean isolate) {
        return SuspectRules.decide(
                suspect.offset(), suspect.partition().progress.takenOverMark(), killerDeaths, isolate);
    }
}
