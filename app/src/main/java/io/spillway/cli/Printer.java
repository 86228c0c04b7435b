package io.spillway.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** Prints results to standard output and progress to standard error. */
final class Printer {
    /** In a fixed order, so that two runs can be compared. */
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();

    private final PrintWriter out;
    private final PrintWriter err;
    private final boolean quiet;

    Printer(CommandSpec spec, CommonOptions common) {
        this.out = spec.commandLine().getOut();
        this.err = spec.commandLine().getErr();
        this.quiet = common.isJson();
    }

    void line(String text) {
        out.println(text);
        out.flush();
    }

    /** One JSON value on one line. */
    void json(Object value) {
        try {
            line(JSON.writeValueAsString(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("results are plain maps and lists", e);
        }
    }

    /** A line about work under way or about something to know; not in the way of JSON. */
    void note(String text) {
        if (!quiet) {
            err.println(text);
            err.flush();
        }
    }

    /** A line about something that went wrong while the work goes on; JSON has its place on the other stream. */
    void problem(String text) {
        err.println(text);
        err.flush();
    }

    /** Columns as wide as their widest cell. */
    void table(List<List<String>> rows) {
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
