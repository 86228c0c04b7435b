package io.spillway.kafka.codec;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Headers;

/** Names of the record headers. They are part of the public format. */
public final class ItemHeaders {
    /** Prefix of every header of Spillway, for a quick first test. */
    static final String PREFIX = "spillway-";

    /** Set by producers; they take precedence over the fields of the value. */
    public static final String TENANT = "spillway-tenant";
    public static final String ID = "spillway-id";
    public static final String ENQUEUED_AT = "spillway-enqueued-at";
    public static final String WORKLOAD = "spillway-workload";

    /** Set only by Spillway, while an item moves through the lanes. */
    public static final String ATTEMPT = "spillway-attempt";
    public static final String DUE = "spillway-due";
    public static final String LANE_REASON = "spillway-lane-reason";
    public static final String ORIGIN = "spillway-origin";
    public static final String MOVES = "spillway-moves";
    public static final String FIRST_ATTEMPT_AT = "spillway-first-attempt-at";
    public static final String REPLAYED_AT = "spillway-replayed-at";

    /** Set only by Spillway, on dead letters. */
    public static final String DEAD_REASON = "spillway-dead-reason";
    public static final String DEAD_DETAIL = "spillway-dead-detail";
    public static final String DEAD_STAGE = "spillway-dead-stage";
    public static final String DEAD_AT = "spillway-dead-at";
    public static final String ORIGIN_TOPIC = "spillway-origin-topic";
    public static final String ORIGIN_PARTITION = "spillway-origin-partition";
    public static final String ORIGIN_OFFSET = "spillway-origin-offset";

    private static final List<String> OF_DEAD_LETTERS =
            List.of(DEAD_REASON, DEAD_DETAIL, DEAD_STAGE, DEAD_AT, ORIGIN_TOPIC, ORIGIN_PARTITION, ORIGIN_OFFSET);
    private static final Set<String> INTERNAL = Set.copyOf(Stream.concat(
            OF_DEAD_LETTERS.stream(),
            Stream.of(ATTEMPT, DUE, LANE_REASON, ORIGIN, MOVES, FIRST_ATTEMPT_AT, REPLAYED_AT)).toList());

    private ItemHeaders() {}

    /** Returns whether only Spillway may set a header. The router removes such headers from what producers send. */
    public static boolean isInternal(String name) {
        return INTERNAL.contains(name);
    }

    /** Removes all headers that only Spillway may set. */
    public static void removeInternal(Headers headers) {
        INTERNAL.forEach(headers::remove);
    }

    /** Removes the headers of dead letters, from a record that is replayed. */
    public static void removeDeadLetter(Headers headers) {
        OF_DEAD_LETTERS.forEach(headers::remove);
    }
}
