package io.spillway.cli.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * Table whose columns fit a width: those of the lowest priority are left out first. The first column is aligned to the
 * left and the others, which are numbers, to the right. Immutable.
 *
 * @param columns in the order in which they are shown
 */
record FittedTable<T>(List<Column<T>> columns) {
    private static final int GAP = 2;

    /**
     * Column of a table.
     *
     * @param priority 0 for the column that is always shown, and more for those that are left out earlier
     */
    record Column<T>(String title, int priority, Function<T, String> cell) {}

    /** Returns the head and a line for each row. A line is longer than the width only if the first column is. */
    List<String> lines(List<T> rows, int width) {
        List<List<String>> cells = new ArrayList<>();
        for (Column<T> column : columns) {
            List<String> cell = new ArrayList<>(List.of(column.title()));
            rows.forEach(row -> cell.add(column.cell().apply(row)));
            cells.add(cell);
        }
        boolean[] isShown = shown(cells, width);
        List<String> lines = new ArrayList<>();
        for (int line = 0; line <= rows.size(); line++) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < cells.size(); i++) {
                if (isShown[i]) {
                    append(text, cells.get(i).get(line), widthOf(cells.get(i)), i == 0);
                }
            }
            lines.add(text.toString().stripTrailing());
        }
        return lines;
    }

    private boolean[] shown(List<List<String>> cells, int width) {
        boolean[] isShown = new boolean[columns.size()];
        int used = -GAP;
        List<Column<T>> important = columns.stream().sorted(Comparator.comparingInt(Column::priority)).toList();
        for (Column<T> column : important) {
            int i = columns.indexOf(column);
            used += GAP + widthOf(cells.get(i));
            // The first one that does not fit ends the table: a column never replaces a more important one.
            if (used > width && column.priority() > 0) {
                break;
            }
            isShown[i] = true;
        }
        return isShown;
    }

    private static int widthOf(List<String> cells) {
        return cells.stream().mapToInt(String::length).max().orElse(0);
    }

    private static void append(StringBuilder text, String cell, int width, boolean isLeft) {
        text.append(" ".repeat(text.isEmpty() ? 0 : GAP));
        String blanks = " ".repeat(width - cell.length());
        text.append(isLeft ? cell + blanks : blanks + cell);
    }
}
