package io.spillway.kafka.codec;

import io.spillway.core.policy.Subscription;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * Position in ingress at which an item entered: its identity inside the system.
 *
 * @param topic     not null
 * @param partition 0 or more
 * @param offset    0 or more
 * @param delivery  workload of a delivery to a subscription of the item that entered; empty for that item itself
 */
public record Origin(String topic, int partition, long offset, String delivery) {
    /** Longer than any origin: a topic name has at most 249 characters, a workload 128. */
    private static final int MAX_BYTES = 430;
    /** Nine digits always fit into an int, and 18 into a long. */
    private static final Pattern FORM =
            Pattern.compile("([a-zA-Z0-9._-]{1,249})-([0-9]{1,9})-([0-9]{1,18})(~[!-~]{1,127})?");

    /** Creates the origin of an item that entered. */
    public Origin(String topic, int partition, long offset) {
        this(topic, partition, offset, "");
    }

    /** Returns the origin in the headers, whole or in the three parts of a dead letter; empty if absent or invalid. */
    public static Optional<Origin> of(Headers headers) {
        Header whole = headers.lastHeader(ItemHeaders.ORIGIN);
        if (whole != null) {
            return parse(text(whole));
        }
        Header topic = headers.lastHeader(ItemHeaders.ORIGIN_TOPIC);
        Header partition = headers.lastHeader(ItemHeaders.ORIGIN_PARTITION);
        Header offset = headers.lastHeader(ItemHeaders.ORIGIN_OFFSET);
        return topic == null || partition == null || offset == null
                ? Optional.empty()
                : parse(text(topic) + "-" + text(partition) + "-" + text(offset));
    }

    /** Returns another position in the same partition. */
    public Origin at(long otherOffset) {
        return new Origin(topic, partition, otherOffset);
    }

    /** Returns the value of the header {@code spillway-origin}. */
    public byte[] bytes() {
        return (topic + "-" + partition + "-" + offset + delivery).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Returns the origin of a delivery of this item, whose workload begins with {@link Subscription#MARK}. */
    public Origin of(String deliveryWorkload) {
        return new Origin(topic, partition, offset, deliveryWorkload);
    }

    private static Optional<Origin> parse(String text) {
        Matcher form = FORM.matcher(text);
        return form.matches()
                ? Optional.of(new Origin(form.group(1), Integer.parseInt(form.group(2)), Long.parseLong(form.group(3)),
                        Optional.ofNullable(form.group(4)).orElse("")))
                : Optional.empty();
    }

    private static String text(Header header) {
        byte[] value = header.value();
        return value == null || value.length > MAX_BYTES ? "" : new String(value, StandardCharsets.ISO_8859_1);
    }
}
