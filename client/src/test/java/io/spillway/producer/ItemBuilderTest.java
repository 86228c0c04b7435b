package io.spillway.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.core.item.ItemLimits;
import io.spillway.core.sharding.ShuffleSharder;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemDetails;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.ParsedRecord;
import io.spillway.kafka.codec.ReleasedSchemas;
import io.spillway.schema.WorkItem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.header.Header;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Checks the builder against the router's reader and the handler's decoder. */
class ItemBuilderTest {
    private static final Instant CREATED_AT = Instant.ofEpochMilli(1_795_000_000_123L);
    private static final long TIMESTAMP = 1_796_000_000_456L;
    private static final String NAME_ALLOWED =
            "Allowed: 1 to 128 printable ASCII characters, without space and !\"'()*,/<>\\`";
    private static final String ID_ALLOWED = "Allowed: 1 to 256 printable ASCII characters";
    private static final ItemReader READER = new ItemReader(ItemSchemas.load(), 100_000);
    private static final ItemDecoder DECODER = new ItemDecoder();

    @Test
    void only_the_tenant_is_required() {
        ProducerRecord<byte[], byte[]> record = ItemBuilder.of("acme").toRecord("spillway.ingress");

        assertThat(record.topic()).isEqualTo("spillway.ingress");
        assertThat(record.partition()).as("chosen by the producer's partitioner").isNull();
        assertThat(record.timestamp()).as("set by the producer").isNull();
        assertThat(record.key()).isEqualTo(bytes("acme"));
        assertSame(read(record),
                new ItemDetails("acme", "origin", TIMESTAMP, "", "", "application/octet-stream", Map.of(),
                        new byte[0]));
        assertThat(record.value()).isEmpty();
    }

    @Test
    void without_channel_and_attributes_the_value_is_the_payload_unchanged() {
        byte[] payload = bytes("{\"total\":12}");
        ProducerRecord<byte[], byte[]> record = ItemBuilder.of("acme").id("order-17").workload("invoices")
                .enqueuedAt(CREATED_AT).contentType("application/json").header("traceparent", "00-ab").payload(payload)
                .toRecord("in");

        assertThat(record.value()).isSameAs(payload);
        assertThat(record.headers()).extracting(Header::key).containsExactly(
                "traceparent", "spillway-tenant", "spillway-id", "spillway-enqueued-at", "spillway-workload",
                "content-type");
        assertSame(read(record), new ItemDetails("acme", "order-17", CREATED_AT.toEpochMilli(), "invoices", "",
                "application/json", Map.of(), payload));
    }

    @Test
    void an_item_with_a_channel_or_attributes_becomes_a_work_item() {
        ItemBuilder builder = ItemBuilder.of("acme").id("order-17").workload("invoices").enqueuedAt(CREATED_AT)
                .contentType("application/json").header("traceparent", "00-ab").payload(bytes("{}"))
                .attribute("k", "old").attribute("k", "größer");
        ProducerRecord<byte[], byte[]> record = builder.toRecord("in");

        assertThat(record.key()).isEqualTo(bytes("acme"));
        assertThat(record.headers()).extracting(Header::key).containsExactly("traceparent");
        assertSame(read(record), new ItemDetails("acme", "order-17", CREATED_AT.toEpochMilli(), "invoices", "",
                "application/json", Map.of("k", "größer"), bytes("{}")));
        ProducerRecord<byte[], byte[]> fromWeb =
                ItemBuilder.of("acme").id("1").enqueuedAt(CREATED_AT).channel("web").toRecord("in");
        assertThat(read(fromWeb).channel()).isEqualTo("web");
    }

    @Test
    void a_work_item_requires_an_id_and_a_time() {
        assertThatThrownBy(() -> ItemBuilder.of("acme").enqueuedAt(CREATED_AT).attribute("k", "v").toRecord("in"))
                .isInstanceOf(IllegalStateException.class).hasMessageStartingWith("The item has no id. Set it");
        assertThatThrownBy(() -> ItemBuilder.of("acme").id("1").channel("web").toRecord("in"))
                .isInstanceOf(IllegalStateException.class).hasMessageStartingWith("The item has no enqueuedAt. Set it");
    }

    @Test
    void a_payload_that_is_a_work_item_of_any_released_version_arrives_unchanged() throws IOException {
        assertThat(ReleasedSchemas.of("WorkItem")).isNotEmpty();
        for (Schema version : ReleasedSchemas.of("WorkItem")) {
            GenericRecord inner = new GenericRecordBuilder(version).set("tenant", "inner").set("id", "inner")
                    .set("enqueuedAt", 1L).set("payload", ByteBuffer.wrap(bytes("inner"))).build();
            byte[] payload = array(new BinaryMessageEncoder<GenericRecord>(new GenericData(), version).encode(inner));

            assertSame(read(ItemBuilder.of("acme").id("1").enqueuedAt(CREATED_AT).payload(payload).toRecord("in")),
                    new ItemDetails("acme", "1", CREATED_AT.toEpochMilli(), "", "", "application/octet-stream",
                            Map.of(), payload));
            assertThatThrownBy(() -> ItemBuilder.of("acme").id("1").payload(payload).toRecord("in"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("whose payload is an encoded WorkItem");
        }
    }

    @Test
    void a_payload_of_any_bytes_arrives_unchanged() {
        for (byte[] payload : List.of(new byte[] {0, 0, 0, 0, 7}, new byte[] {(byte) 0xC3, 1},
                new byte[] {(byte) 0xC3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})) {
            ProducerRecord<byte[], byte[]> record = ItemBuilder.of("acme").payload(payload).toRecord("in");
            assertThat(record.value()).isSameAs(payload);
            assertThat(read(record).payload()).isEqualTo(payload);
        }
    }

    @Test
    void the_router_reads_everything_that_the_builder_accepts() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 2_000; i++) {
            String tenant = text(random, "AZaz09._-#|@~", 1, 128);
            String id = text(random, " !\"aZ09~", 1, 256);
            String workload = text(random, "AZaz09._-#|@~", 0, 128);
            Instant createdAt = Instant.ofEpochMilli(random.nextLong() >> random.nextInt(64));
            byte[] payload = new byte[random.nextInt(300)];
            random.nextBytes(payload);
            ItemBuilder builder = ItemBuilder.of(tenant).id(id).workload(workload).enqueuedAt(createdAt)
                    .contentType("a/b").payload(payload);

            assertSame(read(builder.toRecord("in")),
                    new ItemDetails(tenant, id, createdAt.toEpochMilli(), workload, "", "a/b", Map.of(), payload));
            assertSame(read(builder.attribute("k", "v").toRecord("in")),
                    new ItemDetails(
                            tenant, id, createdAt.toEpochMilli(), workload, "", "a/b", Map.of("k", "v"), payload));
        }
    }

    @Test
    void the_builder_rejects_exactly_what_the_router_rejects() {
        List<String> texts = new ArrayList<>(List.of("", "a", "A.b_c-9", "~", " ", "\u0130", "\ud83d\ude00",
                "x".repeat(128), "x".repeat(129), "x".repeat(256), "x".repeat(257)));
        for (char c = 0; c < 256; c++) {
            texts.add("a" + c);
        }
        for (String text : texts) {
            byte[] bytes = bytes(text);
            assertThat(isAccepted(() -> ItemBuilder.of(text))).as("tenant %s", text).isEqualTo(ItemLimits.isName(text));
            assertThat(isAccepted(() -> ItemBuilder.of("acme").id(text))).as("id %s", text)
                    .isEqualTo(ItemLimits.isId(bytes, 0, bytes.length));
            assertThat(isAccepted(() -> ItemBuilder.of("acme").workload(text))).as("workload %s", text)
                    .isEqualTo(text.isEmpty() || ItemLimits.isName(text));
        }
    }

    @Test
    void an_error_names_the_field_and_the_allowed_range_but_not_the_value() {
        assertRejected(() -> ItemBuilder.of("a\nb"), "tenant has U+000A at index 1. " + NAME_ALLOWED);
        assertRejected(() -> ItemBuilder.of(""), "tenant has 0 characters. " + NAME_ALLOWED);
        assertRejected(() -> ItemBuilder.of("x".repeat(129)), "tenant has 129 characters. " + NAME_ALLOWED);
        assertRejected(() -> ItemBuilder.of("acme").workload("a b"), "workload has U+0020 at index 1. " + NAME_ALLOWED);
        assertRejected(() -> ItemBuilder.of("acme").id("größer"), "id has U+00F6 at index 2. " + ID_ALLOWED);
        assertRejected(() -> ItemBuilder.of("acme").id("x".repeat(257)), "id has 257 characters. " + ID_ALLOWED);
        assertRejected(() -> ItemBuilder.of("acme").contentType("text/plain\r"),
                "contentType has U+000D at index 10. Allowed: 1 or more printable ASCII characters");
        assertRejected(() -> ItemBuilder.of("acme").enqueuedAt(Instant.MAX),
                "enqueuedAt is out of range. Its epoch milliseconds must fit in 64 bits");
        for (String name : List.of("spillway-tenant", "spillway-attempt", "content-type")) {
            assertRejected(() -> ItemBuilder.of("acme").header(name, "1"),
                    "header cannot set content-type or spillway-*."
                            + " Use the builder's methods, such as id and contentType");
        }
    }

    @Test
    void null_is_rejected() {
        ItemBuilder builder = ItemBuilder.of("acme");
        for (ThrowingCallable setter : List.<ThrowingCallable>of(
                () -> ItemBuilder.of(null), () -> builder.id(null), () -> builder.workload(null),
                () -> builder.enqueuedAt(null), () -> builder.channel(null), () -> builder.contentType(null),
                () -> builder.attribute(null, "v"), () -> builder.attribute("k", null),
                () -> builder.header(null, "v"), () -> builder.header("k", null),
                () -> builder.payload(null), () -> builder.orderKey(null))) {
            assertThatThrownBy(setter).isInstanceOf(NullPointerException.class);
        }
        assertThat(read(builder.toRecord("in")).attributes()).isEmpty();
    }

    @Test
    void the_router_accepts_the_maximum_number_of_headers_of_the_builder() {
        ItemBuilder builder = ItemBuilder.of("acme").id("1").workload("w").enqueuedAt(CREATED_AT).contentType("a/b")
                .priority(9).deliverAt(CREATED_AT, CREATED_AT).orderKey("k").dedupe();
        for (int i = 0; i < 991; i++) {
            builder.header("h", "");
        }
        assertThat(builder.toRecord("in").headers().toArray()).hasSize(ItemLimits.MAX_HEADERS);
        assertThat(read(builder.toRecord("in")).id()).isEqualTo("1");
        assertThatThrownBy(() -> builder.header("h", ""))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The item already has 991 headers, which is the limit");
    }

    @Test
    void the_record_of_an_existing_work_item_is_checked_and_has_the_tenant_as_key() {
        WorkItem item = workItem("acme", "1", "");
        ProducerRecord<byte[], byte[]> record = ItemBuilder.recordOf("in", item);

        assertThat(record.key()).isEqualTo(bytes("acme"));
        assertThat(ItemBuilder.recordOf("in", item).value()).as("the item can be encoded again")
                .isEqualTo(record.value());
        assertSame(read(record),
                new ItemDetails("acme", "1", CREATED_AT.toEpochMilli(), "", "", "a/b", Map.of(), bytes("p")));
        assertRejected(() -> ItemBuilder.recordOf("in", workItem("", "1", "")),
                "tenant has 0 characters. " + NAME_ALLOWED);
        assertRejected(() -> ItemBuilder.recordOf("in", workItem("a", "", "")),
                "id has 0 characters. " + ID_ALLOWED);
        assertRejected(() -> ItemBuilder.recordOf("in", workItem("a", "1", "/")),
                "workload has U+002F at index 0. " + NAME_ALLOWED);
    }

    @Test
    void the_partitioner_spreads_both_forms_over_the_shard_of_the_tenant() {
        Node broker = new Node(1, "localhost", 1);
        List<PartitionInfo> partitions = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            partitions.add(new PartitionInfo("in", i, broker, new Node[] {broker}, new Node[] {broker}));
        }
        Cluster cluster = new Cluster("test", List.of(broker), partitions, Set.of(), Set.of());
        ItemBuilder builder = ItemBuilder.of("acme").id("1").enqueuedAt(CREATED_AT);
        for (ProducerRecord<byte[], byte[]> record :
                List.of(builder.toRecord("in"), builder.attribute("k", "v").toRecord("in"))) {
            TenantPartitioner partitioner = new TenantPartitioner();
            partitioner.configure(Map.of());
            Set<Integer> used = new TreeSet<>();
            for (int i = 0; i < 64 * 4; i++) {
                used.add(partitioner.partition(
                        "in", record.key(), record.key(), record.value(), record.value(), cluster));
            }
            int[] shard = new ShuffleSharder(12, 0).shard("acme", 4);
            assertThat(used).isEqualTo(Arrays.stream(shard).boxed().collect(Collectors.toSet()));
        }
    }

    private static WorkItem workItem(String tenant, String id, String workload) {
        return new WorkItem(tenant, id, CREATED_AT, workload, null, "a/b", Map.of(), ByteBuffer.wrap(bytes("p")));
    }

    private static ItemDetails read(ProducerRecord<byte[], byte[]> record) {
        ParsedRecord result = READER.read(record.key(), record.value(), record.headers(), TIMESTAMP);
        assertThat(result).isInstanceOf(ParsedRecord.Item.class);
        ParsedRecord.Item item = (ParsedRecord.Item) result;
        assertThat(item.hasInternalHeaders()).isFalse();
        return DECODER.decode(item, record.value(), record.headers(), "origin");
    }

    private static void assertSame(ItemDetails actual, ItemDetails expected) {
        assertThat(actual).usingRecursiveComparison().isEqualTo(expected);
    }

    private static void assertRejected(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    private static boolean isAccepted(Runnable setter) {
        try {
            setter.run();
            return true;
        } catch (IllegalArgumentException rejected) {
            return false;
        }
    }

    private static String text(SplittableRandom random, String characters, int shortest, int longest) {
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(shortest, longest + 1); length > 0; length--) {
            text.append(characters.charAt(random.nextInt(characters.length())));
        }
        return text.toString();
    }

    private static byte[] array(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void a_priority_is_a_header_in_both_forms_of_an_item() {
        ItemBuilder builder = ItemBuilder.of("acme").id("1").enqueuedAt(CREATED_AT).priority(7);
        assertThat(ItemHeaders.priority(builder.toRecord("in").headers())).isEqualTo(7);
        assertThat(ItemHeaders.priority(builder.channel("c").toRecord("in").headers())).isEqualTo(7);
        assertThat(ItemBuilder.of("acme").toRecord("in").headers().lastHeader(ItemHeaders.PRIORITY)).isNull();
        assertThatThrownBy(() -> builder.priority(10)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("priority = 10. Allowed: 0 to 9");
    }

    @Test
    void a_time_of_the_first_attempt_is_a_header_in_both_forms_of_an_item() {
        Instant time = CREATED_AT.plus(Duration.ofDays(14));
        ItemBuilder builder = ItemBuilder.of("acme").id("1").enqueuedAt(CREATED_AT).deliverAt(time, CREATED_AT);
        for (ProducerRecord<byte[], byte[]> record :
                List.of(builder.toRecord("in"), builder.channel("c").toRecord("in"))) {
            assertThat(ItemHeaders.number(record.headers(), ItemHeaders.DELIVER_AT)).hasValue(time.toEpochMilli());
        }
        assertThat(ItemBuilder.of("acme").toRecord("in").headers().lastHeader(ItemHeaders.DELIVER_AT)).isNull();
        for (Instant bad : List.of(time.plusNanos(1), Instant.MAX, Instant.ofEpochMilli(1_795_003_600), Instant.MIN)) {
            assertRejected(() -> builder.deliverAt(bad, CREATED_AT),
                    "deliverAt = " + bad + ". Allowed: from 2000 to 14 days ahead of now");
        }
    }
}
