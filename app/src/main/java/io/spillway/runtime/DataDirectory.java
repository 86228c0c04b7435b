package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/** Data directory of a running process, locked while it runs, with its instance id. Owner of the lock. */
public final class DataDirectory implements AutoCloseable {
    private static final String LOCK = "lock";

    private final Path path;
    private final FileChannel channel;

    private DataDirectory(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /** Creates the directory if it is missing, and locks it. */
    public static DataDirectory open(Path path) {
        try {
            Files.createDirectories(path);
            FileChannel channel = FileChannel.open(
                    path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = tryLock(channel);
            if (lock == null) {
                channel.close();
                throw CommandFailure.failed("Data directory " + path + " is in use by " + ownerOf(path) + ". "
                        + "Stop that process, or choose another directory with --data DIR.");
            }
            writeOwner(channel);
            // A killed process does not delete it.
            Endpoint.delete(path);
            return new DataDirectory(path, channel);
        } catch (IOException e) {
            throw CommandFailure.failed("Cannot use data directory " + path + " (" + e
                    + "). Choose a writable directory with --data DIR.");
        }
    }

    public Path path() {
        return path;
    }

    /** Returns the id of this instance, the same at every start in this directory. */
    String instance() {
        Path file = path.resolve("instance");
        try {
            // Blank if a process was killed between creating the file and writing it.
            if (!Files.exists(file) || Files.readString(file).isBlank()) {
                Files.writeString(file, UUID.randomUUID().toString());
            }
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw inaccessible(file, e);
        }
    }

    /** Creates a directory that is in the data directory or configured, and fails if files cannot be written to it. */
    static void requireWritable(Path directory, String key) {
        try {
            Files.createDirectories(directory);
            Files.delete(Files.createTempFile(directory, "check", ".tmp"));
        } catch (IOException e) {
            throw CommandFailure.failed("Cannot write to " + directory + " (" + e
                    + "). Choose a writable directory with " + key + ", or change its permissions.");
        }
    }

    /** Returns the failure to read or write a file of a data directory. */
    static CommandFailure inaccessible(Path file, IOException cause) {
        return CommandFailure.failed(
                "Cannot read or write " + file + " (" + cause + "). Check the permissions of the data directory.");
    }

    @Override
    public void close() {
        Endpoint.delete(path);
        try {
            channel.close();
        } catch (IOException e) {
            throw CommandFailure.failed("Cannot unlock data directory " + path + " (" + e + ").");
        }
    }

    /** Writes the id of this process into the lock's file, for the message to the next one. */
    private static void writeOwner(FileChannel channel) throws IOException {
        channel.truncate(0);
        channel.write(ByteBuffer.wrap(
                Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)), 0);
    }

    /** Returns the owner as text; without its id if the lock's file has none. */
    private static String ownerOf(Path path) throws IOException {
        String pid = new String(Files.readAllBytes(path.resolve(LOCK)), StandardCharsets.ISO_8859_1);
        return pid.matches("[1-9][0-9]{0,18}") ? "process " + pid : "another process";
    }

    private static FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException lockedInThisProcess) {
            return null;
        }
    }
}
