package io.spillway.config;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.FileText;
import io.spillway.core.text.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.scanner.ScannerException;

/**
 * Reader of a file with one YAML document, in which no key is repeated. Values are texts as they are written: what
 * 0123, 2.10 or no mean is known by the reader of a key, not by YAML. Only null, ~ and nothing at all are no text.
 */
public final class YamlDocument {
    private static final int MAX_BYTES = 1024 * 1024;
    private static final String MUST = ": must be one YAML document: ";
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

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
            throw new InvalidSettingException(name + ": cannot be read: " + problemOf(e));
        }
    }

    /** Returns why a file cannot be read, without its name where that is known. */
    public static String problemOf(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> "no such file";
            case AccessDeniedException denied -> "no permission";
            default -> Printable.of(String.valueOf(e.getMessage()));
        };
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
        LoaderOptions options = new LoaderOptions();
        // Its own limit is 3 MiB. A code point has at least a byte. The builder leaves out a default of the parser.
        options.setCodePointLimit(maxBytes);
        try (YAMLParser parser = YAMLFactory.builder().loaderOptions(options)
                .enable(YAMLParser.Feature.EMPTY_STRING_AS_NULL).build().createParser(textOf(name, bytes))) {
            parser.enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
            JsonNode root = parser.nextToken() == null ? NODES.missingNode() : node(name, parser);
            if (parser.nextToken() != null) {
                throw new InvalidSettingException(name + MUST + "another document begins at line "
                        + parser.currentTokenLocation().getLineNr());
            }
            return root;
        } catch (JsonProcessingException e) {
            throw new InvalidSettingException(name + MUST + problemOf(e));
        }
    }

    private static String textOf(String name, byte[] bytes) {
        try {
            return FileText.of(bytes);
        } catch (IllegalArgumentException e) {
            throw new InvalidSettingException(name + ": " + e.getMessage());
        }
    }

    private static JsonNode node(String name, YAMLParser parser) throws IOException {
        switch (parser.currentToken()) {
            case START_OBJECT -> {
                ObjectNode map = NODES.objectNode();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String key = parser.currentName();
                    parser.nextToken();
                    map.set(key, node(name, parser));
                }
                return map;
            }
            case START_ARRAY -> {
                ArrayNode list = NODES.arrayNode();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    list.add(node(name, parser));
                }
                return list;
            }
            default -> {
                if (parser.isCurrentAlias()) {
                    throw new InvalidSettingException(name + ": must have the value itself instead of an alias (line "
                            + parser.currentTokenLocation().getLineNr() + ")");
                }
                return parser.currentToken() == JsonToken.VALUE_NULL
                        ? NODES.nullNode() : NODES.textNode(parser.getText());
            }
        }
    }

    /** Describes a parse error and its line without text from the file, which may contain a password. */
    private static String problemOf(JsonProcessingException e) {
        if (e.getCause() instanceof MarkedYAMLException yaml && yaml.getProblemMark() != null) {
            // A scanner's problem quotes single characters only. A parser's problem quotes tags; its context does not.
            String problem = yaml instanceof ScannerException ? yaml.getProblem() : yaml.getContext();
            return Printable.of(problem) + " (line " + (yaml.getProblemMark().getLine() + 1) + ")";
        }
        return Printable.of(String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse(""))
                + (e.getLocation() == null ? "" : " (line " + e.getLocation().getLineNr() + ")");
    }
}
