package io.spillway.cli.options;

import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.Terminal;
import io.spillway.config.Configuration;
import io.spillway.kafka.topics.Topics;
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

/** Change of one command on a cluster that answers, with its entry in the action log. */
public record ActionRun(CommonOptions common, Configuration configuration) {
    /** @param needed selects the topics that must exist besides the action log */
    public static ActionRun with(CommonOptions common, Function<Topics, List<String>> needed) {
        return new ActionRun(common, common.configurationWithCluster(topics -> {
            List<String> all = new ArrayList<>(needed.apply(topics));
            all.add(topics.actions());
            return all;
        }));
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
        OperatorActions actions =
                new OperatorActions(queue(), configuration, recorder(), Long.MAX_VALUE, common.clock());
        ActionResult result = actions.act(action, Terminal.user(), dryRun);
        if (wait) {
            result.stored().ifPresent(
                    record -> ViewProgress.await(configuration, record, common.clock(), common.printer()));
        }
        Printer printer = common.printer();
        result.notes().forEach(printer::note);
        printer.result(result.json(), result.sentence());
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
                new Topics(configuration.queue()).actions(), common.clock(), new SecureRandom()::nextLong);
    }
}
