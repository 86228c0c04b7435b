package io.spillway.runtime;

import io.spillway.core.text.Printable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.rocksdb.NativeLibraryLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Directory where RocksDB and Kafka's compression libraries unpack their native code: part of the data directory, whose
 * lock lets only one process use it, and emptied at each start. In the temporary directory of the machine, each process
 * that is killed would leave its copies, 15 MB of RocksDB alone.
 */
final class NativeLibraries {
    private static final Logger LOG = LoggerFactory.getLogger(NativeLibraries.class);
    private static final String DIRECTORY = "native";
    /** Properties of zstd-jni and snappy-java. lz4-java has none, and deletes what killed processes left. */
    private static final List<String> PROPERTIES = List.of("ZstdTempFolder", "org.xerial.snappy.tempdir");

    private NativeLibraries() {}

    /**
     * Lets libraries unpack below the data directory, unless the user has chosen another place. Where that fails, for
     * example on a file system without permission to execute, they use the temporary directory.
     *
     * @param loadsRocksDb whether to load RocksDB now
     * @return ends the use of the directory for libraries that are not loaded yet
     */
    static AutoCloseable unpackBelow(Path data, boolean loadsRocksDb) {
        try {
            Path directory = Files.createDirectories(data.resolve(DIRECTORY)).toAbsolutePath();
            empty(directory);
            PROPERTIES.stream().filter(name -> System.getProperty(name) == null)
                    .forEach(name -> System.setProperty(name, directory.toString()));
            if (loadsRocksDb && System.getenv("ROCKSDB_SHAREDLIB_DIR") == null) {
                // RocksDB's own call does nothing after this one.
                NativeLibraryLoader.getInstance().loadLibrary(directory.toString());
            }
        } catch (IOException | RuntimeException | UnsatisfiedLinkError e) {
            clearProperties(data);
            LOG.warn("Cannot unpack native libraries in {} ({}); using the temporary directory, where killed processes"
                    + " leave their copies", data.resolve(DIRECTORY), Printable.of(e.toString()));
        }
        return () -> clearProperties(data);
    }

    private static void clearProperties(Path data) {
        PROPERTIES.stream().filter(name -> data.resolve(DIRECTORY).toAbsolutePath().toString()
                .equals(System.getProperty(name))).forEach(System::clearProperty);
    }

    private static void empty(Path directory) throws IOException {
        List<Path> left;
        try (Stream<Path> files = Files.list(directory)) {
            left = files.filter(Files::isRegularFile).toList();
        }
        for (Path file : left) {
            Files.delete(file);
        }
    }
}
