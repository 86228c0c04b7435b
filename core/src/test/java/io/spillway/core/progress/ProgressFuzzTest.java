package io.spillway.core.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Fuzz;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Metadata of any content, and items that finish in any order. See {@link Fuzz}. */
class ProgressFuzzTest {
    private static final int CHECKED_FROM = 1 + Integer.BYTES;

    @Test
    void metadata_is_no_state_or_one_that_is_encoded_to_the_same() {
        Fuzz.of("progress metadata", ProgressFuzzTest::metadata).afterPrefix(Long.BYTES).check(this::isState);
    }

    @Test
    void any_text_is_no_state_or_one_that_is_encoded_to_the_same() {
        Fuzz.of("progress text", ProgressFuzzTest::offsetAndText).afterPrefix(Long.BYTES).check(input ->
                input.length >= Long.BYTES && isState(ByteBuffer.wrap(input).getLong() & Long.MAX_VALUE, new String(
                        input, Long.BYTES, input.length - Long.BYTES, StandardCharsets.ISO_8859_1)));
    }

    @Tag("slow")
    @Test
    void items_that_finish_in_any_order_are_unfinished_in_every_state_until_then() {
        Fuzz.of("progress of a partition", ProgressFuzzTest::steps).usually(1_000)
                .checkAllAccepted(this::holdsForSteps);
    }

    /** Takes the committed offset, and what follows the checksum, which the fuzzer could not guess. */
    private boolean isState(byte[] input) {
        if (input.length < Long.BYTES) {
            return false;
        }
        return isState(ByteBuffer.wrap(input).getLong() & Long.MAX_VALUE, text(input));
    }

    private boolean isState(long frontier, String text) {
        Optional<ProgressState> read = ProgressCodec.tryDecode(frontier, text);
        assertThat(ProgressCodec.decode(frontier, text))
                .isEqualTo(read.orElse(ProgressState.fresh(frontier)));
        read.ifPresent(state -> {
            assertThat(state.frontier()).isEqualTo(frontier);
            assertIsWrittenAndRead(state);
            assertThat(ProgressCodec.tryDecode(frontier ^ 1, text)).isEmpty();
        });
        return read.isPresent();
    }

    /** Returns the metadata of a first byte, the checksum of this content, and the content. */
    private static String text(byte[] input) {
        long frontier = ByteBuffer.wrap(input).getLong() & Long.MAX_VALUE;
        ByteBuffer out = ByteBuffer.allocate(CHECKED_FROM + input.length - Long.BYTES).put((byte) 1);
        CRC32C sum = new CRC32C();
        sum.update(ByteBuffer.allocate(Long.BYTES).putLong(frontier).flip());
        sum.update(input, Long.BYTES, input.length - Long.BYTES);
        out.putInt((int) sum.getValue()).put(input, Long.BYTES, input.length - Long.BYTES);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(out.array());
    }

    /** Returns the committed offset and the encoding of a random state, and checks what becomes of the state. */
    private static byte[] metadata(SplittableRandom random) {
        ProgressState state = state(random);
        String text = assertIsWrittenAndRead(state);
        byte[] content = Base64.getUrlDecoder().decode(text);
        return ByteBuffer.allocate(Long.BYTES + content.length - CHECKED_FROM).putLong(state.frontier())
                .put(content, CHECKED_FROM, content.length - CHECKED_FROM).array();
    }

    private static byte[] offsetAndText(SplittableRandom random) {
        byte[] metadata = metadata(random);
        byte[] text = text(metadata).getBytes(StandardCharsets.ISO_8859_1);
        return ByteBuffer.allocate(Long.BYTES + text.length).put(metadata, 0, Long.BYTES).put(text).array();
    }

    /** Requires that a state is read as it was written, or as documented without the last unfinished offsets. */
    private static String assertIsWrittenAndRead(ProgressState state) {
        String text = ProgressCodec.encode(state);
        Fuzz.require(!text.isEmpty() && text.length() <= ProgressCodec.MAX_CHARACTERS, "characters", text.length());
        ProgressState read = ProgressCodec.decode(state.frontier(), text);
        int kept = read.unfinished().size();
        boolean isCut = kept < state.unfinished().size();
        assertThat(read).isEqualTo(!isCut ? state : new ProgressState(state.frontier(), state.unfinished().at(kept),
                state.horizon(), OffsetList.of(Arrays.copyOf(state.unfinished().toArray(), kept)), state.mark(),
                state.groupEnd(), state.clean(), state.alone()));
        // The five numbers before the list, and the distance that does not fit, take nine bytes each at most.
        assertThat(isCut && text.length() < ProgressCodec.MAX_CHARACTERS - 72).isFalse();
        return text;
    }

    private static ProgressState state(SplittableRandom random) {
        long frontier = random.nextLong(Long.MAX_VALUE) >> random.nextInt(64);
        int count = random.nextInt(8) == 0 ? random.nextInt(3_000) : random.nextInt(12);
        long widest = 1L << random.nextInt(random.nextInt(4) == 0 ? 40 : 10);
        long[] unfinished = new long[count];
        long next = frontier;
        for (int i = 0; i < count; i++) {
            unfinished[i] = next;
            long distance = random.nextInt(3) > 0 && i > 1 ? unfinished[i] - unfinished[i - 1]
                    : 1 + random.nextLong(widest);
            if (next > Long.MAX_VALUE - 2 * distance) {
                unfinished = Arrays.copyOf(unfinished, i + 1);
                break;
            }
            next += distance;
        }
        long last = unfinished.length == 0 ? frontier : unfinished[unfinished.length - 1] + 1;
        long readTo = unfinished.length == 0 ? frontier : upTo(last, random);
        boolean clean = random.nextBoolean();
        long horizon = upTo(clean ? frontier : readTo, random);
        Optional<SuspectMark> mark = Optional.empty();
        if (random.nextBoolean() && unfinished.length > 0) {
            long marked = unfinished[random.nextInt(unfinished.length)];
            mark = Optional.of(new SuspectMark(marked, random.nextInt(clean ? 1 : 0, 5), random.nextBoolean()))
                    .filter(each -> each.offset() < horizon);
        }
        return new ProgressState(frontier, readTo, horizon, OffsetList.of(unfinished), mark,
                horizon > frontier && random.nextBoolean() ? horizon : 0, clean, random.nextBoolean());
    }

    private static long upTo(long from, SplittableRandom random) {
        return from + (random.nextLong(Long.MAX_VALUE - from + 1 > 0 ? Long.MAX_VALUE - from + 1 : Long.MAX_VALUE)
                >> random.nextInt(64));
    }

    private static byte[] steps(SplittableRandom random) {
        byte[] steps = new byte[random.nextInt(20, 100)];
        random.nextBytes(steps);
        return steps;
    }

    /** Runs the steps on a partition and on a model of sets: two bytes are a step. */
    private boolean holdsForSteps(byte[] steps) {
        Partition partition = new Partition();
        for (int i = 0; i + 1 < steps.length; i += 2) {
            partition.step(steps[i] & 0xff, steps[i + 1] & 0xff);
        }
        partition.changeHands(false);
        return true;
    }

    /** A partition, of which each offset that was delivered is remembered until it is finished and committed. */
    private static final class Partition {
        private PartitionProgress progress = new PartitionProgress(ProgressState.fresh(0), Long.MAX_VALUE, 1_500);
        private final TreeSet<Long> unfinished = new TreeSet<>();
        private TreeSet<Long> finished = new TreeSet<>();
        private long position;
        private long committed;
        private String metadata = "";
        private TreeSet<Long> committedFinished = new TreeSet<>();

        void step(int kind, int number) {
            switch (kind % 8) {
                case 0, 1, 2 -> deliver(1L << kind % 17, 1 + number % 12);
                case 3, 4, 5 -> {
                    if (!unfinished.isEmpty()) {
                        finish(unfinished.stream().skip(number % unfinished.size()).findFirst().orElseThrow());
                    }
                }
                case 6 -> commit(false);
                default -> changeHands(number % 2 == 0);
            }
        }

        private void deliver(long distance, int records) {
            for (int i = 0; i < records && !progress.isFull(records); i++) {
                long offset = position + distance - 1;
                position = offset + 1;
                boolean isFinished = progress.delivered(offset) == ReadVerdict.FINISHED;
                Fuzz.require(isFinished == finished.contains(offset), "finished at first", offset);
                if (!isFinished) {
                    unfinished.add(offset);
                }
            }
        }

        private void finish(long offset) {
            progress.finished(offset);
            unfinished.remove(offset);
            finished.add(offset);
        }

        private void commit(boolean clean) {
            ProgressState state = progress.snapshot(100, clean, Optional.empty(), 0);
            OffsetList listed = state.unfinished();
            int i = 0;
            for (long offset : unfinished) {
                Fuzz.require(i < listed.size() && listed.at(i++) == offset, "not listed", offset, listed);
            }
            committed = state.frontier();
            metadata = ProgressCodec.encode(state);
            Fuzz.require(ProgressCodec.tryDecode(committed, metadata).equals(Optional.of(state)), "committed", state);
            progress.committed(state);
            committedFinished = new TreeSet<>(finished);
        }

        /** The next owner delivers everything from the committed offset on, as it was delivered before. */
        void changeHands(boolean clean) {
            if (clean) {
                commit(true);
            }
            TreeSet<Long> delivered = new TreeSet<>(finished);
            delivered.addAll(unfinished);
            ProgressState before = ProgressCodec.decode(committed, metadata);
            progress = new PartitionProgress(before, Long.MAX_VALUE, 1_500);
            unfinished.clear();
            finished = new TreeSet<>(committedFinished);
            position = committed;
            long readTo = before.readTo();
            for (long offset : delivered.tailSet(committed)) {
                if (progress.isCutAt(offset, 1) || offset >= readTo && progress.isFull()) {
                    break;
                }
                position = offset + 1;
                boolean isFinished = progress.delivered(offset) == ReadVerdict.FINISHED;
                Fuzz.require(isFinished == committedFinished.contains(offset), "taken over", offset, before);
                if (!isFinished) {
                    unfinished.add(offset);
                }
            }
            Fuzz.require(committedFinished.containsAll(delivered.headSet(committed)), "below", committed);
        }
    }
}
