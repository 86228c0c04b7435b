package io.spillway.tracing;

import io.opentelemetry.api.trace.Span;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Version of OpenTelemetry's conventions that names a span and its {@code messaging.*} attributes. They are not stable:
 * 1.24 is what instrumentations of Kafka use until they are told to change.
 */
enum Conventions {
    /** Version 1.24. */
    OLD(true, false),
    /** The later versions, from 1.27 on. */
    NEW(false, true),
    /** Attributes of both versions, and the span name of the new one. */
    BOTH(true, true);

    private final boolean isOld;
    private final boolean isNew;

    Conventions(boolean isOld, boolean isNew) {
        this.isOld = isOld;
        this.isNew = isNew;
    }

    /** Returns the version that a value of {@link Tracing#CONVENTIONS_VARIABLE} selects; unknown words are ignored. */
    static Conventions of(String optIn) {
        Set<String> words = Arrays.stream(optIn.split(",")).map(String::strip).collect(Collectors.toSet());
        return words.contains("messaging/dup") ? BOTH : words.contains("messaging") ? NEW : OLD;
    }

    String nameOfSend(String topic) {
        return isNew ? "send " + topic : topic + " publish";
    }

    String nameOfAttempt(String topic) {
        return isNew ? "process " + topic : topic + " process";
    }

    void describeSend(Span span, String topic, String id, long valueBytes) {
        describe(span, topic, id, valueBytes);
        if (isOld) {
            span.setAttribute("messaging.operation", "publish");
        }
        if (isNew) {
            span.setAttribute("messaging.operation.name", "send").setAttribute("messaging.operation.type", "send");
        }
    }

    void describeAttempt(Span span, AttemptFacts facts) {
        describe(span, facts.topic(), facts.id(), facts.valueBytes());
        if (isOld) {
            span.setAttribute("messaging.operation", "process")
                    .setAttribute("messaging.kafka.consumer.group", facts.group())
                    .setAttribute("messaging.kafka.destination.partition", facts.partition());
            describeOffset(span, "messaging.kafka.message.offset", facts);
        }
        if (isNew) {
            span.setAttribute("messaging.operation.name", "process")
                    .setAttribute("messaging.operation.type", "process")
                    .setAttribute("messaging.consumer.group.name", facts.group())
                    .setAttribute("messaging.destination.partition.id", Integer.toString(facts.partition()));
            describeOffset(span, "messaging.kafka.offset", facts);
        }
    }

    private static void describeOffset(Span span, String name, AttemptFacts facts) {
        if (facts.offset() >= 0) {
            span.setAttribute(name, facts.offset());
        }
    }

    private static void describe(Span span, String topic, String id, long valueBytes) {
        span.setAttribute("messaging.system", "kafka")
                .setAttribute("messaging.destination.name", topic)
                .setAttribute("messaging.message.id", id)
                .setAttribute("messaging.message.body.size", valueBytes);
    }
}
