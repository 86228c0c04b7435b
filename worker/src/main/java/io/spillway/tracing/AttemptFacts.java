package io.spillway.tracing;

import java.util.OptionalLong;

/**
 * What the span of an attempt says of its item. Texts are not null.
 *
 * @param topic         topic of the lane
 * @param offset        of the record in its partition; negative if it is not committed yet
 * @param group         consumer group of the workers
 * @param workload      empty for none
 * @param id            id of the item
 * @param valueBytes    size of the record's value
 * @param reason        why the item is in its lane
 * @param attempt       number of the attempt, from 1
 * @param ageMillis     time from the item's creation, or from the time for its first attempt, to this attempt
 * @param ingressMillis time from the item's creation until Kafka had stored it
 * @param delayMillis   last wait in the delay lane; empty if it is unknown, or there was none
 * @param laneMillis    time from its entry, or from when it was due, to this attempt; empty if it is unknown
 */
public record AttemptFacts(
        String topic, int partition, long offset, String group, String tenant, String workload, String id,
        long valueBytes, String lane, String reason, int attempt, long ageMillis, long ingressMillis,
        OptionalLong delayMillis, OptionalLong laneMillis) {}
