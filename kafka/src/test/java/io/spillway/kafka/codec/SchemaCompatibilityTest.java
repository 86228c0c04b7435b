package io.spillway.kafka.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.schema.ApiKey;
import io.spillway.schema.AttemptReport;
import io.spillway.schema.CommittedOffsets;
import io.spillway.schema.LaneState;
import io.spillway.schema.LedgerEntry;
import io.spillway.schema.RouterDemand;
import io.spillway.schema.Schedule;
import io.spillway.schema.ShardAssignment;
import io.spillway.schema.SweepMark;
import io.spillway.schema.TenantDepth;
import io.spillway.schema.TenantPolicy;
import io.spillway.schema.WorkItem;
import io.spillway.schema.WorkerSlots;
import io.spillway.schema.WorkerTimeouts;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.SchemaNormalization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that the current schemas and all released versions can read each other. */
class SchemaCompatibilityTest {
    /**
     * CRC-64-AVRO of each released version, oldest first, as contained in every record. After the slash: the first
     * bytes of the SHA-256 of the whole schema, with defaults, logical types and documentation. A released file is
     * never edited: a change is a new file and a new entry here.
     */
    private static final Map<String, List<String>> RELEASED = Map.ofEntries(
            Map.entry("WorkItem", List.of("7b993782cdcc83e9/164bc6154c9e37ce")),
            Map.entry("TenantPolicy", List.of("8f4d60a9eee83683/73b7fc967df86d52")),
            Map.entry("SweepMark", List.of("c75365840eb69c98/528bd0013b2c7a5b")),
            Map.entry("ShardAssignment", List.of("18d1a3105157a443/16d57965538a882b")),
            Map.entry("LaneState", List.of("ef98056b49baf548/94cc8e16fc4785f6")),
            Map.entry("WorkerTimeouts", List.of("ce5409e7358887d1/9987d7363662749f")),
            Map.entry("WorkerSlots", List.of("2e0a807fa032a3a/af24f5101e480cb1")),
            Map.entry("RouterDemand", List.of("db70e7731803c801/57b66ca21f298290")),
            Map.entry("LedgerEntry", List.of("b6fc7b98687ec655/961c4d056813cfd5")),
            Map.entry("CommittedOffsets", List.of("66876dd4f815830a/2cdc1cc0ebdcc8e9")),
            Map.entry("ApiKey", List.of("5913eb18de5998b4/1c4d332271b732ed")),
            Map.entry("AttemptReport", List.of("259ef5c68c480556/2f251232950f656d")),
            Map.entry("Schedule", List.of("4d60b686d1a0bec4/f2341ef821892bbb")),
            Map.entry("TenantDepth", List.of("8478e20533bdff9e/776b063c08d03641")));

    static Stream<Schema> evolving() {
        return Stream.of(WorkItem.getClassSchema(), TenantPolicy.getClassSchema(), SweepMark.getClassSchema(),
                ShardAssignment.getClassSchema(), RouterDemand.getClassSchema(), LaneState.getClassSchema(),
                LedgerEntry.getClassSchema(), TenantDepth.getClassSchema(), ApiKey.getClassSchema(),
                AttemptReport.getClassSchema(), WorkerTimeouts.getClassSchema(), WorkerSlots.getClassSchema(),
                Schedule.getClassSchema(), CommittedOffsets.getClassSchema());
    }

    @ParameterizedTest
    @MethodSource("evolving")
    void released_versions_are_unchanged(Schema current) {
        assertThat(ReleasedSchemas.of(current.getName()).stream()
                        .map(schema -> fingerprint(schema) + "/" + digest(schema)))
                .isEqualTo(RELEASED.get(current.getName()));
    }

    /** Avro's compatibility check ignores both, but readers of old records depend on them. */
    @ParameterizedTest
    @MethodSource("evolving")
    void a_released_field_keeps_its_default_and_its_logical_type(Schema current) {
        for (Schema.Field field : ReleasedSchemas.of(current.getName()).getLast().getFields()) {
            Schema.Field now = current.getField(field.name());
            assertThat(now).as(field.name()).isNotNull();
            assertThat(now.hasDefaultValue()).as(field.name()).isEqualTo(field.hasDefaultValue());
            assertThat(now.defaultVal()).as(field.name()).isEqualTo(field.defaultVal());
            assertThat(now.schema().getLogicalType()).as(field.name()).isEqualTo(field.schema().getLogicalType());
        }
    }

    @ParameterizedTest
    @MethodSource("evolving")
    void the_current_version_and_every_released_one_read_each_other(Schema current) {
        for (Schema released : ReleasedSchemas.of(current.getName())) {
            assertThat(canRead(current, released)).as("current reads %s", fingerprint(released)).isTrue();
            assertThat(canRead(released, current)).as("%s reads current", fingerprint(released)).isTrue();
        }
    }

    @Test
    void an_incompatible_change_is_detected() {
        Schema released = ReleasedSchemas.of("WorkItem").getFirst();
        String json = released.toString();
        Schema withoutDefault = parse(json.replaceFirst(
                "\\{\"name\":\"payload\"", "{\"name\":\"extra\",\"type\":\"string\"},{\"name\":\"payload\""));
        Schema otherType = parse(json.replace("\"type\":\"bytes\"", "\"type\":\"long\""));
        assertThat(withoutDefault.getField("extra")).isNotNull();
        assertThat(canRead(withoutDefault, released)).isFalse();
        assertThat(canRead(otherType, released)).isFalse();
        assertThat(canRead(released, withoutDefault)).as("a reader skips unknown fields").isTrue();
    }

    @Test
    void the_routing_fields_stay_first_and_unchanged() {
        Stream.concat(ReleasedSchemas.of("WorkItem").stream(), Stream.of(WorkItem.getClassSchema())).forEach(schema -> {
            List<Schema.Field> first = schema.getFields().subList(0, 4);
            assertThat(first.stream().map(Schema.Field::name))
                    .containsExactly("tenant", "id", "enqueuedAt", "workload");
            assertThat(first.stream().map(field -> field.schema().getType())).containsExactly(
                    Schema.Type.STRING, Schema.Type.STRING, Schema.Type.LONG, Schema.Type.STRING);
            assertThat(first.get(2).schema().getLogicalType().getName()).isEqualTo("timestamp-millis");
        });
    }

    @Test
    void every_released_version_is_found_by_its_fingerprint() {
        ItemSchemas schemas = ItemSchemas.load();
        List<Schema> released = ReleasedSchemas.of("WorkItem");
        for (int i = 0; i < released.size(); i++) {
            assertThat(schemas.indexOf(ItemSchemas.fingerprint(released.get(i)))).isEqualTo(i);
        }
        assertThat(schemas.indexOf(ItemSchemas.fingerprint(WorkItem.getClassSchema()))).isNotNegative();
        assertThat(schemas.indexOf(0)).isNegative();
        assertThat(schemas.indexOf(ItemSchemas.fingerprint(TenantPolicy.getClassSchema()))).isNegative();
    }

    @Test
    void producers_write_the_fingerprint_of_the_latest_released_version() {
        byte[] value = Items.encode(Items.item());
        long written = ByteBuffer.wrap(value, 2, 8).order(ByteOrder.LITTLE_ENDIAN).getLong();
        assertThat(RELEASED.get("WorkItem").getLast()).startsWith(Long.toHexString(written) + "/");
        assertThat(Arrays.copyOf(value, 2)).containsExactly(0xC3, 0x01);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Nothing", "workitem", ""})
    void an_unknown_record_has_no_released_versions(String record) {
        assertThat(ReleasedSchemas.of(record)).isEmpty();
    }

    @Test
    void all_records_are_in_the_public_namespace() {
        assertThat(Stream.of(
                                WorkItem.getClassSchema(), TenantPolicy.getClassSchema(), SweepMark.getClassSchema(),
                                LedgerEntry.getClassSchema(), TenantDepth.getClassSchema())
                        .map(Schema::getFullName))
                .containsExactly(
                        "io.spillway.schema.WorkItem", "io.spillway.schema.TenantPolicy",
                        "io.spillway.schema.SweepMark",
                        "io.spillway.schema.LedgerEntry", "io.spillway.schema.TenantDepth");
    }

    private static boolean canRead(Schema reader, Schema writer) {
        return SchemaCompatibility.checkReaderWriterCompatibility(reader, writer).getType()
                == SchemaCompatibilityType.COMPATIBLE;
    }

    private static Schema parse(String json) {
        return new Schema.Parser().parse(json);
    }

    private static String digest(Schema schema) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(Items.bytes(schema.toString()));
            return HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static String fingerprint(Schema schema) {
        return Long.toHexString(SchemaNormalization.parsingFingerprint64(schema));
    }
}
