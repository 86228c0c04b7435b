package io.spillway.cli.simulate;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Printable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reader of a CSV file with a header line, one row at a time. Every error is wrong usage and names the file, and where
 * there is one the line and the column. Owned by one call of the loader.
 */
final class TraceTable implements AutoCloseable {
    private static final ObjectReader ROWS =
            new CsvMapper().readerFor(String[].class).with(CsvParser.Feature.WRAP_AS_ARRAY);

    private final String file;
    private final MappingIterator<String[]> rows;
    private final List<String> header;
    private String[] cells = {};
    private long line;

    /**
     * Opens a file and reads its header.
     *
     * @param directory where the file is looked for when its path is relative
     */
    TraceTable(Path directory, String file) {
        this.file = Printable.of(file);
        Path path = directory.resolve(file);
        if (!Files.isRegularFile(path)) {
            throw CommandFailure.usage(Printable.of(path.toString()) + ": no such file");
        }
        try {
            rows = ROWS.readValues(Files.newInputStream(path));
        } catch (IOException e) {
            throw unreadable(e);
        }
        if (!advance()) {
            throw wrong("must have a header line");
        }
        header = List.of(cells);
    }

    /** Moves to the next row; false when there is none. */
    boolean next() {
        boolean isThere = advance();
        if (isThere && cells.length != header.size()) {
            throw wrongRow(cells.length + " columns, must be " + header.size() + " as in the header");
        }
        return isThere;
    }

    private boolean advance() {
        line = rows.getCurrentLocation().getLineNr();
        try {
            boolean isThere = rows.hasNextValue();
            cells = isThere ? rows.nextValue() : cells;
            return isThere;
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    int columns() {
        return header.size();
    }

    boolean has(String column) {
        return header.contains(column);
    }

    /** Index of the first of these columns that is there. */
    int column(String... names) {
        for (String name : names) {
            if (has(name)) {
                return header.indexOf(name);
            }
        }
        throw wrong("the header must have a column " + String.join(" or ", names));
    }

    /** The columns whose names have a number, the first group of the pattern: the number by the column's index. */
    Map<Integer, Integer> numbered(Pattern names) {
        Map<Integer, Integer> numbers = new LinkedHashMap<>();
        for (int column = 0; column < header.size(); column++) {
            Matcher name = names.matcher(header.get(column));
            if (name.matches()) {
                numbers.put(column, Integer.valueOf(name.group(1)));
            }
        }
        return numbers;
    }

    double number(int column, double most) {
        try {
            double value = Double.parseDouble(cells[column]);
            if (value >= 0 && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // falls through to the one message
        }
        throw wrong(column, "must be a number from 0 to " + (long) most);
    }

    String tenant(int column) {
        if (!ItemLimits.isName(cells[column])) {
            throw wrong(column, "must be 1 to " + ItemLimits.MAX_NAME_LENGTH + " of A-Z a-z 0-9 . _ -");
        }
        return cells[column];
    }

    CommandFailure wrong(int column, String allowed) {
        return wrongRow(Printable.of(header.get(column)) + " = " + Printable.of(cells[column]) + ": " + allowed);
    }

    /** Wrong in the row at hand. */
    CommandFailure wrongRow(String what) {
        return CommandFailure.usage(file + " line " + line + ": " + what);
    }

    /** Wrong in the file as a whole. */
    CommandFailure wrong(String what) {
        return CommandFailure.usage(file + ": " + what);
    }

    private CommandFailure unreadable(IOException e) {
        return wrong("cannot be read: " + Printable.of(String.valueOf(e.getMessage()).lines().findFirst().orElse("")));
    }

    @Override
    public void close() {
        try {
            rows.close();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }
}
