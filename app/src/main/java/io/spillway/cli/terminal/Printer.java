package io.spillway.cli.terminal;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Prints results to standard output and progress to standard error. */
public final class Printer {
    /** In a fixed order, so that two runs can be compared. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .defaultPropertyInclusion(JsonInclude.Value.construct(Include.NON_NULL, Include.ALWAYS))
            .build();

    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean quiet;

    /** @param quiet whether notes are left out */
    public Printer(PrintWriter out, PrintWriter err, boolean quiet) {
        this.out = out;
        this.err = err;
        this.quiet = quiet;
    }

    public void line(String text) {
        out.println(text);
        out.flush();
    }

    /** Prints maps, lists and records as one JSON value on one line; null components of records are left out. */
    public void json(Object value) {
        try {
            line(JSON.writeValueAsString(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("results are plain maps, lists and records", e);
        }
    }

    /** Returns the components of a record as {@link #json} prints them, to be added to. */
    public static Map<String, Object> fields(Record components) {
        return JSON.convertValue(components, new TypeReference<Map<String, Object>>() {});
    }

    /** A line about work under way or about something to know; not in the way of JSON. */
    public void note(String text) {
        if (!quiet) {
            err.println(text);
            err.flush();
        }
    }

    /** A line about something that went wrong while the work goes on; JSON has its place on the other stream. */
    public void problem(String text) {
        err.println(text);
        err.flush();
    }

    /** Prints a heading for each column, and a line for each row; see {@link #table(List)}. */
    public void table(List<?> head, Stream<? extends List<?>> rows) {
        table(Stream.concat(Stream.of(head), rows)
                .map(row -> row.stream().map(String::valueOf).toList())
                .toList());
    }

    /** Prints columns as wide as their widest cell. */
    public void table(List<List<String>> rows) {
        List<Integer> widths = new ArrayList<>();
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                int width = row.get(i).length();
                if (i == widths.size()) {
                    widths.add(width);
                } else {
                    widths.set(i, Math.max(widths.get(i), width));
                }
            }
        }
        for (List<String> row : rows) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                text.append(row.get(i)).repeat(" ", widths.get(i) - row.get(i).length() + 2);
            }
            line(text.toString().stripTrailing());
        }
    }
}
