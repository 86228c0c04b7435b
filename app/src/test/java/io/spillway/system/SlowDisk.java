package io.spillway.system;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Delay of what processes write below a directory: a library that is compiled here, and loaded before others. */
final class SlowDisk {
    private SlowDisk() {}

    /**
     * Returns the environment of a process whose writes can be slow; empty without a C compiler.
     *
     * @param directory of the library
     * @param disk      writes and syncs of the files below it are delayed
     * @param isSlow    file that exists while they are
     */
    static Map<String, String> environment(Path directory, Path disk, Path isSlow, int millisEach) throws IOException {
        Path source = directory.resolve("slow-disk.c");
        Path library = directory.resolve("slow-disk.so");
        try (InputStream in = SlowDisk.class.getResourceAsStream("/slow-disk.c")) {
            Files.copy(in, source);
        }
        boolean isCompiled = SmallDisk.run(
                "cc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString(), "-ldl");
        return !isCompiled ? Map.of() : Map.of("LD_PRELOAD", library.toString(),
                "SLOW_DISK_DIRECTORY", disk.toRealPath().toString(), "SLOW_DISK_SWITCH", isSlow.toString(),
                "SLOW_DISK_MILLIS", Integer.toString(millisEach));
    }
}
