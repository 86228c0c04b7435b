package io.spillway.cli.deadletters;

import io.spillway.cli.terminal.Printer;
import io.spillway.core.text.Printable;
import io.spillway.deadletter.DeadLetter;
import io.spillway.deadletter.DeadLetterCounts;
import io.spillway.operator.Inputs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Printable form of dead letters, with control characters escaped. */
final class DeadLetterPrinter {
    private static final int MAX_DETAIL = 60;
    private static final String UNKNOWN = "-";
    static final List<String> COLUMNS =
            List.of("dead at", "tenant", "id", "reason", "stage", "attempts", "origin", "position", "detail");

    private DeadLetterPrinter() {}

    static List<?> row(DeadLetter letter) {
        String detail = Printable.onOneLine(letter.detail());
        return List.of(
                time(letter.deadAtMillis()), letter.owner(), Printable.of(letter.id()),
                letter.reason().isEmpty() ? UNKNOWN : letter.reason(),
                letter.stage().isEmpty() ? UNKNOWN : Printable.of(letter.stage()),
                letter.attempts(), letter.originText(), letter.position(),
                detail.length() > MAX_DETAIL ? detail.substring(0, MAX_DETAIL - 3) + "..." : detail);
    }

    /** Returns a row with name and value for each detail, and for each header. */
    static List<List<String>> rows(Map<String, Object> details) {
        List<List<String>> rows = new ArrayList<>();
        details.forEach((name, value) -> {
            if (value instanceof List<?> headers) {
                headers.forEach(header -> rows.add(List.of("header", Printable.inFull(
                        ((Map<?, ?>) header).get("name") + ": " + ((Map<?, ?>) header).get("value")))));
            } else {
                rows.add(List.of(name, value == null ? UNKNOWN : Printable.inFull(value.toString())));
            }
        });
        return rows;
    }

    static void counts(Printer printer, DeadLetterCounts tally) {
        printer.table(List.of("tenant", "reason", "count"),
                tally.rows().stream().map(row -> List.of(row.group().tenant(), row.group().reason(), row.count())));
    }

    private static String time(OptionalLong millis) {
        return millis.isPresent() ? Inputs.isoOrNull(millis) : UNKNOWN;
    }
}
