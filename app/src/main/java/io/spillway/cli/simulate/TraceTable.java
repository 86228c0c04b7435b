package io.spillway.cli.simulate;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.text.Printable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Reader of the rows of a CSV file with a header line. Errors are wrong usage and name the file, line and column. */
final class TraceTable {
    private static final ObjectReader ROWS =
            new CsvMapper().readerFor(String[].class).withFeatures(CsvParser.Feature.WRAP_AS_ARRAY,
                    CsvParser.Feature.TRIM_SPACES, CsvParser.Feature.SKIP_EMPTY_LINES);

    private final String file;
    private final MappingIterator<String[]> rows;
    private List<String> header = List.of();
    private String[] cells = {};
    private long line;

    /** What is done with the rows of an open file. */
    interface Reader<T> {
        T read(TraceTable table) throws IOException;
    }

    private TraceTable(String file, MappingIterator<String[]> rows) throws IOException {
        this.file = file;
        this.rows = rows;
        if (!next()) {
            throw wrong("must have a header line");
        }
        header = List.of(cells);
    }

    /** Opens a file, relative to the directory, and returns what the reader makes of its rows. */
    static <T> T read(Path directory, String file, Reader<T> reader) {
        Path path = directory.resolve(file);
        try (MappingIterator<String[]> rows = ROWS.readValues(Files.newInputStream(path))) {
            return reader.read(new TraceTable(Printable.of(file), rows));
        } catch (NoSuchFileException e) {
            throw CommandFailure.usage(Printable.of(path.toString()) + ": no such file");
        } catch (IOException e) {
            throw CommandFailure.usage(Printable.of(path.toString()) + ": cannot be read: "
                    + Printable.of(String.valueOf(e.getMessage()).lines().findFirst().orElse("")));
        }
    }

    /** Moves to the next row and returns whether there is one. */
    boolean next() throws IOException {
        line = rows.getCurrentLocation().getLineNr();
        if (!rows.hasNextValue()) {
            return false;
        }
        cells = rows.nextValue();
        if (!header.isEmpty() && cells.length != header.size()) {
            throw wrongRow(cells.length + " columns, must be " + header.size() + " as in the header");
        }
        return true;
    }

    int columns() {
        return header.size();
    }

    boolean has(String column) {
        return header.contains(column);
    }

    /** Returns the index of the first of these columns that exists. */
    int column(String... names) {
        return Stream.of(names).filter(this::has).findFirst().map(header::indexOf)
                .orElseThrow(() -> wrong("the header must have a column " + String.join(" or ", names)));
    }

    /** Returns the columns that are named by the prefix and a number: the number by the column's index. */
    Map<Integer, Integer> numbered(String prefix) {
        return IntStream.range(0, header.size()).boxed().filter(i -> header.get(i).matches(prefix + "\\d{1,6}"))
                .collect(Collectors.toMap(i -> i, i -> Integer.valueOf(header.get(i).substring(prefix.length()))));
    }

    double number(int column, double max) {
        try {
            double value = Double.parseDouble(cells[column]);
            if (value >= 0 && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // The same error as for a number out of range.
        }
        throw wrong(column, "must be a number from 0 to " + (long) max);
    }

    String tenant(int column) {
        if (!ItemLimits.isName(cells[column])) {
            throw wrong(column, "must be " + ItemLimits.NAME_ALLOWED);
        }
        return cells[column];
    }

    CommandFailure wrong(int column, String allowed) {
        return wrongRow(Printable.of(header.get(column)) + " = " + Printable.of(cells[column]) + ": " + allowed);
    }

    CommandFailure wrongRow(String error) {
        return CommandFailure.usage(file + " line " + line + ": " + error);
    }

    CommandFailure wrong(String error) {
        return CommandFailure.usage(file + ": " + error);
    }
}
