package io.spillway.kafka.codec;

import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Turn of an item with an order key: the value of the header {@code spillway-turn}. When the item has ended, a record
 * without an item tells its partition of the delay lane.
 *
 * @param partition of the delay lane that gave it, 0 or more
 * @param key       name of the order key
 * @param offset    of the item there, 0 or more
 */
public record Turn(int partition, KeyHash key, long offset) {
    /** Value of the header of an item without an order key whose id is new. It has no turn. */
    public static final String ONCE = "once";

    private static final Pattern FORM = Pattern.compile("([0-9]{1,9})-([0-9a-f]{16})([0-9a-f]{16})-([0-9]{1,18})");

    /** How an item with a turn has ended: the value of the header {@code spillway-turn-result}. */
    public enum Result {
        /** It is done, dropped or discarded. */
        ENDED("ended"),
        /** It is a dead letter. */
        DEAD("dead");

        private final String label;

        Result(String label) {
            this.label = label;
        }
    }

    /** As {@link #of(Headers)}; empty also for a turn of a partition that is not one of so many. */
    public static Optional<Turn> of(Headers headers, int partitions) {
        return of(headers).filter(turn -> turn.partition < partitions);
    }

    /** Returns the turn of an item; empty if it has none. */
    public static Optional<Turn> of(Headers headers) {
        Header turn = headers.lastHeader(ItemHeaders.TURN);
        return turn == null ? Optional.empty() : ItemHeaders.text(headers, ItemHeaders.TURN).map(FORM::matcher)
                .filter(Matcher::matches)
                .map(form -> new Turn(Integer.parseInt(form.group(1)),
                        new KeyHash(HexFormat.fromHexDigitsToLong(form.group(2)),
                                HexFormat.fromHexDigitsToLong(form.group(3))),
                        Long.parseLong(form.group(4))));
    }

    /** Returns whether an item has passed the order stage: it has a turn, or none to wait for. */
    public static boolean hasPassed(Headers headers) {
        return headers.lastHeader(ItemHeaders.TURN) != null;
    }

    /** Gives an item this turn. */
    public void set(Headers headers) {
        HexFormat hex = HexFormat.of();
        ItemHeaders.set(headers, ItemHeaders.TURN,
                partition + "-" + hex.toHexDigits(key.high()) + hex.toHexDigits(key.low()) + "-" + offset);
    }

    /**
     * Returns the headers of the record that tells that an item with this turn has ended.
     *
     * @param tenant of the item
     * @param item   headers of the item
     */
    public Headers notice(String tenant, Headers item, Result result) {
        Headers notice = new RecordHeaders();
        for (String name : new String[] {ItemHeaders.TURN, ItemHeaders.ORDER_KEY}) {
            Optional.ofNullable(item.lastHeader(name)).ifPresent(notice::add);
        }
        // Only Spillway sets an origin, which makes the headers valid.
        Origin.of(item).ifPresent(origin -> notice.add(ItemHeaders.ORIGIN, origin.bytes()));
        ItemHeaders.set(notice, ItemHeaders.TENANT, tenant);
        ItemHeaders.set(notice, ItemHeaders.TURN_RESULT, result.label);
        return notice;
    }

    /** Returns the record of a {@link #notice} for a topic, which is that of the delay lane. */
    public ProducerRecord<byte[], byte[]> noticeTo(
            String topic, String tenant, Headers item, long timestampMillis, Result result) {
        // A producer refuses a negative timestamp, which a record of another client may have.
        return new ProducerRecord<>(
                topic, partition, Math.max(0, timestampMillis), null, null, notice(tenant, item, result));
    }

    /** Returns whether a record of the delay lane is no item, but tells that one with a turn has ended. */
    public static boolean isNotice(Headers headers) {
        return headers.lastHeader(ItemHeaders.TURN_RESULT) != null;
    }

    /** Returns whether a notice tells of a dead letter. */
    public static boolean isDead(Headers notice) {
        return ItemHeaders.text(notice, ItemHeaders.TURN_RESULT).filter(Result.DEAD.label::equals).isPresent();
    }
}
