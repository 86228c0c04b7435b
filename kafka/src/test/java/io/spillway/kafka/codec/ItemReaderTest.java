package io.spillway.kafka.codec;

import static io.spillway.core.item.DeadReason.BAD_ID;
import static io.spillway.core.item.DeadReason.BAD_TENANT;
import static io.spillway.core.item.DeadReason.BAD_WORKLOAD;
import static io.spillway.core.item.DeadReason.MALFORMED;
import static io.spillway.core.item.DeadReason.NULL_VALUE;
import static io.spillway.core.item.DeadReason.SCHEMA_REGISTRY_FRAMING;
import static io.spillway.core.item.DeadReason.TOO_LARGE;
import static io.spillway.core.item.DeadReason.UNKNOWN_SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.item.DeadReason;
import io.spillway.core.item.ItemLimits;
import io.spillway.schema.LedgerEntry;
import io.spillway.schema.WorkItem;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ItemReaderTest {
    private static final ParsedRecord READ = new ParsedRecord.Item("acme", Items.ENQUEUED_AT, "mail", false);

    @Test
    void the_routing_fields_of_an_item_are_read() {
        assertThat(Items.read(Items.encode(Items.item()))).isEqualTo(READ);
        assertThat(Items.read(ItemBytes.afterRoutingFields().withTail())).isEqualTo(READ);
        assertThat(Items.read(Items.encode(Items.item("a", "1", -1, ""))))
                .isEqualTo(new ParsedRecord.Item("a", -1, "", false));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 63, 64, -64, -65, 8_191, 8_192, Long.MAX_VALUE, Long.MIN_VALUE})
    void any_time_is_read_unchanged(long enqueuedAt) {
        byte[] value = ItemBytes.afterPrefix().string("acme").string("1").number(enqueuedAt).string("").withTail();
        assertThat(Items.read(value)).isEqualTo(new ParsedRecord.Item("acme", enqueuedAt, "", false));
    }

    @Test
    void an_item_truncated_at_any_byte_is_malformed() {
        byte[] whole = Items.encode(Items.item());
        for (int length = 0; length < whole.length; length++) {
            assertThat(Items.reasonOf(Arrays.copyOf(whole, length))).as("%s of %s bytes", length, whole.length)
                    .isEqualTo(MALFORMED);
        }
    }

    @Test
    void an_item_with_extra_bytes_is_malformed() {
        byte[] whole = Items.encode(Items.item());
        for (int more : new int[] {1, 2, 100}) {
            assertThat(Items.reasonOf(Arrays.copyOf(whole, whole.length + more))).isEqualTo(MALFORMED);
        }
    }

    static Stream<Arguments> badValues() {
        return Stream.of(
                bad("no value", null, NULL_VALUE),
                bad("no bytes", new byte[0], MALFORMED),
                bad("text", Items.bytes("{\"tenant\":\"acme\"}"), MALFORMED),
                bad("the other magic byte", new ItemBytes().raw(0xC3, 0x02).raw(new byte[20]).bytes(), MALFORMED),
                bad("magic alone", new ItemBytes().raw(0xC3, 0x01).bytes(), MALFORMED),
                bad("an Avro file", new ItemBytes().raw('O', 'b', 'j', 1).raw(new byte[20]).bytes(), MALFORMED),
                bad("registry framing", new ItemBytes().raw(0, 0, 0, 0, 7).raw(new byte[20]).bytes(),
                        SCHEMA_REGISTRY_FRAMING),
                bad("registry framing alone", new byte[5], SCHEMA_REGISTRY_FRAMING),
                bad("too short for a registry", new byte[4], MALFORMED),
                bad("an unknown fingerprint", ItemBytes.withFingerprint(42).withTail(), UNKNOWN_SCHEMA),
                bad("fingerprint in the wrong order",
                        ItemBytes.withFingerprint(Long.reverseBytes(
                                ItemSchemas.fingerprint(WorkItem.getClassSchema()))).withTail(), UNKNOWN_SCHEMA),
                bad("another record of ours",
                        ItemBytes.withFingerprint(ItemSchemas.fingerprint(LedgerEntry.getClassSchema())).withTail(),
                        UNKNOWN_SCHEMA),
                bad("an empty tenant", tenant(""), BAD_TENANT),
                bad("a tenant with a space", tenant("ac me"), BAD_TENANT),
                bad("a tenant of all", tenant("*"), BAD_TENANT),
                bad("a tenant with a slash", tenant("a/b"), BAD_TENANT),
                bad("a tenant not in ASCII", tenant("öl"), BAD_TENANT),
                bad("a tenant of 129", tenant("x".repeat(129)), BAD_TENANT),
                bad("an empty id", id(""), BAD_ID),
                bad("an id with a line feed", id("a\nb"), BAD_ID),
                bad("an id not in ASCII", id("é"), BAD_ID),
                bad("an id of 257", id("x".repeat(257)), BAD_ID),
                bad("a workload with a space", workload("a b"), BAD_WORKLOAD),
                bad("a workload of 129", workload("x".repeat(129)), BAD_WORKLOAD),
                bad("a tenant that is longer than all", ItemBytes.afterPrefix().number(5).raw('a').bytes(), MALFORMED),
                bad("a tenant of negative length", ItemBytes.afterPrefix().number(-1).withTail(), MALFORMED),
                bad("a number of eleven bytes",
                        ItemBytes.afterPrefix().string("acme").string("1")
                                .raw(255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1).string("").withTail(),
                        MALFORMED),
                bad("more than the largest record", payload(Items.MAX_BYTES), TOO_LARGE));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badValues")
    void an_unreadable_value_has_a_reason(String what, byte[] value, DeadReason reason) {
        assertThat(Items.reasonOf(value)).isEqualTo(reason);
    }

    /** Covers every length in the encoding: none is allocated, and none overflows. */
    @ParameterizedTest
    @ValueSource(longs = {
        Long.MAX_VALUE, Long.MIN_VALUE, Integer.MAX_VALUE, Integer.MIN_VALUE, 1L << 32, (1L << 32) + 4, 1L << 62,
        -1, 100
    })
    void an_invalid_length_is_malformed_at_every_position(long length) {
        List<byte[]> values = List.of(
                ItemBytes.afterPrefix().number(length).withTail(),
                ItemBytes.afterPrefix().string("acme").number(length).withTail(),
                ItemBytes.afterPrefix().string("acme").string("1").number(0).number(length).withTail(),
                ItemBytes.afterRoutingFields().number(1).number(length).withTail(),
                ItemBytes.afterRoutingFields().number(length).withTail(),
                ItemBytes.afterRoutingFields().number(0).number(length).withTail(),
                ItemBytes.afterRoutingFields().number(0).string("").number(length).withTail(),
                ItemBytes.afterRoutingFields().number(0).string("").number(1).number(length).withTail(),
                ItemBytes.afterRoutingFields().number(0).string("").number(1).string("k").number(length).withTail(),
                ItemBytes.afterRoutingFields().number(0).string("").number(-1).number(length).string("k").withTail(),
                ItemBytes.afterRoutingFields().number(0).string("").number(0).number(length).bytes());
        for (int position = 0; position < values.size(); position++) {
            assertThat(Items.reasonOf(values.get(position))).as("position %s", position).isEqualTo(MALFORMED);
        }
    }

    @Test
    void attributes_may_be_in_blocks_with_and_without_a_length() {
        ItemBytes blocks = ItemBytes.afterRoutingFields()
                .number(1).string("web").string("text/plain")
                .number(1).string("a").string("1")
                .number(-2).number(8).string("b").string("2").string("c").string("3")
                .number(0)
                .string("payload");
        assertThat(Items.read(blocks.bytes())).isEqualTo(READ);
    }

    @Test
    void a_block_with_a_wrong_length_is_malformed() {
        for (int length : new int[] {0, 3, 5}) {
            ItemBytes block = ItemBytes.afterRoutingFields().number(0).string("")
                    .number(-1).number(length).string("b").string("2").number(0).string("payload");
            assertThat(Items.reasonOf(block.bytes())).as("length %s", length).isEqualTo(MALFORMED);
        }
    }

    @Test
    void a_union_branch_must_be_an_int() {
        // Avro's own decoder rejects a 0 of six bytes and accepts one of five.
        assertThat(Items.reasonOf(ItemBytes.afterRoutingFields().raw(128, 128, 128, 128, 128, 0).raw(0, 0, 0).bytes()))
                .isEqualTo(MALFORMED);
        assertThat(Items.read(ItemBytes.afterRoutingFields().raw(128, 128, 128, 128, 0).raw(0, 0, 0).bytes()))
                .isEqualTo(READ);
    }

    @Test
    void key_value_and_headers_count_towards_the_size_limit() {
        ItemReader reader = Items.reader();
        byte[] value = payload(Items.MAX_BYTES - 200);
        int room = Items.MAX_BYTES - value.length;
        var header = Items.headers("trace", "x".repeat(50));
        assertThat(reader.read(new byte[room], value, new RecordHeaders(), 0)).isInstanceOf(ParsedRecord.Item.class);
        assertThat(reader.read(new byte[room - 55], value, header, 0)).isInstanceOf(ParsedRecord.Item.class);
        for (ParsedRecord result : List.of(
                reader.read(new byte[room + 1], value, new RecordHeaders(), 0),
                reader.read(new byte[room - 54], value, header, 0))) {
            assertThat(result).isEqualTo(new ParsedRecord.Unreadable(
                    TOO_LARGE, "4097 bytes; at most 4096 (topics.maxBytes)", false, "acme"));
        }
    }

    @Test
    void the_detail_explains_the_problem_and_is_short() {
        assertThat(detail(tenant("ac me"))).isEqualTo("'ac me' must be " + ItemLimits.NAME_ALLOWED);
        assertThat(detail(tenant("x".repeat(2_000)))).isEqualTo(
                "'" + "x".repeat(32) + "...' must be " + ItemLimits.NAME_ALLOWED);
        assertThat(detail(id(""))).isEqualTo("'' must be 1 to 256 printable ASCII characters");
        assertThat(detail(ItemBytes.withFingerprint(42).withTail()))
                .isEqualTo("fingerprint 000000000000002a"
                + " is not of a released WorkItem. Upgrade the routers, or correct the producer");
        assertThat(detail(new byte[5])).isEqualTo("the value has schema registry framing."
                + " Use single-object encoding, or set the header spillway-tenant");
    }

    private static String detail(byte[] value) {
        return ((ParsedRecord.Unreadable) Items.read(value)).detail();
    }

    private static Arguments bad(String what, byte[] value, DeadReason reason) {
        return Arguments.of(what, value, reason);
    }

    private static byte[] tenant(String tenant) {
        return Items.encode(Items.item(tenant, "1", Items.ENQUEUED_AT, ""));
    }

    private static byte[] id(String id) {
        return Items.encode(Items.item("acme", id, Items.ENQUEUED_AT, ""));
    }

    private static byte[] workload(String workload) {
        return Items.encode(Items.item("acme", "1", Items.ENQUEUED_AT, workload));
    }

    private static byte[] payload(int length) {
        return ItemBytes.afterRoutingFields().raw(0, 0, 0).string(new byte[length]).bytes();
    }
}
