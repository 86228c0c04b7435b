package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.Lane;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.progress.PartitionProgress;
import io.spillway.core.progress.ProgressState;
import io.spillway.core.retry.AttemptTimeouts;
import io.spillway.core.routing.ItemTimes;
import io.spillway.handler.Delivery;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.codec.RecordCodec;
import io.spillway.schema.WorkItem;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class DeliveryTest {
    private static final Instant ENQUEUED = Instant.ofEpochMilli(1_785_000_000_123L);
    private static final TenantPolicy POLICY = TenantPolicy.of(PolicySettings.NONE_SET);

    @Test
    void an_avro_item_has_every_field_that_its_producer_set() {
        byte[] value = new RecordCodec<>(new WorkItem()).encode(new WorkItem("acme", "order-17", ENQUEUED, "mails",
                "web", "text/plain", Map.of("k", "v"), ByteBuffer.wrap(Deliveries.bytes("hello"))));

        Delivery delivery = delivery(Lane.OVERFLOW, Deliveries.bytes("key"), value, new RecordHeaders(), 2);

        assertThat(delivery.id()).as("before the payload is decoded").isEqualTo("order-17");
        assertThat(delivery.payload()).isEqualTo(Deliveries.bytes("hello"));
        assertThat(delivery.id()).as("after the payload is decoded").isEqualTo("order-17");
        assertThat(delivery.tenant()).isEqualTo("acme");
        assertThat(delivery.workload()).isEqualTo("mails");
        assertThat(delivery.enqueuedAt()).isEqualTo(ENQUEUED);
        assertThat(delivery.attempt()).isEqualTo(3);
        assertThat(delivery.lane()).isEqualTo("overflow");
        assertThat(delivery.channel()).isEqualTo("web");
        assertThat(delivery.contentType()).isEqualTo("text/plain");
        assertThat(delivery.attributes()).isEqualTo(Map.of("k", "v"));
        assertThat(delivery.key()).isEqualTo(Deliveries.bytes("key"));
        assertThat(delivery.value()).isSameAs(value);
        assertThat(delivery.lease().endsAt()).isEqualTo(Instant.ofEpochMilli(POLICY.timeoutMillis()));
    }

    @Test
    void any_other_value_is_the_payload_and_missing_fields_are_empty() {
        byte[] value = Deliveries.bytes("{}");
        Headers headers = new RecordHeaders().add(ItemHeaders.TENANT, Deliveries.bytes("acme"));

        Delivery delivery = delivery(Lane.AGED, null, value, headers, 0);

        assertThat(delivery.payload()).isSameAs(value);
        assertThat(delivery.id()).as("the position at which it entered").isEqualTo("t.aged-3-42");
        assertThat(delivery.enqueuedAt()).as("the record's timestamp").isEqualTo(Instant.ofEpochMilli(7));
        assertThat(delivery.attempt()).isEqualTo(1);
        assertThat(delivery.lane()).isEqualTo("aged");
        assertThat(delivery.workload()).isEmpty();
        assertThat(delivery.channel()).isEmpty();
        assertThat(delivery.contentType()).isEqualTo("application/octet-stream");
        assertThat(delivery.attributes()).isEmpty();
        assertThat(delivery.key()).isEmpty();
        assertThat(delivery.hasKey()).isFalse();
        assertThat(delivery(Lane.AGED, new byte[0], value, headers, 0).hasKey()).as("an empty key").isTrue();
        assertThat(delivery.traceparent()).isEmpty();
        assertThat(delivery.tracestate()).isEmpty();
    }

    @Test
    void headers_keep_order_and_duplicates_and_the_last_of_a_name_counts() {
        Headers headers = new RecordHeaders()
                .add(ItemHeaders.TENANT, Deliveries.bytes("acme"))
                .add("traceparent", Deliveries.bytes("first"))
                .add("none", Deliveries.bytes("some"))
                .add("traceparent", Deliveries.bytes("größer"))
                .add("none", null);

        Delivery delivery = delivery(Lane.HOT, null, new byte[0], headers, 0);

        assertThat(delivery.headers()).extracting(Delivery.Header::name)
                .containsExactly(ItemHeaders.TENANT, "traceparent", "none", "traceparent", "none");
        assertThat(delivery.traceparent()).hasValue("größer");
        assertThat(delivery.header("none")).as("the last has no value").isEmpty();
        assertThat(delivery.header("Traceparent")).as("names are case-sensitive").isEqualTo(Optional.empty());
    }

    @Test
    void a_handler_cannot_change_the_collections() {
        byte[] value = new RecordCodec<>(new WorkItem()).encode(new WorkItem("acme", "1", ENQUEUED, "", null,
                "text/plain", Map.of("k", "v"), ByteBuffer.allocate(0)));
        Delivery delivery = delivery(Lane.HOT, null, value, new RecordHeaders().add("a", null), 0);

        assertThatThrownBy(() -> delivery.attributes().put("k", "w")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> delivery.headers().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    private static Delivery delivery(Lane lane, byte[] key, byte[] value, Headers headers, int attemptsBefore) {
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("t." + lane.label(), 3, 42, 7,
                TimestampType.CREATE_TIME, key == null ? -1 : key.length, value.length, key, value,
                headers, Optional.empty());
        ItemReader reader = new ItemReader(ItemSchemas.load(), 10_000);
        ParsedRecord.Item read = (ParsedRecord.Item) reader.read(key, value, headers, 7);
        PartitionProgress progress =
                new PartitionProgress(ProgressState.fresh(0), 0, PartitionProgress.DEFAULT_MAX_UNFINISHED);
        OwnedPartition owned = new OwnedPartition(new TopicPartition(record.topic(), 3), lane, progress);
        LaneItem item = new LaneItem(
                owned, record, read, new ItemTimes(read.enqueuedAtMillis(), 0, 7, 0, false), attemptsBefore, 0, 4, 0, 0,
                false, ItemHeaders.number(headers, ItemHeaders.DUE).orElse(0), 7, 0, Optional.empty());
        return new Attempt(item, null, POLICY, new AttemptTimeouts(1).start("acme", POLICY, 0, false, 0),
                () -> Instant.EPOCH, () -> 0, 0, POLICY.timeoutMillis());
    }
}
