package io.spillway.system;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

/** File system in memory of a chosen size, with a ballast that fills it. Linux and root are needed to mount it. */
final class SmallDisk implements AutoCloseable {
    private final Path directory;
    private final Path ballast;

    private SmallDisk(Path directory) {
        this.directory = directory;
        this.ballast = directory.resolve("ballast");
    }

    /** Mounts a disk on an empty directory; empty where that is not possible. */
    static Optional<SmallDisk> mount(Path directory, int mebibytes) throws IOException {
        Files.createDirectories(directory);
        return run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", directory.toString())
                ? Optional.of(new SmallDisk(directory)) : Optional.empty();
    }

    Path directory() {
        return directory;
    }

    /** Makes the ballast so much larger that this much stays free, 0 or more. */
    void leave(int mebibytes) throws IOException {
        long bytes = Files.getFileStore(directory).getUsableSpace() - ((long) mebibytes << 20);
        byte[] piece = new byte[1 << 16];
        try (OutputStream out = Files.newOutputStream(ballast, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (long written = 0; written < bytes; written += piece.length) {
                out.write(piece, 0, (int) Math.min(piece.length, bytes - written));
            }
        } catch (IOException e) {
            // Others write at the same time: it is full, as it should be.
            if (mebibytes > 0) {
                throw e;
            }
        }
    }

    void clear() throws IOException {
        Files.delete(ballast);
    }

    /** Runs a command, and returns whether there is one and it has succeeded. */
    static boolean run(String... command) {
        try {
            return new ProcessBuilder(List.of(command)).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException(e));
        }
    }

    @Override
    public void close() {
        if (!run("umount", directory.toString())) {
            throw new IllegalStateException(directory + " is still in use");
        }
    }
}
