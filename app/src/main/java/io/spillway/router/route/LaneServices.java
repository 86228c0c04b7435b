package io.spillway.router.route;

import io.spillway.core.retry.UnreachableSubscriptions;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.LoweredLimits;
import io.spillway.router.ledger.CommitRequester;
import io.spillway.router.ledger.LedgerRecorder;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What the tasks of a process share that forward items to lanes.
 *
 * @param unreachable is told of deliveries that were retried until their end
 * @param tracked     whether the trail follows each move of a tenant's items
 * @param source      name of the source whose records they are; empty for the router's own stages
 */
public record LaneServices(
        Topics topics, LoweredLimits limits, RouterMetrics metrics, LedgerRecorder recorder,
        CommitRequester commitRequester, EarlyStart early, UnreachableSubscriptions unreachable,
        Predicate<String> tracked, Optional<String> source) {}
