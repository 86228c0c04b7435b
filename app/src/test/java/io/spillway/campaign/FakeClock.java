package io.spillway.campaign;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;

/**
 * Clock of one process that can be made wrong while it runs. The monotonic clock stays right.
 *
 * @param library libfaketime, to be preloaded
 * @param file    tells how wrong the clock is; the library looks once a second
 */
record FakeClock(Path library, Path file) {
    /** Returns the environment of a process with this clock. */
    Map<String, String> environment() {
        return Map.of("LD_PRELOAD", library.toString(), "FAKETIME_TIMESTAMP_FILE", file.toString(),
                "FAKETIME_CACHE_DURATION", "1", "FAKETIME_DONT_FAKE_MONOTONIC", "1", "DONT_FAKE_MONOTONIC", "1",
                // With it, every wait with a time-out of the JVM returns at once, or never.
                "FAKETIME_FORCE_MONOTONIC_FIX", "0");
    }

    /** Makes the clock wrong by this much, or right. Thread-safe: a start of the process and a fault may meet. */
    synchronized void set(Duration ahead) {
        try {
            // Moved into place, so that the library never reads half of it.
            Path next = Files.writeString(file.resolveSibling(file.getFileName() + ".next"),
                    "%+.3f".formatted(ahead.toMillis() / 1e3));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
