package io.spillway.runtime;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.config.IsolationSettings;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.Subscription;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.Topics;
import io.spillway.operator.OperatorAction;
import io.spillway.operator.OperatorActions;
import io.spillway.operator.OperatorException;
import io.spillway.operator.SubscriptionAction;
import io.spillway.producer.ItemBuilder;
import io.spillway.router.RuleExecutor;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Actions of the router's rules, as if an operator took them: with an entry in the action log. */
record RuleActions(OperatorActions actions, IsolationSettings settings, InstantSource clock) implements RuleExecutor {
    private static final String UNREACHABLE = "pauseWhenDown: a delivery's retryFor is over, and no attempt succeeds";
    private static final JsonMapper JSON = new JsonMapper();
    private static final Logger LOG = LoggerFactory.getLogger(RuleActions.class);

    private enum Result { DONE, OBSERVED, REFUSED, FAILED }

    @Override
    public boolean isIsolating() {
        return settings.mode() != IsolationSettings.Mode.OFF;
    }

    @Override
    public boolean mayIsolate(int workers) {
        return isObserving() || workers > 0;
    }

    /** Half of the partitions stay shared; another tenant may need some of the others. */
    @Override
    public boolean isolate(String tenant, int workers, String why) {
        int most = Math.max(1, actions.configuration().topics().partitions() / 4);
        int partitions = Math.clamp(workers, 1, most);
        return act(OperatorAction.SetPolicy.isolate(tenant, partitions, Optional.of(settings.pool()), true),
                OperatorActions.RULE + ": " + why, isObserving()) != Result.FAILED;
    }

    @Override
    public void release(String tenant, String why) {
        if (!isObserving()) {
            act(OperatorAction.SetPolicy.release(tenant), OperatorActions.RULE + ": " + why, false);
        }
    }

    @Override
    public void pause(String tenant, String name, boolean hasListener) {
        Result result = act(new SubscriptionAction.Set(
                tenant, name, Optional.empty(), Map.of(PolicyField.PAUSED, "true")), UNREACHABLE, false);
        if (result == Result.DONE && hasListener) {
            tell(tenant, name);
        }
    }

    private void tell(String tenant, String name) {
        QueueSettings queue = actions.configuration().queue();
        byte[] event = JSON.createObjectNode().put("subscription", name).put("why", UNREACHABLE).toString()
                .getBytes(StandardCharsets.UTF_8);
        try (Producer<byte[], byte[]> producer = new KafkaClients(queue).producer()) {
            producer.send(ItemBuilder.of(tenant).id("paused-" + clock.millis()).workload(Subscription.PAUSED_EVENT)
                    .contentType("application/json").payload(event).toRecord(new Topics(queue).ingress())).get();
        } catch (ExecutionException | KafkaException e) {
            LOG.warn("The event that {} of {} is paused cannot be sent: {}", Printable.of(name), Printable.of(tenant),
                    Printable.onOneLine(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isObserving() {
        return settings.mode() == IsolationSettings.Mode.OBSERVE;
    }

    private Result act(OperatorAction action, String by, boolean isObserved) {
        try {
            String result = isObserved ? actions.observe(action, by) : actions.act(action, by, false).sentence();
            LOG.info("{}, {} {}: {}", by, action.label(), Printable.of(action.tenant()), Printable.of(result));
            return isObserved ? Result.OBSERVED : Result.DONE;
        } catch (OperatorException | KafkaFailure e) {
            LOG.warn("{}, {} {}: {}", by, action.label(), Printable.of(action.tenant()),
                    Printable.onOneLine(e.getMessage()));
            return e instanceof KafkaFailure ? Result.FAILED : Result.REFUSED;
        }
    }
}
