package io.spillway.config;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DatabindException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.spillway.core.item.Printable;
import io.spillway.core.settings.InvalidSettingException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.scanner.ScannerException;

/** Reader of a file with one YAML document, in which no key is repeated. */
public final class YamlDocument {
    private static final int MAX_BYTES = 1024 * 1024;

    private YamlDocument() {}

    /**
     * Reads a file of at most 1 MiB.
     *
     * @throws InvalidSettingException if it cannot be read, or is not one YAML document; with the file and the line
     */
    public static JsonNode read(Path file) {
        String name = Printable.of(file.toString());
        try (InputStream in = Files.newInputStream(file)) {
            return parse(name, in, MAX_BYTES);
        } catch (IOException e) {
            throw new InvalidSettingException(name + ": cannot be read: " + Printable.of(e.toString()));
        }
    }

    /**
     * Reads a stream to its end.
     *
     * @param name     name of the stream in errors, already escaped
     * @param maxBytes most bytes of the document, 1 or more
     * @throws InvalidSettingException if it is longer, or not one YAML document
     */
    public static JsonNode parse(String name, InputStream in, int maxBytes) throws IOException {
        byte[] bytes = in.readNBytes(maxBytes + 1);
        if (bytes.length > maxBytes) {
            throw new InvalidSettingException(name + ": must be at most " + maxBytes + " bytes");
        }
        try {
            return YAMLMapper.builder()
                    .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build().readTree(bytes);
        } catch (JsonProcessingException e) {
            throw new InvalidSettingException(name + ": must be one YAML document: " + problemOf(e));
        }
    }

    /** Describes a parse error and its line without text from the file, which may contain a password. */
    private static String problemOf(JsonProcessingException e) {
        if (e instanceof DatabindException) {
            return "another document begins at line " + e.getLocation().getLineNr();
        }
        if (e.getCause() instanceof MarkedYAMLException yaml && yaml.getProblemMark() != null) {
            // A scanner's problem quotes single characters only. A parser's problem quotes tags; its context does not.
            String problem = yaml instanceof ScannerException ? yaml.getProblem() : yaml.getContext();
            return Printable.of(problem) + " (line " + (yaml.getProblemMark().getLine() + 1) + ")";
        }
        return Printable.of(String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse(""))
                + (e.getLocation() == null ? "" : " (line " + e.getLocation().getLineNr() + ")");
    }
}
