package io.spillway.worker.handlers;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.FileText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/** Files that settings name. Errors contain the path and nothing of the content. */
final class SecretFile {
    private static final long MAX_BYTES = 1 << 20;

    private SecretFile() {}

    /** Returns the content; throws {@link InvalidSettingException} when the file cannot be read or is over 1 MiB. */
    static byte[] read(String key, String file) {
        try {
            Path path = Path.of(file);
            if (Files.isRegularFile(path) && Files.size(path) <= MAX_BYTES) {
                return Files.readAllBytes(path);
            }
        } catch (IOException | InvalidPathException e) {
            // The same error as for a missing file.
        }
        throw new InvalidSettingException(key, file, "must be a readable file of at most 1 MiB");
    }

    /** Returns the content without white space at its ends, such as the line end that editors add. */
    static String text(String key, String file) {
        try {
            return FileText.of(read(key, file)).strip();
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(key, file, e.getMessage());
        }
    }

    /** Returns the content of a PEM file in ASCII. Of other files that are not text, it is as it is. */
    static byte[] pem(String key, String file) {
        byte[] content = read(key, file);
        boolean hasMark = content.length > 0 && content[0] < 0;
        return hasMark ? text(key, file).getBytes(StandardCharsets.US_ASCII) : content;
    }

    /** Returns a text that differs when one of the files was written or replaced; empty names are left out. */
    static String stateOf(List<String> files) {
        return files.stream().filter(file -> !file.isEmpty()).map(SecretFile::stateOf).toList().toString();
    }

    private static String stateOf(String file) {
        try {
            BasicFileAttributes now = Files.readAttributes(Path.of(file), BasicFileAttributes.class);
            return now.lastModifiedTime() + " " + now.size() + " " + now.fileKey();
        } catch (IOException | InvalidPathException e) {
            return "";
        }
    }

    /** Returns a password, empty when no file is set. */
    static char[] password(String key, String file) {
        return file.isEmpty() ? new char[0] : text(key, file).toCharArray();
    }
}
