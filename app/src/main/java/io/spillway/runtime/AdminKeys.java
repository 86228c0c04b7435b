package io.spillway.runtime;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.GatewaySettings;
import io.spillway.config.YamlDocument;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.FileText;
import io.spillway.core.text.Printable;
import io.spillway.gateway.AdminKey;
import io.spillway.worker.handlers.PullSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/**
 * Admin key from the environment, the configured file, or DIR/admin.key, which the first run creates; and the keys of
 * handler type {@code pull}.
 */
final class AdminKeys {
    static final String VARIABLE = "SPILLWAY_ADMIN_KEY";
    static final String VIEWER_VARIABLE = "SPILLWAY_VIEWER_KEY";
    static final String FILE = "admin.key";
    static final String WORKER_FILE = "worker.key";

    private static final int SECRET_BYTES = 32;
    private static final long MAX_FILE_BYTES = 4_096;

    private AdminKeys() {}

    static AdminKey find(Map<String, String> environment, GatewaySettings settings, Path data) {
        return variable(environment, VARIABLE).orElseGet(() -> settings.adminKeyFile().isEmpty()
                ? stored(data.resolve(FILE), "spa_")
                : configured("gateway.adminKeyFile", settings.adminKeyFile()));
    }

    /**
     * Returns the key of viewers, from the environment or the configured file; empty if there are no viewers.
     *
     * @param admin key of operators, which must be another one
     */
    static Optional<AdminKey> findViewer(Map<String, String> environment, GatewaySettings settings, AdminKey admin) {
        Optional<AdminKey> viewer = variable(environment, VIEWER_VARIABLE)
                .or(() -> settings.viewerKeyFile().isEmpty() ? Optional.empty()
                        : Optional.of(configured("gateway.viewerKeyFile", settings.viewerKeyFile())));
        if (viewer.filter(admin::isSameAs).isPresent()) {
            throw CommandFailure.usage("The key of viewers (" + VIEWER_VARIABLE + ", gateway.viewerKeyFile) is the"
                    + " admin key. Give viewers a key of their own.");
        }
        return viewer;
    }

    private static Optional<AdminKey> variable(Map<String, String> environment, String name) {
        String key = environment.getOrDefault(name, "").strip();
        try {
            return key.isEmpty() ? Optional.empty() : Optional.of(AdminKey.of(key));
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("Environment variable " + name + ": " + e.getMessage());
        }
    }

    /** Returns the key of external workers: from the configured file, or DIR/worker.key, created by the first run. */
    static AdminKey ofWorkers(PullSettings settings, Path data) {
        return settings.keyFile().isEmpty()
                ? stored(data.resolve(WORKER_FILE), "spw_")
                : configured("handler.pull.keyFile", settings.keyFile());
    }

    /** Returns the key that signs receipts: from the configured file, or a new one. */
    static byte[] ofReceipts(PullSettings settings) {
        if (settings.receiptKeyFile().isEmpty()) {
            return random();
        }
        try {
            String key = read(Path.of(settings.receiptKeyFile()));
            AdminKey.of(key);
            return key.getBytes(StandardCharsets.US_ASCII);
        } catch (IOException | IllegalArgumentException e) {
            throw invalid("handler.pull.receiptKeyFile", settings.receiptKeyFile(), e);
        }
    }

    private static AdminKey configured(String setting, String file) {
        try {
            return AdminKey.of(read(Path.of(file)));
        } catch (IOException | IllegalArgumentException e) {
            throw invalid(setting, file, e);
        }
    }

    /** The exception's message has the allowed form of a key, never its content. */
    private static InvalidSettingException invalid(String setting, String file, Exception e) {
        return new InvalidSettingException(setting + " = " + Printable.of(file) + ": " + Printable.onOneLine(
                e instanceof IOException unreadable
                        ? "cannot be read: " + YamlDocument.problemOf(unreadable)
                                + ". Write a key into it, or remove the setting."
                        : "the key " + e.getMessage()));
    }

    private static byte[] random() {
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        return secret;
    }

    private static AdminKey stored(Path file, String prefix) {
        try {
            if (!Files.exists(file)) {
                write(file, prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(random()));
            }
            return AdminKey.of(read(file));
        } catch (IOException e) {
            throw DataDirectory.inaccessible(file, e);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.failed(
                    "The key in " + file + " " + e.getMessage() + ". Delete the file to create a new key.");
        }
    }

    /** Writes the file atomically, readable only by its owner. */
    private static void write(Path file, String key) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + ".new");
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
        return FileText.of(Files.readAllBytes(file)).strip();
    }
}
