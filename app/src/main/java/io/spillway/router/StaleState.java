package io.spillway.router;

import io.spillway.kafka.topics.Topics;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Age check of the local state. A store that is behind catches up from its changelog, but the changelog deletes the
 * tombstones of removed timers after {@link Topics#TIMER_REMOVAL_KEPT_MILLIS}. An older store would keep timers that
 * another instance has fired, and fire them again.
 */
final class StaleState {
    static final long OLDEST_MILLIS = Topics.TIMER_REMOVAL_KEPT_MILLIS / 2;

    private StaleState() {}

    /**
     * Returns whether a task's newest file is too old. A store writes a file when it is closed at the latest. An idle
     * store looks old too and is restored without need, which takes no time because it is empty.
     *
     * @param directory the application's part of the state directory; may be missing
     * @param nowMillis epoch milliseconds
     */
    static boolean isIn(Path directory, long nowMillis) {
        if (!Files.isDirectory(directory)) {
            return false;
        }
        try (Stream<Path> tasks = Files.list(directory)) {
            for (Path task : tasks.filter(Files::isDirectory).toList()) {
                OptionalLong newest = newestMillis(task);
                if (newest.isPresent() && nowMillis - newest.getAsLong() > OLDEST_MILLIS) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + directory + ". Check its permissions.", e);
        }
    }

    private static OptionalLong newestMillis(Path task) throws IOException {
        try (Stream<Path> files = Files.walk(task)) {
            return files.filter(Files::isRegularFile).map(Path::toFile).mapToLong(File::lastModified).max();
        }
    }
}
