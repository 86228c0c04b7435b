package io.spillway.router;

import io.spillway.kafka.topics.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Whether local state is too old to go on from. A store that is behind catches up from its changelog, but the changelog
 * forgets removed timers after {@link Topics#TIMER_REMOVAL_KEPT_MILLIS}: whoever was away for longer would keep timers
 * that have rung elsewhere, and ring them again.
 */
final class StaleState {
    static final long OLDEST_MILLIS = Topics.TIMER_REMOVAL_KEPT_MILLIS / 2;

    private StaleState() {}

    /**
     * Looks at the newest file of each task, which a store writes at the latest when it is closed. A store that was idle
     * for long looks old too and is restored for nothing, which takes no time as there is nothing in it.
     *
     * @param directory the application's part of the state directory; may be missing
     * @param nowMillis epoch milliseconds
     */
    static boolean isIn(Path directory, long nowMillis) {
        if (!Files.isDirectory(directory)) {
            return false;
        }
        try (Stream<Path> tasks = Files.list(directory)) {
            return tasks.filter(Files::isDirectory).anyMatch(task -> isStale(task, nowMillis));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look into " + directory, e);
        }
    }

    private static boolean isStale(Path task, long nowMillis) {
        try (Stream<Path> files = Files.walk(task)) {
            OptionalLong newest = files.filter(Files::isRegularFile).mapToLong(StaleState::modifiedMillis).max();
            return newest.isPresent() && nowMillis - newest.getAsLong() > OLDEST_MILLIS;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look into " + task, e);
        }
    }

    private static long modifiedMillis(Path file) {
        try {
            return Files.getLastModifiedTime(file).toMillis();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot look at " + file, e);
        }
    }
}
