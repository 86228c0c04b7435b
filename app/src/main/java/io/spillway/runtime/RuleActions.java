package io.spillway.runtime;

import io.spillway.config.IsolationSettings;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.operator.OperatorAction;
import io.spillway.operator.OperatorActions;
import io.spillway.operator.OperatorException;
import io.spillway.router.Isolator;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Actions of the isolation rule, as if an operator took them: with an entry in the action log. */
record RuleActions(OperatorActions actions, IsolationSettings settings) implements Isolator {
    private static final Logger LOG = LoggerFactory.getLogger(RuleActions.class);

    @Override
    public boolean mayIsolate(int workers) {
        return isObserving() || workers > 0;
    }

    /** Half of the partitions stay shared; another tenant may need some of the others. */
    @Override
    public void isolate(String tenant, int workers, String why) {
        int most = Math.max(1, actions.configuration().topics().partitions() / 4);
        int partitions = Math.clamp(workers, 1, most);
        act(OperatorAction.SetPolicy.isolate(tenant, partitions, Optional.of(settings.pool()), true), why);
    }

    @Override
    public void release(String tenant, String why) {
        if (!isObserving()) {
            act(OperatorAction.SetPolicy.release(tenant), why);
        }
    }

    private boolean isObserving() {
        return settings.mode() == IsolationSettings.Mode.OBSERVE;
    }

    private void act(OperatorAction action, String why) {
        String by = OperatorActions.RULE + ": " + why;
        try {
            String result = isObserving() ? actions.observe(action, by) : actions.act(action, by, false).sentence();
            LOG.info("{}, {} {}: {}", by, action.label(), Printable.of(action.tenant()), Printable.of(result));
        } catch (OperatorException | KafkaFailure e) {
            LOG.warn("{}, {} {}: {}", by, action.label(), Printable.of(action.tenant()),
                    Printable.onOneLine(e.getMessage()));
        }
    }
}
