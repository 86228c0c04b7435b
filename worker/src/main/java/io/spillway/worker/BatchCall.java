package io.spillway.worker;

import io.spillway.core.retry.AttemptRules;
import io.spillway.handler.BatchHandler;
import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Calls of a {@link BatchHandler} for several items, and what each item has from one. */
final class BatchCall {
    private BatchCall() {}

    /** As {@link BatchHandler#maxItems}, whatever the handler does. */
    static int maxItems(BatchHandler handler, String workload) {
        try {
            return Math.clamp(handler.maxItems(workload), 1, BatchHandler.MOST_ITEMS);
        } catch (RuntimeException e) {
            return 1;
        }
    }

    /**
     * Calls the handler for all attempts that have a destination.
     *
     * @param instead returns the result of an attempt that the handler does not get, and else sets its destination
     * @return the result of each; {@link Attempt#isJudged} is false where the whole call failed
     */
    static List<Outcome> run(
            List<Attempt> attempts, BatchHandler handler, Function<Attempt, Optional<Outcome>> instead) {
        List<Outcome> results = new ArrayList<>(Collections.nCopies(attempts.size(), null));
        List<Integer> called = new ArrayList<>(attempts.size());
        List<Delivery> deliveries = new ArrayList<>(attempts.size());
        for (int i = 0; i < attempts.size(); i++) {
            Optional<Outcome> result = instead.apply(attempts.get(i));
            if (result.isPresent()) {
                results.set(i, result.get());
            } else {
                called.add(i);
                deliveries.add(attempts.get(i));
            }
        }
        if (called.isEmpty()) {
            return results;
        }
        List<Outcome> returned = call(handler, deliveries, called.stream().map(attempts::get).toList());
        for (int i = 0; i < called.size(); i++) {
            results.set(called.get(i), returned.get(i));
        }
        return results;
    }

    private static List<Outcome> call(BatchHandler handler, List<Delivery> deliveries, List<Attempt> attempts) {
        String what = "A call for " + attempts.size() + " items failed: ";
        try {
            List<Outcome> returned = handler.handleAll(Collections.unmodifiableList(deliveries));
            if (returned != null && returned.size() == attempts.size()) {
                return returned.stream().map(AttemptRules::ofHandler).toList();
            }
            return failed(attempts, attempt -> Outcome.retry(what + "The handler returned "
                    + (returned == null ? "null" : returned.size() + " outcomes")
                    + ". It must return one for each item, in their order."));
        } catch (Throwable e) {
            return failed(attempts, attempt -> AttemptRunner.failed(attempt, what, e));
        }
    }

    private static List<Outcome> failed(List<Attempt> attempts, Function<Attempt, Outcome> result) {
        attempts.forEach(attempt -> attempt.isJudged = attempts.size() == 1);
        return attempts.stream().map(result).toList();
    }
}
