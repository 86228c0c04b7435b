package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;

/** Result of a command that was called as {@code ./spillway} calls it, but in this JVM. */
public record CommandRun(int exitCode, String out, String err) {
    private static final JsonMapper ONE_VALUE =
            JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    public static CommandRun of(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        int exitCode = line.execute(arguments);
        return new CommandRun(exitCode, out.toString(), err.toString());
    }

    /** Checks that it ended well, and returns itself. */
    public CommandRun done() {
        assertThat(exitCode).as(toString()).isZero();
        return this;
    }

    /**
     * Checks that it failed with this code and one plain line on standard error, and returns that line. On a slow
     * machine, progress such as {@code 8 of 8 offsets read} comes first.
     */
    public String failedWith(int expected) {
        assertThat(exitCode).as(toString()).isEqualTo(expected);
        String failure = err.replaceFirst("^(\\d+ of \\d+ [a-z ]+\n)+", "");
        assertThat(failure).endsWith("\n").startsWith("spillway: ");
        String line = failure.substring(0, failure.length() - 1);
        assertThat(line).as("one line, and nothing that a terminal obeys").doesNotContainPattern("[\\p{Cc}\\p{Cf}]");
        return line;
    }

    public List<String> outLines() {
        return out.lines().toList();
    }

    List<String> errLines() {
        return err.lines().toList();
    }

    /** Returns the only JSON value on standard output. */
    public JsonNode json() {
        try {
            return ONE_VALUE.readTree(out);
        } catch (JsonProcessingException e) {
            throw new AssertionError("not one JSON value: " + out, e);
        }
    }
}
