package io.spillway.router.route;

import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.LoweredLimits;
import io.spillway.router.ledger.CommitRequester;
import io.spillway.router.ledger.LedgerRecorder;

/** What the tasks of a process share that forward items to lanes. */
public record LaneServices(
        Topics topics, LoweredLimits limits, RouterMetrics metrics, LedgerRecorder recorder,
        CommitRequester commitRequester, EarlyStart early) {}
