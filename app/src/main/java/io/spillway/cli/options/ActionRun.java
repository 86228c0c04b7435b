package io.spillway.cli.options;

import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.Terminal;
import io.spillway.config.Configuration;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import io.spillway.operator.ActionRecorder;
import io.spillway.operator.ActionResult;
import io.spillway.operator.KafkaQueue;
import io.spillway.operator.OperatorAction;
import io.spillway.operator.OperatorActions;
import io.spillway.runtime.CompactedTopics;
import io.spillway.runtime.ViewProgress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Access of one command to a queue whose cluster answers, and its changes with their entries in the action log. */
public record ActionRun(CommonOptions common, Configuration configuration) {
    /** @param needed selects the topics that must exist besides the action log */
    public static ActionRun with(CommonOptions common, Function<Topics, List<String>> needed) {
        return new ActionRun(common, common.configurationWithCluster(topics -> {
            List<String> all = new ArrayList<>(needed.apply(topics));
            all.add(topics.actions());
            return all;
        }));
    }

    /** @param needed selects the topics that must exist, of a command that changes nothing */
    public static ActionRun reading(CommonOptions common, Function<Topics, List<String>> needed) {
        return new ActionRun(common, common.configurationWithCluster(needed));
    }

    /** Returns the topics of the queue. */
    public Topics names() {
        return new Topics(configuration.queue());
    }

    /** Returns the content of a compacted topic. */
    public <C extends ViewContent<?>> C read(String topic, C content) {
        try (CompactedTopics topics = new CompactedTopics(configuration, common.clock())) {
            return topics.read(topic, content);
        }
    }

    /** Returns the policies of all tenants. */
    public TenantPolicies policies() {
        return read(names().policies(), new TenantPolicies(configuration.defaults()));
    }

    /**
     * Stores values by key, in the order of the map.
     *
     * @param values one or more; null removes a key
     * @return the last change
     */
    public RecordMetadata write(String topic, Map<String, byte[]> values) {
        try (CompactedTopics topics = new CompactedTopics(configuration, common.clock())) {
            return topics.write(topic, values);
        }
    }

    /**
     * Waits until every running instance has applied a change. Call it last: it may fail or be interrupted, and the
     * change has still happened.
     */
    public void await(RecordMetadata change) {
        ViewProgress.await(configuration, change, common.clock(), common.printer());
    }

    /** Returns access to the queue. */
    public KafkaQueue queue() {
        return new KafkaQueue(
                configuration, common.clock(), () -> new CompactedTopics(configuration, common.clock()));
    }

    /**
     * Carries out an action and prints its notes and its result.
     *
     * @param dryRun whether to change nothing
     * @param wait   whether to wait until every running instance has applied it
     */
    public void act(OperatorAction action, boolean dryRun, boolean wait) {
        act(action, dryRun, wait, ActionResult::sentence);
    }

    /** Does the same, with another text than the sentence. */
    public void act(OperatorAction action, boolean dryRun, boolean wait, Function<ActionResult, String> text) {
        OperatorActions actions = new OperatorActions(
                queue(), configuration, recorder(), Long.MAX_VALUE, common.clock(), new SecureRandom());
        ActionResult result = actions.act(action, Terminal.user(), dryRun);
        Printer printer = common.printer();
        result.notes().forEach(printer::note);
        printer.result(result.json(), text.apply(result));
        if (wait) {
            result.stored().ifPresent(this::await);
        }
    }

    /** Writes to the action log what a command has done. */
    public void record(String action, String tenant, Map<String, ?> options, String result) {
        try (CompactedTopics store = new CompactedTopics(configuration, common.clock())) {
            recorder().record(store, Terminal.user(), action, tenant, options, result)
                    .ifPresent(common.printer()::note);
        }
    }

    private ActionRecorder recorder() {
        return new ActionRecorder(
                names().actions(), common.clock(), new SecureRandom()::nextLong);
    }
}
