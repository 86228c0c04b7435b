package io.spillway.core.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Changes of ownership at random moments, compared with sets that remember everything. */
@Tag("slow")
class ProgressModelTest {
    @ParameterizedTest(name = "gaps up to {0}, polls up to {1}, bound {2}, paused when full {3}, {4} seeds")
    @CsvSource({
        "1, 20, 50, true, 60",
        "3, 20, 1500, true, 60",
        "200, 60, 1500, true, 40",
        "100000, 200, 1500, true, 20",
        "1000000, 900, 1500, false, 10",
    })
    void nothingUnfinishedIsSkippedAndNothingCommittedRunsAgain(
            long maxGap, int maxPoll, int bound, boolean pauses, int seeds) {
        for (long seed = 0; seed < seeds; seed++) {
            Model model = new Model(seed, maxGap, maxPoll, bound, pauses);
            for (int step = 0; step < 300; step++) {
                model.step();
            }
            model.drain();
        }
    }

    @Test
    void theCostOfAnItemIsPrintedOnce() {
        int items = 2_000_000;
        Random random = new Random(1);
        long[] window = new long[1_400];
        long nanos = Long.MAX_VALUE;
        for (int round = 0; round < 3; round++) {
            PartitionProgress progress = new PartitionProgress(ProgressState.fresh(0), Long.MAX_VALUE, 1_500);
            for (int i = 0; i < window.length; i++) {
                window[i] = i;
                progress.delivered(i);
            }
            long start = System.nanoTime();
            for (int i = 0; i < items; i++) {
                int done = random.nextInt(window.length);
                progress.finished(window[done]);
                window[done] = window.length + i;
                progress.delivered(window.length + i);
            }
            nanos = Math.min(nanos, System.nanoTime() - start);
            assertThat(progress.unfinished()).isEqualTo(window.length);
        }
        System.out.println("PartitionProgress: " + nanos / items
                + " ns per delivered and finished, 1,400 in flight, random order");
    }

    /** Model of a partition, its group's committed offset and successive workers. */
    private static final class Model {
        private final long seed;
        private final Random random;
        private final long maxGap;
        private final int maxPoll;
        private final int bound;
        private final boolean pauses;

        private final TreeSet<Long> log = new TreeSet<>();
        private long logEnd;
        private long committedOffset;
        private String metadata = "";
        private Set<Long> committedFinished = new HashSet<>();

        private PartitionProgress progress;
        private ProgressState before;
        private long position;
        private TreeSet<Long> suspects = new TreeSet<>();
        private final TreeSet<Long> unfinished = new TreeSet<>();
        private final Set<Long> started = new HashSet<>();
        private Set<Long> finished = new HashSet<>();
        private final Set<Long> everRun = new HashSet<>();

        Model(long seed, long maxGap, int maxPoll, int bound, boolean pauses) {
            this.seed = seed;
            this.random = new Random(seed);
            this.maxGap = maxGap;
            this.maxPoll = maxPoll;
            this.bound = bound;
            this.pauses = pauses;
            takeOver();
        }

        void step() {
            switch (random.nextInt(20)) {
                case 0, 1, 2, 3 -> append();
                case 4, 5, 6, 7, 8 -> poll();
                case 9, 10 -> start();
                case 11, 12, 13 -> finish();
                case 14, 15, 16 -> commit(false);
                case 17 -> snapshot(false);
                case 18 -> delete();
                default -> changeHands();
            }
        }

        void drain() {
            takeOver();
            while (position < logEnd) {
                poll();
                List.copyOf(unfinished).forEach(this::finish);
            }
            commit(true);
            assertThat(committedOffset).as("seed %d", seed).isEqualTo(logEnd);
            assertThat(everRun.containsAll(log)).as("seed %d: left without being run", seed).isTrue();
        }

        private void append() {
            for (int i = random.nextInt(maxPoll) + 1; i > 0; i--) {
                logEnd += random.nextLong(maxGap);
                log.add(logEnd++);
            }
        }

        private void poll() {
            if (pauses && progress.isFull(maxPoll)) {
                return;
            }
            List<Long> batch = log.tailSet(position).stream().limit(random.nextInt(maxPoll) + 1L).toList();
            for (int i = 0; i < batch.size(); i++) {
                if (pauses && progress.isCutAt(batch.get(i), batch.size() - i)) {
                    position = batch.get(i);
                    progress.positionedAt(position);
                    return;
                }
                deliver(batch.get(i));
            }
            if (log.tailSet(position).isEmpty()) {
                position = logEnd;
                progress.positionedAt(position);
            }
        }

        private void deliver(long offset) {
            ReadVerdict reading = progress.delivered(offset);
            position = offset + 1;
            boolean isFinished = committedFinished.contains(offset) && offset < before.readTo();
            assertThat(reading == ReadVerdict.FINISHED).as("seed %d: %d is %s", seed, offset, reading)
                    .isEqualTo(isFinished);
            if (suspects.contains(offset)) {
                assertThat(reading).as("seed %d: %d", seed, offset)
                        .isEqualTo(ReadVerdict.SUSPECT);
            } else if (reading == ReadVerdict.SUSPECT) {
                assertThat(before.clean() && (!pauses || !suspects.isEmpty() && offset < suspects.last()))
                        .as("seed %d: innocent %d", seed, offset).isTrue();
            }
            if (!isFinished) {
                finished.remove(offset);
                unfinished.add(offset);
            }
        }

        private void start() {
            unfinished.stream().filter(progress::mayStart).forEach(offset -> {
                if (random.nextInt(3) == 0) {
                    started.add(offset);
                }
            });
        }

        private void finish() {
            int oneIn = 1 + random.nextInt(4);
            List<Long> done = unfinished.stream().filter(offset -> random.nextInt(oneIn) == 0).toList();
            done.forEach(this::finish);
        }

        private void finish(long offset) {
            progress.finished(offset);
            unfinished.remove(offset);
            started.remove(offset);
            finished.add(offset);
            everRun.add(offset);
        }

        private ProgressState snapshot(boolean clean) {
            ProgressState state = progress.snapshot(random.nextInt(2 * maxPoll), clean, Optional.empty(), 0);
            String encoded = ProgressCodec.encode(state);
            assertThat(encoded.length()).as("seed %d", seed).isLessThanOrEqualTo(ProgressCodec.MAX_CHARACTERS);
            ProgressState decoded = ProgressCodec.decode(state.frontier(), encoded);
            if (pauses) {
                assertThat(decoded).as("seed %d", seed).isEqualTo(state);
            }
            List<Long> known = log.headSet(decoded.readTo()).stream().filter(offset -> !finished.contains(offset))
                    .toList();
            Set<Long> listed = new HashSet<>();
            for (long offset : decoded.unfinished().toArray()) {
                listed.add(offset);
            }
            assertThat(listed.containsAll(known)).as("seed %d: unfinished %s in %s", seed, known, listed).isTrue();
            assertThat(listed.stream().noneMatch(finished::contains)).as("seed %d: finished in %s", seed, listed)
                    .isTrue();
            if (unfinished.isEmpty() && position >= before.readTo()) {
                assertThat(state.frontier()).as("seed %d: idle", seed).isEqualTo(position);
            }
            return state;
        }

        private void commit(boolean clean) {
            ProgressState state = snapshot(clean);
            committedOffset = state.frontier();
            metadata = ProgressCodec.encode(state);
            committedFinished = new HashSet<>(finished);
            if (random.nextInt(4) > 0) {
                progress.committed(state);
            }
            if (random.nextBoolean()) {
                purge();
            }
        }

        private void purge() {
            Set<Long> below = log.headSet(committedOffset);
            assertThat(everRun.containsAll(below)).as("seed %d: purged without being run", seed).isTrue();
            below.clear();
            finished.removeIf(offset -> offset < committedOffset);
            committedFinished = new HashSet<>(finished);
        }

        /** Retention or a purge: deleted records need not run. */
        private void delete() {
            if (!log.isEmpty() && random.nextInt(4) == 0) {
                List<Long> gone = new ArrayList<>(log.headSet(log.first() + random.nextLong(1 + logEnd - log.first())));
                gone.removeAll(started);
                log.removeAll(gone.subList(0, gone.size() / 3));
            }
        }

        private void changeHands() {
            if (random.nextBoolean()) {
                started.clear();
                commit(true);
            }
            takeOver();
        }

        private void takeOver() {
            before = ProgressCodec.decode(committedOffset, metadata);
            Set<Long> running = Set.copyOf(started);
            started.clear();
            unfinished.clear();
            finished = new HashSet<>(committedFinished);
            if (before.clean()) {
                suspects.removeAll(finished);
                suspects.retainAll(log);
            } else {
                suspects = log.headSet(Math.min(before.horizon(), logEnd)).stream()
                        .filter(offset -> !(finished.contains(offset) && offset < before.readTo()))
                        .collect(Collectors.toCollection(TreeSet::new));
            }
            running.stream().filter(log::contains).filter(offset -> !finished.contains(offset)).forEach(offset ->
                    assertThat(suspects).as("seed %d: %d ran when its worker died", seed, offset).contains(offset));
            progress = new PartitionProgress(before, logEnd, bound);
            position = before.frontier();
        }
    }
}
