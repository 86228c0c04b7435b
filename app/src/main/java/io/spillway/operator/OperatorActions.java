package io.spillway.operator;

import io.spillway.config.Configuration;
import io.spillway.kafka.topics.Topics;
import java.time.InstantSource;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Actions of operators, for the commands and the HTTP API. Each is written to the action log, also one that is refused.
 * Thread-safe.
 *
 * @param maxCountMillis time after which a count of waiting items ends, incomplete
 * @param random         makes keys; thread-safe
 */
public record OperatorActions(
        OperatorQueue queue, Configuration configuration, ActionRecorder recorder, long maxCountMillis,
        InstantSource clock, RandomGenerator random) {
    /** Beginning of the name under which the isolation rule acts. */
    public static final String RULE = "isolation rule";

    /**
     * Carries out an action.
     *
     * @param by     name of the user for the action log
     * @param dryRun whether to change and record nothing
     * @throws OperatorException if it is refused
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster refuses or does not answer
     */
    public ActionResult act(OperatorAction action, String by, boolean dryRun) {
        try (CompactedStore store = queue.open()) {
            if (dryRun) {
                return act(action, store, true);
            }
            ActionResult result;
            try {
                result = act(action, store, false);
            } catch (OperatorException e) {
                record(store, by, action, "Refused: " + e.getMessage());
                throw e;
            }
            return record(store, by, action, result.sentence()).map(result::withNote).orElse(result);
        }
    }

    /**
     * Records an action that a rule would take, and does not take it; returns what is recorded.
     *
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster refuses or does not answer
     */
    public String observe(OperatorAction action, String by) {
        String result = "Only observed, by router.isolation.mode";
        try (CompactedStore store = queue.open()) {
            return record(store, by, action, result).orElse(result);
        }
    }

    private Optional<String> record(CompactedStore store, String by, OperatorAction action, String result) {
        return recorder.record(store, by, action.label(), action.tenant(), action.options(), result);
    }

    private ActionResult act(OperatorAction action, CompactedStore store, boolean dryRun) {
        PolicyChanges policies = new PolicyChanges(store, configuration, dryRun);
        Topics topics = new Topics(configuration.queue());
        KeyChanges keys = new KeyChanges(store, topics.keys(), dryRun, clock.millis());
        return switch (action) {
            case OperatorAction.SetPolicy set -> policies.set(set);
            case SubscriptionAction.Set subscribe -> policies.subscribe(subscribe);
            case SubscriptionAction.Remove unsubscribe -> policies.unsubscribe(unsubscribe);
            case OperatorAction.ReleaseShard release -> policies.releaseShard(release);
            case OperatorAction.CreateKey create -> keys.create(create, random);
            case OperatorAction.RevokeKeys revoke -> keys.revoke(revoke);
            case OperatorAction.RecordSweep sweep -> Marks.sweep(sweep, dryRun, store, configuration);
            case OperatorAction.Cancel cancel -> Marks.cancel(
                    cancel, dryRun, store, queue, topics.sweeps(), maxCountMillis,
                    clock.millis());
        };
    }
}
