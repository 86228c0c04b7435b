package io.spillway.cli;

import io.spillway.policy.ItemLimits;
import io.spillway.policy.Printable;
import io.spillway.sim.Latency;
import io.spillway.sim.Limits;
import io.spillway.sim.RecordedTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads recorded traffic from CSV with a header line and without quotes, in one of two layouts:
 *
 * <ul>
 *   <li>{@code atMillis,tenant[,handlingMillis]}: a line for each arrival, in the order of time;
 *   <li>{@code tenant,…,minute_1,minute_2,…}: a line for each tenant (or each of its functions) with its arrivals in each
 *       minute, as in the Azure Functions Trace 2019, whose {@code HashOwner} is taken for {@code tenant}. A second file may
 *       tell handling times: {@code tenant,…,percentile_Average_0,…,percentile_Average_100}, in milliseconds.
 * </ul>
 */
final class TraceLoader {
    private static final int MAX_LINE_BYTES = 1024 * 1024;
    private static final int MAX_ARRIVALS = 50_000_000;
    private static final Pattern MINUTE = Pattern.compile("minute_(\\d{1,6})");
    private static final Pattern PERCENTILE = Pattern.compile("percentile_Average_(\\d{1,3})");
    private static final long MINUTE_MILLIS = 60_000;

    private final Path directory;

    /**
     * Makes a loader.
     *
     * @param directory where files are looked for whose paths are relative
     */
    TraceLoader(Path directory) {
        this.directory = directory;
    }

    /**
     * Loads a trace.
     *
     * @param file      of arrivals
     * @param durations of handling times, empty for none
     * @throws CommandFailure as wrong usage when they cannot be read
     */
    RecordedTrace load(String file, String durations) {
        Table[] result = new Table[1];
        read(file, table -> result[0] = table);
        return result[0].has("atMillis") ? rows(file) : counts(file, durations);
    }

    /** A header and, while lines are read, the line at hand. */
    private static final class Table {
        private final String file;
        private final List<String> header;
        private String[] cells = {};
        private long line = 1;

        Table(String file, String first) {
            this.file = file;
            this.header = List.of(first.split(",", -1));
        }

        boolean has(String column) {
            return header.contains(column);
        }

        int column(String... names) {
            for (String name : names) {
                if (has(name)) {
                    return header.indexOf(name);
                }
            }
            throw CommandFailure.usage(Printable.of(file) + ": the header must have a column " + String.join(" or ", names));
        }

        double number(int column, double most) {
            String text = cells[column];
            try {
                double value = Double.parseDouble(text);
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
            return CommandFailure.usage(Printable.of(file) + " line " + line + ": " + Printable.of(header.get(column)) + " = "
                    + Printable.of(cells[column]) + ": " + allowed);
        }
    }

    private interface Use {
        void line(Table table);
    }

    /** Calls once with the header alone, and then with each line. */
    private void read(String file, Use use) {
        Path path = directory.resolve(file);
        if (!Files.isRegularFile(path)) {
            throw CommandFailure.usage(Printable.of(path.toString()) + ": no such file");
        }
        try (TextLines lines = new TextLines(Files.newInputStream(path), MAX_LINE_BYTES)) {
            String first = lines.next();
            if (first == null) {
                throw CommandFailure.usage(Printable.of(file) + ": must have a header line");
            }
            Table table = new Table(file, first);
            use.line(table);
            for (String text = lines.next(); text != null; text = lines.next()) {
                table.line = lines.number();
                table.cells = text.split(",", -1);
                if (table.cells.length != table.header.size()) {
                    throw CommandFailure.usage(Printable.of(file) + " line " + table.line + ": " + table.cells.length
                            + " columns, must be " + table.header.size() + " as in the header");
                }
                use.line(table);
            }
        } catch (IOException | IllegalArgumentException e) {
            throw CommandFailure.usage(Printable.of(file) + ": cannot be read: " + Printable.of(e.getMessage()));
        }
    }

    private RecordedTrace rows(String file) {
        Map<String, Integer> tenants = new LinkedHashMap<>();
        long[][] at = {new long[1_024]};
        int[][] tenant = {new int[1_024]};
        int[][] handling = {new int[1_024]};
        int[] count = {0};
        read(file, table -> {
            if (table.cells.length == 0) {
                return;
            }
            if (count[0] == at[0].length) {
                int longer = 2 * at[0].length;
                at[0] = Arrays.copyOf(at[0], longer);
                tenant[0] = Arrays.copyOf(tenant[0], longer);
                handling[0] = Arrays.copyOf(handling[0], longer);
            }
            int i = count[0]++;
            requireRoom(file, i, tenants.size());
            int column = table.column("atMillis");
            at[0][i] = Math.round(table.number(column, Limits.MAX_RUN_MILLIS) * 1_000);
            if (i > 0 && at[0][i] < at[0][i - 1]) {
                throw table.wrong(column, "must not be before the line above");
            }
            tenant[0][i] = tenants.computeIfAbsent(table.tenant(table.column("tenant")), name -> tenants.size());
            handling[0][i] = table.has("handlingMillis")
                    ? (int) Math.round(table.number(table.column("handlingMillis"), 2_000_000) * 1_000)
                    : -1;
        });
        return new RecordedTrace.Rows(List.copyOf(tenants.keySet()), Arrays.copyOf(at[0], count[0]),
                Arrays.copyOf(tenant[0], count[0]), Arrays.copyOf(handling[0], count[0]));
    }

    private RecordedTrace counts(String file, String durations) {
        Map<String, Latency> latencies = durations.isEmpty() ? Map.of() : durations(durations);
        Map<String, int[]> counts = new LinkedHashMap<>();
        long[] sum = {0};
        read(file, table -> {
            int tenant = table.column("tenant", "HashOwner");
            if (!table.has("minute_1")) {
                throw CommandFailure.usage(Printable.of(file) + ": the header must have atMillis and tenant, or tenant and minute_1, minute_2, ...");
            }
            if (table.cells.length == 0) {
                return;
            }
            int[] row = counts.computeIfAbsent(table.tenant(tenant), name -> new int[table.header.size()]);
            for (int column = 0; column < table.cells.length; column++) {
                Matcher minute = MINUTE.matcher(table.header.get(column));
                if (minute.matches()) {
                    int at = Integer.parseInt(minute.group(1)) - 1;
                    if (at < 0 || at >= row.length) {
                        throw table.wrong(column, "minutes must be numbered from 1 on");
                    }
                    int number = (int) table.number(column, MAX_ARRIVALS);
                    row[at] += number;
                    sum[0] += number;
                }
            }
            requireRoom(file, sum[0], counts.size());
        });
        return new RecordedTrace.Counts(List.copyOf(counts.keySet()), counts.values().toArray(int[][]::new), MINUTE_MILLIS,
                counts.keySet().stream().map(name -> Optional.ofNullable(latencies.get(name))).toList());
    }

    /** Of several functions of one tenant the first that is there counts. */
    private Map<String, Latency> durations(String file) {
        Map<String, Latency> latencies = new HashMap<>();
        read(file, table -> {
            int tenant = table.column("tenant", "HashOwner");
            if (table.cells.length == 0) {
                return;
            }
            List<double[]> points = new ArrayList<>();
            for (int column = 0; column < table.cells.length; column++) {
                Matcher percentile = PERCENTILE.matcher(table.header.get(column));
                if (percentile.matches()) {
                    points.add(new double[] {Integer.parseInt(percentile.group(1)) / 100.0, table.number(column, Limits.DAY_MILLIS)});
                }
            }
            points.sort((a, b) -> Double.compare(a[0], b[0]));
            double[] shares = points.stream().mapToDouble(point -> point[0]).toArray();
            double[] millis = points.stream().mapToDouble(point -> point[1]).toArray();
            try {
                latencies.putIfAbsent(table.tenant(tenant), new Latency.Percentiles(shares, millis));
            } catch (IllegalArgumentException e) {
                throw CommandFailure.usage(Printable.of(file) + " line " + table.line + ": " + Printable.of(e.getMessage()));
            }
        });
        return latencies;
    }

    private static void requireRoom(String file, long arrivals, int tenants) {
        if (arrivals >= MAX_ARRIVALS || tenants > Limits.MAX_TENANTS) {
            throw CommandFailure.usage(Printable.of(file) + ": must have at most " + MAX_ARRIVALS + " arrivals of "
                    + Limits.MAX_TENANTS + " tenants");
        }
    }
}
