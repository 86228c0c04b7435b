package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.GatewaySettings;
import io.spillway.core.item.Printable;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.gateway.AdminKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;

/** Admin key from the environment, the configured file, or DIR/admin.key, which the first run creates. */
final class AdminKeys {
    static final String VARIABLE = "SPILLWAY_ADMIN_KEY";
    static final String FILE = "admin.key";

    private static final int SECRET_BYTES = 32;
    private static final long MAX_FILE_BYTES = 4_096;

    private AdminKeys() {}

    static AdminKey find(Map<String, String> environment, GatewaySettings settings, Path data) {
        String variable = environment.getOrDefault(VARIABLE, "");
        if (!variable.isEmpty()) {
            try {
                return AdminKey.of(variable);
            } catch (IllegalArgumentException e) {
                throw CommandFailure.usage("Environment variable " + VARIABLE + ": " + e.getMessage());
            }
        }
        if (!settings.adminKeyFile().isEmpty()) {
            try {
                return AdminKey.of(read(Path.of(settings.adminKeyFile())));
            } catch (IOException | IllegalArgumentException e) {
                // The exception's message has the name of the file or the allowed form of a key, never its content.
                throw new InvalidSettingException("gateway.adminKeyFile: " + Printable.onOneLine(
                        e instanceof IOException ? "cannot be read: " + e : "the key " + e.getMessage()));
            }
        }
        return stored(data.resolve(FILE));
    }

    private static AdminKey stored(Path file) {
        try {
            if (!Files.exists(file)) {
                byte[] secret = new byte[SECRET_BYTES];
                new SecureRandom().nextBytes(secret);
                write(file, "spa_" + Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
            }
            return AdminKey.of(read(file));
        } catch (IOException e) {
            throw DataDirectory.inaccessible(file, e);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.failed(
                    "The admin key in " + file + " " + e.getMessage() + ". Delete the file to create a new key.");
        }
    }

    /** Writes the file atomically, readable only by its owner. */
    private static void write(Path file, String key) throws IOException {
        Path draft = file.resolveSibling(FILE + ".new");
        Files.deleteIfExists(draft);
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(draft, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        Files.writeString(draft, key + "\n");
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String read(Path file) throws IOException {
        if (Files.size(file) > MAX_FILE_BYTES) {
            throw new IllegalArgumentException("must be at most " + MAX_FILE_BYTES + " bytes");
        }
        return Files.readString(file).strip();
    }
}
