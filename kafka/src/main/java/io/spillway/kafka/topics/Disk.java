package io.spillway.kafka.topics;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.ClusterAuthorizationException;

/**
 * Disk that holds items. Internal.
 *
 * @param name       {@code broker-N} or {@code state}
 * @param freeBytes  what may still be written
 * @param totalBytes its size, more than 0
 */
public record Disk(String name, long freeBytes, long totalBytes) {
    /** What an operator does about a full disk. */
    public static final String REMEDY = "Make room: enlarge the disk, stop what else writes to it, or let workers empty"
            + " the backlog.";
    private static final double GIB = 1L << 30;

    /** Returns the disk of a directory of this process. Throws an {@link UncheckedIOException} if it does not tell. */
    public static Disk of(String name, Path directory) {
        try {
            FileStore store = Files.getFileStore(directory);
            return new Disk(name, store.getUsableSpace(), store.getTotalSpace());
        } catch (IOException e) {
            throw new UncheckedIOException("The disk of " + directory + " does not tell its free space", e);
        }
    }

    /**
     * Returns the disk with least room of each broker. It asks all brokers, which need DESCRIBE on the cluster for the
     * answer.
     *
     * @return empty for a login without this permission; without brokers that do not tell
     * @throws KafkaFailure if the cluster does not answer
     */
    public static List<Disk> ofBrokers(Admin admin) {
        List<Integer> ids = TopicAdmin.get(admin.describeCluster().nodes(), "list the brokers").stream()
                .map(Node::id).sorted().toList();
        List<Disk> disks = new ArrayList<>();
        try {
            admin.describeLogDirs(ids).descriptions().forEach((id, answer) ->
                    least("broker-" + id, TopicAdmin.get(answer, "read the free space of broker " + id))
                            .ifPresent(disks::add));
        } catch (KafkaFailure e) {
            if (!KafkaFailure.isCausedBy(e, ClusterAuthorizationException.class)) {
                throw e;
            }
        }
        return disks;
    }

    private static Optional<Disk> least(String name, Map<String, LogDirDescription> directories) {
        return directories.values().stream()
                .filter(directory -> directory.usableBytes().isPresent() && directory.totalBytes().orElse(0) > 0)
                .map(directory -> new Disk(
                        name, directory.usableBytes().getAsLong(), directory.totalBytes().getAsLong()))
                .min(Comparator.comparingDouble(disk -> (double) disk.freeBytes() / disk.totalBytes()));
    }

    /** Says how much is free. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.2f of %.2f GiB are free on the disk of %s",
                freeBytes / GIB, totalBytes / GIB, name);
    }
}
