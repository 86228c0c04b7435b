package io.spillway.bench.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a process has taken from the operating system. Linux only.
 *
 * @param residentBytes memory in use, heap and all else
 * @param threads       of the platform; virtual threads run on some of them
 * @param handles       open files, sockets and the like
 */
public record ProcessFigures(long residentBytes, long threads, long handles) {
    /** Reads them. */
    public static ProcessFigures of(long pid) {
        Path directory = Path.of("/proc", Long.toString(pid));
        try (Stream<Path> handles = Files.list(directory.resolve("fd"))) {
            List<String> status = Files.readAllLines(directory.resolve("status"));
            return new ProcessFigures(
                    1024 * number(status, "VmRSS:"), number(status, "Threads:"), handles.count());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the size of the files below a directory. Files that are deleted meanwhile count as nothing, and indexes
     * of Kafka too: they have a fixed size, of which the disk holds the few pages that were written.
     */
    public static long bytesBelow(Path directory) {
        long sum = 0;
        for (Path each : children(directory)) {
            sum += Files.isDirectory(each) ? bytesBelow(each) : bytes(each);
        }
        return sum;
    }

    private static long bytes(Path file) {
        try {
            return file.toString().endsWith("index") ? 0 : Files.size(file);
        } catch (IOException e) {
            return 0;
        }
    }

    private static List<Path> children(Path directory) {
        try (Stream<Path> children = Files.list(directory)) {
            return children.toList();
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long number(List<String> status, String name) {
        return status.stream().filter(line -> line.startsWith(name)).findFirst()
                .map(line -> Long.parseLong(line.substring(name.length()).replace("kB", "").strip())).orElse(0L);
    }
}
