package io.spillway.kafka.codec;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.routing.ItemTimes;
import io.spillway.core.routing.Route;
import io.spillway.core.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/** Names of the record headers. They are part of the public format. */
public final class ItemHeaders {
    /** Prefix of every header of Spillway, for a quick first test. */
    static final String PREFIX = "spillway-";

    /** Digits of the longest 64-bit integer, with its sign. */
    private static final int MAX_DIGITS = 20;

    /** Set by producers; they take precedence over the fields of the value. */
    public static final String TENANT = "spillway-tenant";
    public static final String ID = "spillway-id";
    public static final String ENQUEUED_AT = "spillway-enqueued-at";
    public static final String WORKLOAD = "spillway-workload";
    public static final String PRIORITY = "spillway-priority";
    public static final String DELIVER_AT = "spillway-deliver-at";
    /** Items of a tenant with the same order key are handled one at a time. */
    public static final String ORDER_KEY = "spillway-order-key";
    /** {@code true} on an item that is dropped if its tenant has sent its id before. */
    public static final String DEDUPE = "spillway-dedupe";
    /** What an item of a drill does in place of a handler, as {@link io.spillway.core.item.ItemDrill#toString} says. */
    public static final String DRILL = "spillway-drill";

    /** Prefix of the attributes of a CloudEvent in binary mode, which producers may set. */
    public static final String CLOUD_EVENT = "ce_";

    /** Set only by Spillway, while an item moves through the lanes. */
    public static final String ATTEMPT = "spillway-attempt";
    public static final String DUE = "spillway-due";
    public static final String LANE_REASON = "spillway-lane-reason";
    public static final String ORIGIN = "spillway-origin";
    public static final String MOVES = "spillway-moves";
    public static final String FIRST_ATTEMPT_AT = "spillway-first-attempt-at";
    public static final String REPLAYED_AT = "spillway-replayed-at";
    /** When the replay began that has made the item due. */
    public static final String REPLAY_BEGAN_AT = "spillway-replay-began-at";
    public static final String DESTINATION = "spillway-destination";
    public static final String BLAME = "spillway-blame";
    public static final String WAIT = "spillway-wait";
    public static final String GRANTED_BY = "spillway-granted-by";
    public static final String LAST_FAILURE = "spillway-last-failure";
    public static final String LOST = "spillway-lost";
    public static final String CLAIM = "spillway-claim";
    /** Workload of the item of which this is a delivery to a subscription. */
    public static final String PARENT_WORKLOAD = "spillway-parent-workload";
    /** Name of the subscription after which the deliveries of a waiting item go on. */
    public static final String NEXT_DELIVERY = "spillway-next-delivery";
    /** Turn of an item with an order key: the partition of the delay lane that gave it, and its name there. */
    public static final String TURN = "spillway-turn";
    /** When an item that waited for its turn had it, epoch milliseconds. */
    public static final String TURN_AT = "spillway-turn-at";
    /** Of what tells of a finished item: how long its last attempt took, milliseconds. */
    public static final String TOOK = "spillway-took";
    /** Only on records of the delay lane that are no items, but tell that an item with a turn has ended. */
    public static final String TURN_RESULT = "spillway-turn-result";
    /** Only on records of the delay lane that are no items, but tell what becomes of a claimed one. */
    public static final String CLAIM_RESULT = "spillway-claim-result";

    /** Set only by Spillway, on dead letters. */
    public static final String DEAD_REASON = "spillway-dead-reason";
    public static final String DEAD_DETAIL = "spillway-dead-detail";
    public static final String DEAD_FAILURE = "spillway-dead-failure";
    public static final String DEAD_STAGE = "spillway-dead-stage";
    public static final String DEAD_AT = "spillway-dead-at";
    public static final String DEAD_CUT_FROM = "spillway-dead-cut-from";
    public static final String ORIGIN_TOPIC = "spillway-origin-topic";
    public static final String ORIGIN_PARTITION = "spillway-origin-partition";
    public static final String ORIGIN_OFFSET = "spillway-origin-offset";

    private static final List<String> OF_DEAD_LETTERS =
            List.of(DEAD_REASON, DEAD_DETAIL, DEAD_STAGE, DEAD_AT, ORIGIN_TOPIC, ORIGIN_PARTITION, ORIGIN_OFFSET);
    private static final Set<String> OF_PRODUCERS =
            Set.of(TENANT, ID, ENQUEUED_AT, WORKLOAD, PRIORITY, DELIVER_AT, ORDER_KEY, DEDUPE, DRILL);
    private static final Set<String> INTERNAL = Stream.concat(OF_DEAD_LETTERS.stream(),
            Stream.of(DEAD_FAILURE, DEAD_CUT_FROM, ATTEMPT, DUE, LANE_REASON, ORIGIN, MOVES, FIRST_ATTEMPT_AT,
                    REPLAYED_AT, REPLAY_BEGAN_AT, DESTINATION, BLAME, WAIT, GRANTED_BY, LAST_FAILURE, LOST, CLAIM,
                    CLAIM_RESULT, PARENT_WORKLOAD, NEXT_DELIVERY, TURN, TURN_AT, TURN_RESULT, TOOK))
            .collect(Collectors.toUnmodifiableSet());

    /** Most characters of a last failure. */
    public static final int MAX_LAST_FAILURE = 100;

    private ItemHeaders() {}

    /** Returns whether only Spillway may set a header. The router removes such headers from what producers send. */
    public static boolean isInternal(String name) {
        return INTERNAL.contains(name);
    }

    /** Returns whether a header is one of Spillway's that a producer or Spillway sets. */
    public static boolean isOfItem(String name) {
        return OF_PRODUCERS.contains(name) || isInternal(name);
    }

    /** Removes all headers that only Spillway may set. */
    public static void removeInternal(Headers headers) {
        INTERNAL.forEach(headers::remove);
    }

    /** Replaces all headers of a name by one. */
    public static void set(Headers headers, String name, String value) {
        headers.remove(name).add(name, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Records that one more worker was lost with an item. */
    public static void addLoss(Headers headers) {
        set(headers, LOST, Integer.toString((int) Math.min(losses(headers) + 1L, Integer.MAX_VALUE)));
    }

    /** Returns the workers that were lost with an item, 0 or more. */
    public static int losses(Headers headers) {
        return Math.clamp(number(headers, LOST).orElse(0), 0, Integer.MAX_VALUE);
    }

    /** Returns the text of the last header with this name; empty if there is none or it has no value. */
    public static Optional<String> text(Headers headers, String name) {
        return value(headers, name).map(value -> new String(value, StandardCharsets.UTF_8));
    }

    /** Returns the decimal number in the last header of this name; empty if absent or not a 64-bit integer. */
    public static OptionalLong number(Headers headers, String name) {
        return value(headers, name).map(ItemHeaders::number).orElse(OptionalLong.empty());
    }

    static OptionalLong number(byte[] value) {
        try {
            return value.length > MAX_DIGITS
                    ? OptionalLong.empty()
                    : OptionalLong.of(Long.parseLong(new String(value, StandardCharsets.ISO_8859_1)));
        } catch (NumberFormatException notANumber) {
            return OptionalLong.empty();
        }
    }

    /** Returns an item's priority; the normal one if the header is absent or is not one digit. */
    public static int priority(Headers headers) {
        Header header = headers.lastHeader(PRIORITY);
        byte[] value = header == null ? null : header.value();
        boolean isDigit = value != null && value.length == 1 && value[0] >= '0' && value[0] <= '9';
        return isDigit ? value[0] - '0' : ItemLimits.NORMAL_PRIORITY;
    }

    /**
     * Returns the times of an item in a lane, with what its producer and Spillway have set in its headers.
     *
     * @param timestampMillis of the record: the broker's when the item entered
     */
    public static ItemTimes times(ParsedRecord.Item item, Headers headers, long timestampMillis, long nowMillis) {
        return ItemTimes.entered(item.enqueuedAtMillis(), timestampMillis, nowMillis)
                .deliverAt(item.deliverAtMillis(), nowMillis)
                .replayedAt(number(headers, REPLAYED_AT).orElse(0), nowMillis)
                .attempted(number(headers, ATTEMPT).orElse(0) > 0);
    }

    /**
     * Returns since when an item counts for cancels: since it entered, or since its replay as a dead letter began.
     *
     * @param timestampMillis of the record: the broker's when the item entered
     */
    public static long cancellableSinceMillis(Headers headers, long timestampMillis) {
        return Math.max(timestampMillis, number(headers, REPLAY_BEGAN_AT).orElse(timestampMillis));
    }

    private static Optional<byte[]> value(Headers headers, String name) {
        return Optional.ofNullable(headers.lastHeader(name)).map(Header::value);
    }

    /**
     * Adds the headers of a dead letter, and removes those for its next attempt. The detail of one that failed for too
     * long ends with its last failure. The value and the producer's headers stay unchanged.
     *
     * @param headers  of the record, without any of these
     * @param route    reason and detail
     * @param stage    component that detected the problem, such as {@code router}
     * @param atMillis current time, epoch milliseconds
     * @param topic    topic that the record was read from
     */
    public static void addDeadLetter(
            Headers headers, Route.DeadLetter route, String stage, long atMillis, String topic, int partition,
            long offset) {
        String detail = route.reason() != DeadReason.RETRY_TIME_OVER ? route.detail()
                : text(headers, LAST_FAILURE)
                        .map(last -> route.detail() + "; last failure: " + Printable.of(last, MAX_LAST_FAILURE))
                        .orElse(route.detail());
        headers.remove(WAIT).remove(LAST_FAILURE);
        // In the order of the names.
        List<String> values = List.of(route.reason().label(), detail, stage, Long.toString(atMillis), topic,
                Integer.toString(partition), Long.toString(offset));
        for (int i = 0; i < OF_DEAD_LETTERS.size(); i++) {
            headers.add(OF_DEAD_LETTERS.get(i), values.get(i).getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Removes the headers of dead letters, from a record that is replayed. */
    public static void removeDeadLetter(Headers headers) {
        OF_DEAD_LETTERS.forEach(headers::remove);
        headers.remove(DEAD_FAILURE);
    }
}
