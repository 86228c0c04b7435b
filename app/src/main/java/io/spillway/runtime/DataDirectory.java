package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/** The directory of one running process: locked while it runs, and the home of its name. Owner of the lock. */
public final class DataDirectory implements AutoCloseable {
    private final Path path;
    private final FileChannel channel;

    private DataDirectory(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /** Makes the directory when it is missing, and locks it. */
    public static DataDirectory open(Path path) {
        try {
            Files.createDirectories(path);
            FileChannel channel = FileChannel.open(
                    path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = tryLock(channel);
            if (lock == null) {
                channel.close();
                throw CommandFailure.failed("data directory " + path
                        + " is in use by another process; stop it, or give this one its own with --data DIR");
            }
            // One that was killed leaves its own behind.
            Endpoint.delete(path);
            return new DataDirectory(path, channel);
        } catch (IOException e) {
            throw CommandFailure.failed("cannot use data directory " + path + " (" + e
                    + "); give one that can be written with --data DIR");
        }
    }

    public Path path() {
        return path;
    }

    /** The name of this instance, the same at every start in this directory. */
    String instance() {
        Path file = path.resolve("instance");
        try {
            // Blank when it was killed between making the file and writing it.
            if (!Files.exists(file) || Files.readString(file).isBlank()) {
                Files.writeString(file, UUID.randomUUID().toString());
            }
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw CommandFailure.failed("cannot read or write " + file + " (" + e + ")");
        }
    }

    @Override
    public void close() {
        Endpoint.delete(path);
        try {
            channel.close();
        } catch (IOException e) {
            throw CommandFailure.failed("cannot unlock data directory " + path + " (" + e + ")");
        }
    }

    private static FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException lockedInThisProcess) {
            return null;
        }
    }
}
