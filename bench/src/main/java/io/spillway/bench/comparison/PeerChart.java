package io.spillway.bench.comparison;

import io.spillway.bench.load.Contestant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Draws the medians that tell most as bars on a logarithmic axis, into an SVG file of some kilobytes. By hand: the
 * library that draws the simulator's charts makes half a megabyte of a logarithmic axis, for its letters are outlines.
 */
public final class PeerChart {
    private static final int LABEL_WIDTH = 190;
    private static final int AXIS_WIDTH = 640;
    private static final int VALUE_WIDTH = 90;
    private static final int BAR_HEIGHT = 16;
    private static final int GROUP_GAP = 12;
    private static final int HEAD_HEIGHT = 34;
    private static final int LEGEND_LINE = 18;
    private static final List<String> COLOURS = List.of("#9bb7d4", "#1f5a96", "#d98c3f", "#7a3d0c");

    private final PeerScenario scenario;
    private final PeerTable table;
    private final double lowest;
    private final double decades;

    private PeerChart(PeerScenario scenario, PeerTable table) {
        this.scenario = scenario;
        this.table = table;
        double least = Double.MAX_VALUE;
        double most = 1;
        for (Contestant contestant : table.contestants()) {
            for (String figure : scenario.charted()) {
                double value = table.median(contestant, figure);
                if (Double.isFinite(value) && value > 0) {
                    least = Math.min(least, value);
                    most = Math.max(most, value);
                }
            }
        }
        this.lowest = Math.floor(Math.log10(Math.min(least, 1)));
        this.decades = Math.max(1, Math.ceil(Math.log10(most)) - lowest);
    }

    /** Draws into a file, which is replaced. What a contestant has no number for has no bar. */
    static void draw(PeerScenario scenario, PeerTable table, String title, Path file) {
        try {
            Files.writeString(file, new PeerChart(scenario, table).svg(title), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the chart", e);
        }
    }

    private String svg(String title) {
        int groupHeight = scenario.charted().size() * BAR_HEIGHT + GROUP_GAP;
        int chartHeight = table.contestants().size() * groupHeight;
        int legendAt = HEAD_HEIGHT + chartHeight + 30;
        StringBuilder svg = new StringBuilder();
        svg.append(
                ("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                                + "font-family=\"sans-serif\" font-size=\"12\">\n")
                        .formatted(
                                LABEL_WIDTH + AXIS_WIDTH + VALUE_WIDTH,
                                legendAt + scenario.charted().size() * LEGEND_LINE + 4));
        svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        text(svg, 8, 20, "start", title);
        for (int decade = 0; decade <= decades; decade++) {
            double x = LABEL_WIDTH + AXIS_WIDTH * decade / decades;
            svg.append(String.format(
                    Locale.ROOT, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#ddd\"/>%n", x, x,
                    HEAD_HEIGHT, HEAD_HEIGHT + chartHeight));
            text(svg, x, HEAD_HEIGHT + chartHeight + 14, "middle", shown(Math.pow(10, lowest + decade)));
        }
        int y = HEAD_HEIGHT;
        for (Contestant contestant : table.contestants()) {
            text(svg, LABEL_WIDTH - 8, y + (groupHeight - GROUP_GAP) / 2.0 + 4, "end", contestant.shortLabel());
            bars(svg, contestant, y);
            y += groupHeight;
        }
        for (int series = 0; series < scenario.charted().size(); series++) {
            int at = legendAt + series * LEGEND_LINE;
            rectangle(svg, LABEL_WIDTH, at, 12, 12, COLOURS.get(series));
            text(svg, LABEL_WIDTH + 18, at + 11, "start", scenario.charted().get(series));
        }
        return svg.append("</svg>\n").toString();
    }

    private void bars(StringBuilder svg, Contestant contestant, int y) {
        for (int series = 0; series < scenario.charted().size(); series++) {
            double value = table.median(contestant, scenario.charted().get(series));
            if (Double.isFinite(value)) {
                double width = value > 0 ? AXIS_WIDTH * Math.max(0, Math.log10(value) - lowest) / decades : 0;
                int top = y + series * BAR_HEIGHT;
                rectangle(svg, LABEL_WIDTH, top, width, BAR_HEIGHT - 2, COLOURS.get(series));
                text(svg, LABEL_WIDTH + width + 4, top + 11, "start", shown(value));
            }
        }
    }

    private static void rectangle(StringBuilder svg, double x, double y, double width, double height, String colour) {
        svg.append(String.format(
                Locale.ROOT, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>%n", x, y,
                width, height, colour));
    }

    /** The texts are our own, without characters that XML reserves. */
    private static void text(StringBuilder svg, double x, double y, String anchor, String text) {
        svg.append(String.format(
                Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, text));
    }

    private static String shown(double value) {
        return value < 10 ? String.format(Locale.ROOT, "%.1f", value) : String.format(Locale.ROOT, "%,.0f", value);
    }
}
