package io.spillway.embedded;

import io.spillway.core.text.Printable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.properties.MetaProperties;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.metadata.properties.PropertiesUtils;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.raft.DynamicVoter;
import org.apache.kafka.raft.DynamicVoters;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * Kafka data directory, locked for one broker. Owner of the lock: a lock file, and an entry in a set of this process.
 */
final class BrokerDirectory implements AutoCloseable {
    static final int NODE_ID = 1;
    private static final String LOCK_FILE = "spillway.lock";
    private static final String METADATA_LOG = "__cluster_metadata-0";
    /** Written by Kafka up to 4.3. */
    private static final String BOOTSTRAP_FILE = "bootstrap.checkpoint";
    private static final String META_FILE = MetaPropertiesEnsemble.META_PROPERTIES_NAME;

    /** Files that a killed first start may leave: formatting writes them before meta.properties. */
    private static final Set<String> UNFINISHED_FORMAT = Set.of(
            LOCK_FILE, METADATA_LOG, BOOTSTRAP_FILE, BOOTSTRAP_FILE + ".tmp", META_FILE + ".tmp");

    // Checked before the lock file is opened: closing any channel of a file releases the process's POSIX locks on it.
    private static final Set<Path> CLAIMED_IN_THIS_PROCESS = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel lock;

    private BrokerDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Creates the directory if it is missing and locks it. */
    static BrokerDirectory claim(Path directory) {
        Path path = create(directory);
        // Kafka cuts its list of directories at commas, and white space at their ends off.
        if (path.toString().contains(",") || !path.toString().strip().equals(path.toString())) {
            throw problem(path, "has a comma in its name, or a space at its end, which Kafka cannot read. Choose another"
                    + " directory.", null);
        }
        refuseForeignFiles(path);
        if (!CLAIMED_IN_THIS_PROCESS.add(path)) {
            throw inUse(path);
        }
        FileChannel lock = null;
        boolean claimed = false;
        try {
            lock = FileChannel.open(path.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            claimed = lock.tryLock() != null;
            if (!claimed) {
                throw inUse(path);
            }
            return new BrokerDirectory(path, lock);
        } catch (IOException e) {
            throw notWritable(path, e);
        } finally {
            if (!claimed) {
                release(path, lock);
            }
        }
    }

    Path path() {
        return path;
    }

    /**
     * Formats an empty directory, with the port of the only voter of the metadata quorum, or checks a formatted one.
     */
    void prepare(int controllerPort) {
        if (Files.exists(path.resolve(META_FILE))) {
            check();
        } else {
            format(controllerPort);
        }
    }

    /** Prevents writing any file, even the lock file, into a directory with other files. */
    private static void refuseForeignFiles(Path path) {
        List<String> entries;
        try (Stream<Path> files = Files.list(path)) {
            entries = files.map(file -> file.getFileName().toString()).toList();
        } catch (IOException | UncheckedIOException e) {
            throw problem(path, "cannot be read (" + Printable.innermostCause(e)
                    + "). Change its permissions, or choose another directory.", e);
        }
        if (!entries.contains(META_FILE) && !UNFINISHED_FORMAT.containsAll(entries)) {
            throw problem(path, "is not empty but has no " + META_FILE
                    + ". Choose an empty directory, or one of an earlier start.", null);
        }
    }

    private void check() {
        MetaProperties meta;
        try {
            meta = new MetaProperties.Builder(
                    PropertiesUtils.readPropertiesFile(path.resolve(META_FILE).toString())).build();
        } catch (IOException | RuntimeException e) {
            throw broken(META_FILE + " cannot be read: " + e.getMessage(), e);
        }
        if (meta.nodeId().isEmpty() || meta.clusterId().isEmpty() || meta.directoryId().isEmpty()) {
            throw broken(META_FILE + " is incomplete", null);
        }
        if (meta.nodeId().getAsInt() != NODE_ID) {
            throw broken("it belongs to another Kafka cluster (node " + meta.nodeId().getAsInt() + ")", null);
        }
        try (Stream<Path> files = Files.list(path.resolve(METADATA_LOG))) {
            if (files.noneMatch(file -> file.toString().endsWith(".checkpoint"))) {
                throw broken("the metadata log is incomplete", null);
            }
        } catch (IOException e) {
            throw broken("the metadata log is missing", e);
        }
    }

    private void format(int controllerPort) {
        Uuid directoryId = Uuid.randomUuid();
        try {
            new Formatter()
                    .setPrintStream(new PrintStream(OutputStream.nullOutputStream()))
                    .setSupportedFeatures(Feature.PRODUCTION_FEATURES)
                    .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
                    .setClusterId(Uuid.randomUuid().toString())
                    .setNodeId(NODE_ID)
                    .setDirectories(List.of(path.toString()))
                    .setMetadataLogDirectory(path.toString())
                    .setControllerListenerName(LoopbackSockets.CONTROLLER)
                    .setHasDynamicQuorum(true)
                    .setInitialControllers(new DynamicVoters(List.of(
                            new DynamicVoter(directoryId, NODE_ID, LoopbackSockets.HOST, controllerPort))))
                    .run();
        } catch (Exception e) {
            throw problem(path, "cannot be formatted (" + Printable.innermostCause(e)
                    + "). Free disk space or change its permissions, or choose another directory.", e);
        }
    }

    @Override
    public void close() {
        release(path, lock);
    }

    private static Path create(Path directory) {
        try {
            return Files.createDirectories(directory).toRealPath();
        } catch (FileAlreadyExistsException e) {
            throw problem(directory, "is not a directory. Choose another path.", e);
        } catch (IOException e) {
            throw notWritable(directory, e);
        }
    }

    private static void release(Path path, FileChannel lock) {
        try {
            if (lock != null) {
                lock.close();
            }
        } catch (IOException e) {
            // The operating system releases the lock with the descriptor, even if the close fails.
        } finally {
            CLAIMED_IN_THIS_PROCESS.remove(path);
        }
    }

    private EmbeddedKafkaException broken(String reason, Throwable cause) {
        return problem(path, "is not usable (" + reason
                + "). Choose another directory, or move this one away to start with an empty one.", cause);
    }

    private static EmbeddedKafkaException inUse(Path path) {
        return problem(path, "is in use by another running Kafka. Stop that one, or choose another directory.", null);
    }

    private static EmbeddedKafkaException notWritable(Path path, IOException cause) {
        return problem(path, "cannot be written (" + Printable.innermostCause(cause)
                + "). Change its permissions, or choose another directory.", cause);
    }

    private static EmbeddedKafkaException problem(Path path, String problem, Throwable cause) {
        return new EmbeddedKafkaException("The Kafka data directory " + path + " " + problem, cause);
    }
}
