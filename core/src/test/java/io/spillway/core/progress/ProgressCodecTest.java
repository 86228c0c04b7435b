package io.spillway.core.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProgressCodecTest {
    private static final long FRONTIER = 5_000_000_000L;

    @ParameterizedTest
    @CsvSource({"1, 40", "2, 40", "5, 40", "130, 40"})
    void evenlySpacedOffsetsTakeAFewCharactersWhateverTheirNumber(int distance, int mostCharacters) {
        ProgressState state = working(spaced(1_500, i -> i * distance));
        assertThat(roundTrip(state)).isEqualTo(state);
        assertThat(ProgressCodec.encode(state)).hasSizeLessThan(mostCharacters);
    }

    @ParameterizedTest(name = "1,500 unfinished, one in {0}")
    @CsvSource({"2, 1900", "10, 2050", "100, 2650", "1000, 3850"})
    void randomOffsetsTakeOneToTwoBytesEach(int oneIn, int mostCharacters) {
        long seed = 11 + oneIn;
        ProgressState state = working(scattered(1_500, 1_500L * oneIn, new Random(seed)));
        assertThat(roundTrip(state)).as("seed %d", seed).isEqualTo(state);
        assertThat(ProgressCodec.encode(state)).as("seed %d", seed).hasSizeLessThan(mostCharacters);
    }

    @Test
    void anActiveWorkerNeedsAboutAHundredCharacters() {
        long seed = 5;
        TreeSet<Long> offsets = new TreeSet<>();
        new Random(seed).longs(50, 0, 200).forEach(offsets::add);
        LongStream.range(200, 1_200).forEach(offsets::add);
        ProgressState state = working(offsets);
        assertThat(roundTrip(state)).as("seed %d", seed).isEqualTo(state);
        assertThat(ProgressCodec.encode(state)).as("seed %d", seed).hasSizeLessThan(120);
    }

    @Test
    void everyFieldSurvivesARoundTrip() {
        OffsetList unfinished = OffsetList.of(7, 9, 300);
        List<ProgressState> states = List.of(
                ProgressState.fresh(0),
                ProgressState.fresh(Long.MAX_VALUE),
                new ProgressState(5, 5, 105, OffsetList.EMPTY, Optional.empty(), 0, false, false),
                new ProgressState(7, 400, 500, unfinished, Optional.empty(), 500, false, false),
                new ProgressState(7, 400, 500, unfinished, Optional.of(new SuspectMark(9, 0)), 0, false, true),
                new ProgressState(7, 400, 301, unfinished, Optional.of(new SuspectMark(300, 2)), 300, true, true),
                new ProgressState(7, 400, 500, unfinished, Optional.of(new SuspectMark(450, SuspectMark.MAX_DEATHS)), 0,
                        false, true),
                new ProgressState(0, Long.MAX_VALUE, Long.MAX_VALUE, OffsetList.of(0, 1, Long.MAX_VALUE - 1),
                        Optional.of(new SuspectMark(0, 1)), 0, false, true));
        assertThat(states).allSatisfy(state -> assertThat(roundTrip(state)).isEqualTo(state));
    }

    @Tag("slow")
    @Test
    void randomStatesAreKeptOrShortenedSafely() {
        for (long seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(3_000);
            long span = count + random.nextLong(1L << (1 + random.nextInt(40)));
            ProgressState state = working(scattered(count, span, random));
            String metadata = ProgressCodec.encode(state);
            assertThat(metadata.length()).as("seed %d", seed).isLessThanOrEqualTo(ProgressCodec.MAX_CHARACTERS);
            assertCutSafely(state, ProgressCodec.decode(state.frontier(), metadata), seed);
        }
    }

    @Tag("slow")
    @Test
    void aListThatSurelyFitsIsNotShortened() {
        for (long seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(1_500);
            long span = count + random.nextLong(1L << (1 + random.nextInt(30)));
            ProgressState state = working(scattered(count, span, random));
            if (fits(count, span)) {
                assertThat(roundTrip(state)).as("seed %d", seed).isEqualTo(state);
            }
        }
        // The worst case for 1,000 offsets: every distance as large as the span allows, just over a step of the varint.
        ProgressState worst = working(
                spaced(1_000, i -> i < 900 ? i * 16_384 : 900 * 16_384 + (i - 900) * (128 + i % 7)));
        assertThat(fits(1_000, worst.readTo() - worst.frontier())).isTrue();
        assertThat(roundTrip(worst)).isEqualTo(worst);
    }

    private static boolean fits(int count, long span) {
        return OffsetGaps.mostBytes(count, span) <= ProgressCodec.spareBytes(0);
    }

    @Test
    void aListThatIsTooLongEndsBeforeReadToAndTheHorizonStays() {
        ProgressState state = working(scattered(3_000, 3_000L << 20, new Random(3)));
        ProgressState decoded = roundTrip(state);
        assertThat(decoded.unfinished().size()).isBetween(900, 1_100);
        assertThat(decoded.readTo()).isEqualTo(state.unfinished().at(decoded.unfinished().size()));
        assertThat(decoded.horizon()).isEqualTo(state.horizon());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "AQ", "null", "{\"offset\":1}", "AAAAAAAAAAAAAAAA", "bm90IG91cnM", "é",
            "AQAAAAAA=", "\n"})
    void foreignMetadataIsAFreshStart(String metadata) {
        assertThat(ProgressCodec.decode(42, metadata)).isEqualTo(ProgressState.fresh(42));
    }

    @Test
    void metadataOfAnotherOffsetIsAFreshStart() {
        String metadata = ProgressCodec.encode(new ProgressState(7, 9, 100, OffsetList.of(7), Optional.empty(), 0,
                false, false));
        assertThat(ProgressCodec.decode(7, metadata).readTo()).isEqualTo(9);
        assertThat(ProgressCodec.decode(8, metadata)).isEqualTo(ProgressState.fresh(8));
    }

    @Test
    void metadataOfALaterReleaseIsToldFromDamage() {
        byte[] bytes = Base64.getUrlDecoder().decode(ProgressCodec.encode(working(scattered(5, 100, new Random(1)))));
        bytes[0] = 2;
        String later = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        assertThat(ProgressCodec.laterVersion(FRONTIER, later)).hasValue(2);
        assertThat(ProgressCodec.laterVersion(FRONTIER + 1, later)).isEmpty();
        bytes[bytes.length - 1] ^= 1;
        assertThat(ProgressCodec.laterVersion(FRONTIER, Base64.getUrlEncoder().encodeToString(bytes))).isEmpty();
        assertThat(ProgressCodec.laterVersion(FRONTIER, ProgressCodec.encode(ProgressState.fresh(FRONTIER)))).isEmpty();
        assertThat(ProgressCodec.laterVersion(FRONTIER, "of another tool")).isEmpty();
    }

    @Test
    void damagedMetadataIsAFreshStart() {
        for (long seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            ProgressState state = working(scattered(1 + random.nextInt(50), 2_000, random));
            byte[] bytes = Base64.getUrlDecoder().decode(ProgressCodec.encode(state));
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            String flipped = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
            assertThat(ProgressCodec.decode(FRONTIER, flipped)).as("seed %d", seed)
                    .isEqualTo(ProgressState.fresh(FRONTIER));
            String whole = ProgressCodec.encode(state);
            String cut = whole.substring(0, random.nextInt(whole.length()));
            assertThat(ProgressCodec.decode(FRONTIER, cut)).as("seed %d", seed)
                    .isEqualTo(ProgressState.fresh(FRONTIER));
        }
    }

    @Test
    void randomBytesWithAValidChecksumNeverThrowAndNeverSkipBelowTheFrontier() {
        for (long seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            byte[] body = new byte[1 + random.nextInt(40)];
            random.nextBytes(body);
            body[0] &= 3;
            for (int i = 1; i < body.length; i++) {
                body[i] &= (byte) (random.nextBoolean() ? 0x8f : 3);
            }
            ProgressState state = ProgressCodec.decode(9, signed(9, body));
            assertThat(state.frontier()).as("seed %d", seed).isEqualTo(9);
            assertThat(state.unfinished().size()).as("seed %d", seed).isLessThanOrEqualTo(ProgressCodec.MAX_UNFINISHED);
        }
    }

    @Test
    void aFewBytesThatClaimTooManyOffsetsAreRejected() {
        ByteBuffer body = ByteBuffer.allocate(64).put((byte) 0);
        Varint.write(1L << 40, body);
        Varint.write(1L << 41, body);
        Varint.write(1, body);
        Varint.write(0, body);
        int allowed = body.position();
        Varint.write(ProgressCodec.MAX_UNFINISHED - 2, body);
        assertThat(ProgressCodec.decode(9, signed(9, bytesOf(body))).unfinished().size())
                .isEqualTo(ProgressCodec.MAX_UNFINISHED);
        body.position(allowed);
        Varint.write(1L << 39, body);
        assertThat(ProgressCodec.decode(9, signed(9, bytesOf(body)))).isEqualTo(ProgressState.fresh(9));
    }

    @Test
    void varintsOfEverySizeAreReadBack() {
        List<Long> values = new ArrayList<>(List.of(0L, Long.MAX_VALUE));
        for (int shift = 0; shift < 63; shift++) {
            values.add(1L << shift);
            values.add((1L << shift) - 1);
        }
        assertThat(values).allSatisfy(value -> {
            ByteBuffer bytes = ByteBuffer.allocate(Varint.MAX_BYTES);
            Varint.write(value, bytes);
            assertThat(bytes.position()).isEqualTo(Varint.size(value));
            assertThat(Varint.read(bytes.flip())).isEqualTo(value);
        });
    }

    private static void assertCutSafely(ProgressState state, ProgressState decoded, long seed) {
        assertThat(decoded.readTo()).as("seed %d", seed).isLessThanOrEqualTo(state.readTo());
        assertThat(decoded.horizon()).as("seed %d", seed).isEqualTo(state.horizon());
        long[] below = LongStream.of(state.unfinished().toArray()).filter(o -> o < decoded.readTo()).toArray();
        assertThat(decoded.unfinished().toArray()).as("seed %d", seed).isEqualTo(below);
        if (below.length < state.unfinished().size()) {
            assertThat(decoded.readTo()).as("seed %d", seed).isEqualTo(state.unfinished().at(below.length));
        } else {
            assertThat(decoded).as("seed %d", seed).isEqualTo(state);
        }
    }

    private static ProgressState roundTrip(ProgressState state) {
        return ProgressCodec.decode(state.frontier(), ProgressCodec.encode(state));
    }

    /** State of an active owner, with offsets relative to {@link #FRONTIER}, which is the first of them. */
    private static ProgressState working(TreeSet<Long> offsets) {
        long[] unfinished = offsets.stream().mapToLong(o -> FRONTIER + o - offsets.first()).toArray();
        long readTo = unfinished[unfinished.length - 1] + 1;
        return new ProgressState(
                FRONTIER, readTo, readTo + 5_000, OffsetList.of(unfinished), Optional.empty(), 0, false, false);
    }

    private static TreeSet<Long> spaced(int count, LongUnaryOperator offset) {
        TreeSet<Long> offsets = new TreeSet<>();
        LongStream.range(0, count).map(offset).forEach(offsets::add);
        return offsets;
    }

    private static TreeSet<Long> scattered(int count, long span, Random random) {
        TreeSet<Long> offsets = new TreeSet<>();
        while (offsets.size() < count) {
            offsets.add(random.nextLong(span));
        }
        return offsets;
    }

    private static String signed(long frontier, byte[] body) {
        CRC32C sum = new CRC32C();
        sum.update(ByteBuffer.allocate(8).putLong(frontier).flip());
        sum.update(body);
        ByteBuffer all = ByteBuffer.allocate(5 + body.length).put((byte) 1).putInt((int) sum.getValue()).put(body);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(all.array());
    }

    private static byte[] bytesOf(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.position()];
        buffer.get(0, bytes);
        return bytes;
    }
}
