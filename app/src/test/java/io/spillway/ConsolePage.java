package io.spillway;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Page of the documentation as a list of shell commands with the output that it shows for each.
 *
 * @param name     path of the page in the repository
 * @param commands of its blocks marked {@code console}, in the order of the page
 */
record ConsolePage(String name, List<Command> commands) {
    private static final String PROMPT = "$ ";
    private static final String CONTINUATION = "> ";
    private static final Pattern PROGRESS =
            Pattern.compile("(?:\\w+ )?[\\d,]+ of [\\d,]+ (?:[a-z]+(?: [a-z]+)?(?: \\([\\d,]+/s\\))?|\\.\\.\\.)");

    /** Part of an output line that is not compared letter by letter: a gap, blanks, or a piece of one of the forms. */
    private static final Pattern PART = Pattern.compile("(?<gap>\\s*\\.\\.\\.\\s*)|(?<blank>\\s+)|(?<!\\w)(?:"
            + String.join("|", Form.patterns()) + ")(?!\\w)");

    /** Pieces of an output that differ between two runs; each matches any other piece of the same form. */
    enum Form {
        UUID("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
        GENERATED_ID("(?:[0-9a-f]{64}|[0-9a-f]{16}|[0-9a-f]{8})"),
        ISO_TIME("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z"),
        HTTP_DATE("[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT"),
        DURATION("\\d+(?:\\.\\d+)? ?(?:ms|s|min)");

        private final String pattern;

        Form(String pattern) {
            this.pattern = pattern;
        }

        static List<String> patterns() {
            return Arrays.stream(values())
                    .map(form -> "(?<" + form.group() + ">" + form.pattern + ")")
                    .toList();
        }

        private String group() {
            return name().replace("_", "");
        }
    }

    /**
     * Command with the output that the page shows for it.
     *
     * @param line     number of its first line in the page, from 1
     * @param text     the command, perhaps of several lines
     * @param expected lines below it, up to the next command or the end of the block
     */
    record Command(int line, String text, List<String> expected) {
        /**
         * Returns whether an output is the one that the page shows. Blanks at the end of a line, the number of blanks
         * between two words (they depend on the width of numbers), empty lines at the end and progress lines do not
         * count. {@code ...} stands for any text within a line, and each {@link Form} for another of the same form.
         */
        boolean isMatchedBy(List<String> output) {
            List<String> shown = significant(expected);
            List<String> real = significant(output);
            if (shown.size() != real.size()) {
                return false;
            }
            for (int i = 0; i < shown.size(); i++) {
                if (!pattern(shown.get(i)).matcher(real.get(i)).matches()) {
                    return false;
                }
            }
            return true;
        }

        private static List<String> significant(List<String> lines) {
            List<String> significant = new ArrayList<>(lines.stream()
                    .map(String::stripTrailing)
                    .filter(line -> !PROGRESS.matcher(line).matches())
                    .toList());
            while (!significant.isEmpty() && significant.getLast().isEmpty()) {
                significant.removeLast();
            }
            return significant;
        }

        private static Pattern pattern(String line) {
            StringBuilder regex = new StringBuilder();
            Matcher part = PART.matcher(line);
            int end = 0;
            while (part.find()) {
                regex.append(Pattern.quote(line.substring(end, part.start()))).append(regex(part));
                end = part.end();
            }
            return Pattern.compile(regex.append(Pattern.quote(line.substring(end))).toString());
        }

        private static String regex(Matcher part) {
            if (part.group("gap") != null) {
                return ".*";
            }
            if (part.group("blank") != null) {
                return "\\s+";
            }
            for (Form form : Form.values()) {
                if (part.group(form.group()) != null) {
                    return form.pattern;
                }
            }
            throw new IllegalStateException("a part without a form: " + part.group());
        }

        /** Returns the command with a replacement of texts in it and in its output. */
        Command replaced(UnaryOperator<String> replacement) {
            return new Command(line, replacement.apply(text), expected.stream().map(replacement).toList());
        }
    }

    /**
     * Reads a page.
     *
     * @throws UncheckedIOException  if it cannot be read
     * @throws IllegalStateException if a block begins with something else than a command, or does not end
     */
    static ConsolePage read(Path root, Path file) {
        try {
            return parse(root.relativize(file).toString(), Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ConsolePage parse(String name, List<String> lines) {
        List<Command> commands = new ArrayList<>();
        int open = -1;
        for (int i = 0; i < lines.size(); i++) {
            if (open < 0 && lines.get(i).equals("```console")) {
                open = i + 1;
            } else if (open >= 0 && lines.get(i).equals("```")) {
                addCommands(name, lines, open, i, commands);
                open = -1;
            }
        }
        if (open >= 0) {
            throw new IllegalStateException(name + ":" + open + ": this block does not end");
        }
        return new ConsolePage(name, List.copyOf(commands));
    }

    private static void addCommands(String name, List<String> lines, int from, int to, List<Command> commands) {
        int next = from;
        while (next < to) {
            int first = next;
            if (!lines.get(first).startsWith(PROMPT)) {
                throw new IllegalStateException(name + ":" + (first + 1) + ": a block begins with `$ ` and a command");
            }
            StringBuilder text = new StringBuilder(lines.get(next++).substring(PROMPT.length()));
            while (next < to && (text.toString().endsWith("\\") || lines.get(next).startsWith(CONTINUATION))) {
                String line = lines.get(next++);
                text.append('\n').append(line.startsWith(CONTINUATION) ? line.substring(CONTINUATION.length()) : line);
            }
            int output = next;
            while (next < to && !lines.get(next).startsWith(PROMPT)) {
                next++;
            }
            commands.add(new Command(first + 1, text.toString(), List.copyOf(lines.subList(output, next))));
        }
    }
}
