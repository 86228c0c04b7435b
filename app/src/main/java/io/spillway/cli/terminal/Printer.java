package io.spillway.cli.terminal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.spillway.core.text.Printable;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Output of a command: results to standard output, progress and problems to standard error. */
public final class Printer {
    /** Sorted, so that the output of two runs can be compared. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .build();

    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean isJson;

    /** @param isJson whether results are JSON; notes are then omitted */
    public Printer(PrintWriter out, PrintWriter err, boolean isJson) {
        this.out = out;
        this.err = err;
        this.isJson = isJson;
    }

    public void line(String text) {
        out.println(text);
        out.flush();
    }

    /** Prints text as it is, such as escape codes. */
    void raw(String text) {
        out.print(text);
        out.flush();
    }

    /** Prints a result: one JSON value or one line. */
    public void result(Object json, String text) {
        result(() -> json, printer -> printer.line(text));
    }

    /** Prints a result as one JSON value, or with {@code text}. Only the one that is printed is computed. */
    public void result(Supplier<?> json, Consumer<Printer> text) {
        if (isJson) {
            json(json.get());
        } else {
            text.accept(this);
        }
    }

    /** Prints maps, lists and records as one JSON value on one line. */
    public void json(Object value) {
        line(text(value));
    }

    private static String text(Object json) {
        try {
            return JSON.writeValueAsString(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a result cannot be written as JSON", e);
        }
    }

    /** Returns the components of a record as {@link #json} prints them, in a mutable map. */
    public static Map<String, Object> fields(Record components) {
        return JSON.convertValue(components, new TypeReference<Map<String, Object>>() {});
    }

    /** Prints a line of progress or advice; omitted with JSON. */
    public void note(String text) {
        if (!isJson) {
            errorLine(text);
        }
    }

    /** Prints a problem that does not end the command; with JSON, as an object with the key detail. */
    public void problem(String text) {
        errorLine(isJson ? text(Map.of("detail", text)) : text);
    }

    /** Prints the problem of a line of the input; with JSON, with the keys line and detail. */
    public void problem(long line, String text) {
        errorLine(isJson ? text(Map.of("line", line, "detail", text)) : "line " + line + ": " + text);
    }

    /** Prints the failure that ends the command; with JSON, with the keys detail and exitCode. */
    public void failure(String message, int exitCode) {
        String line = Printable.onOneLine(message);
        errorLine(isJson ? text(Map.of("detail", line, "exitCode", exitCode)) : "spillway: " + line);
    }

    private void errorLine(String text) {
        err.println(text);
        err.flush();
    }

    /** Prints a head and rows; see {@link #table(Stream)}. */
    public void table(List<?> head, Stream<? extends List<?>> rows) {
        table(Stream.<List<?>>concat(Stream.of(head), rows));
    }

    /** Returns a number with its noun, such as {@code 1 item} or {@code 2,000 items}. */
    public static String count(long number, String noun) {
        return Printable.count(number, noun);
    }

    /** Returns a number with commas between its thousands. */
    public static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** Prints columns that are as wide as their widest cell. */
    public void table(Stream<? extends List<?>> cells) {
        List<List<String>> rows = cells.map(row -> row.stream().map(String::valueOf).toList()).toList();
        int[] widths = new int[rows.stream().mapToInt(List::size).max().orElse(0)];
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                text.append(row.get(i)).repeat(" ", widths[i] - row.get(i).length() + 2);
            }
            line(text.toString().stripTrailing());
        }
    }
}
