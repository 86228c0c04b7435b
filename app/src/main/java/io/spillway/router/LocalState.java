package io.spillway.router;

import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicListing;

/**
 * Marks in the local state of the router, one file in the directory of each task. A mark says whose state it is, and
 * when the task was last here. Unlike the time of a file, it stays true in a copy.
 *
 * <p>A store that is behind catches up from its changelog, but the changelog deletes the tombstones of removed timers
 * after {@link Topics#REMOVAL_KEPT_MILLIS}. An older store would keep timers that another instance has fired, and
 * fire them again. State of another cluster, or of a changelog that was deleted and created again, would be mixed with
 * that of the new one.
 *
 * <p>Owner: the thread that starts the router, then its housekeeping, then the thread that closes it.
 */
final class LocalState {
    /** Much less than removals are kept: a copy may have been behind when it was left, and takes time to catch up. */
    static final long OLDEST_MILLIS = 30 * 60 * 1000;
    static final String FILE = "spillway-state";

    /** A mark is written by the same machine, so its time is in the future only after the clock was set back. */
    private static final long MOST_AHEAD_MILLIS = 1_000;
    private static final Pattern TASK = Pattern.compile("\\d+_\\d+");
    private static final Pattern MILLIS = Pattern.compile("\\d{1,18}");

    private final Path directory;
    private final String owner;

    /**
     * Creates the marks of a directory.
     *
     * @param directory application's part of the state directory; may be missing
     * @param owner     one line that differs for another cluster, application or changelog
     */
    LocalState(Path directory, String owner) {
        this.directory = directory;
        this.owner = owner;
    }

    /** Creates the marks of the router of these topics, whose cluster it asks. */
    static LocalState of(Admin admin, Topics topics, Path stateDirectory) {
        String cluster = TopicAdmin.get(admin.describeCluster().clusterId(), "read the id of the cluster");
        Map<String, TopicListing> all =
                TopicAdmin.get(admin.listTopics().namesToListings(), "read the ids of the changelogs");
        String changelogs = Stream.of(topics.timersChangelog(), topics.balancesChangelog())
                .map(name -> Optional.ofNullable(all.get(name)).map(listing -> listing.topicId().toString())
                        .orElse("none"))
                .collect(Collectors.joining(" "));
        return new LocalState(stateDirectory.resolve(topics.routerGroup()),
                cluster + " " + topics.routerGroup() + " " + changelogs);
    }

    /** Returns why the state of some task cannot be used at this time in epoch milliseconds; empty when all can. */
    Optional<String> unusable(long nowMillis) {
        try {
            for (Path task : tasks()) {
                if (holdsState(task)) {
                    Optional<String> reason = unusable(task.resolve(FILE), nowMillis);
                    if (reason.isPresent()) {
                        return reason.map(why -> "task " + task.getFileName() + " " + why);
                    }
                }
            }
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + directory + ". Check its permissions.", e);
        }
    }

    /** Marks the state of these tasks, if they have any, as current at this time in epoch milliseconds. */
    void mark(Collection<String> tasks, long nowMillis) {
        try {
            for (String task : tasks) {
                Path folder = directory.resolve(task);
                if (Files.isDirectory(folder)) {
                    Path file = directory.resolve(FILE + ".new");
                    Files.writeString(file, owner + "\n" + nowMillis + "\n");
                    Files.move(file, folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write to " + directory + ". Check its permissions and space.", e);
        }
    }

    private Optional<String> unusable(Path mark, long nowMillis) throws IOException {
        if (!Files.isRegularFile(mark)) {
            return Optional.of("has no mark of the router that left it");
        }
        List<String> lines = new String(Files.readAllBytes(mark), StandardCharsets.UTF_8).lines().toList();
        if (lines.size() != 2 || !MILLIS.matcher(lines.get(1)).matches()) {
            return Optional.of("has a damaged mark");
        }
        if (!lines.getFirst().equals(owner)) {
            return Optional.of("belongs to another cluster or to earlier topics");
        }
        long ageMillis = nowMillis - Long.parseLong(lines.get(1));
        if (ageMillis > OLDEST_MILLIS) {
            return Optional.of("was left " + ageMillis / 60_000 + " minutes ago");
        }
        return ageMillis < -MOST_AHEAD_MILLIS ? Optional.of("was left in the future") : Optional.empty();
    }

    private List<Path> tasks() throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(path -> TASK.matcher(path.getFileName().toString()).matches())
                    .filter(Files::isDirectory).sorted().toList();
        }
    }

    private static boolean holdsState(Path task) throws IOException {
        try (Stream<Path> files = Files.walk(task)) {
            return files.anyMatch(Files::isRegularFile);
        }
    }
}
