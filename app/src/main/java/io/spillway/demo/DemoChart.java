package io.spillway.demo;

import io.spillway.cli.terminal.ChartFile;
import io.spillway.core.item.ItemState;
import java.awt.Color;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.knowm.xchart.AnnotationLine;
import org.knowm.xchart.XYChart;

/** Chart of the ages of quiet tenants' items and of the backlogs, for both queues. */
public final class DemoChart {
    private static final double MILLIS_PER_SECOND = 1_000;
    private static final String FIFO = "FIFO queue";
    private static final Color SPILLWAY = new Color(0x1f5fd0);
    private static final Color FIFO_COLOR = new Color(0xc0392b);
    /** Colours of the lanes, in the order of {@link ItemState#WAITING}. */
    private static final List<Color> LANES =
            List.of(SPILLWAY, new Color(0xe09010), new Color(0x8e44ad), new Color(0x2e9e5b));

    private DemoChart() {}

    /** Draws the chart and replaces the file. */
    public static void draw(DemoResult result, Path file) {
        ChartFile.draw(() -> List.of(ages(result), depths(result)), file);
    }

    private static XYChart ages(DemoResult result) {
        DemoPlan plan = result.plan();
        XYChart chart = ChartFile.panel(String.format(Locale.ROOT,
                "Quiet tenants: 99th percentile of the waiting time of items due at this time (flood %s to %s s)",
                seconds(plan.floodFromMillis()), seconds(plan.floodToMillis())), "seconds", "milliseconds");
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setYAxisDecimalPattern("#,###");
        // The resolution of the clock is 1 ms.
        chart.getStyler().setYAxisMin(1.0);
        add(chart, "Spillway", SPILLWAY, result.spillway());
        add(chart, FIFO, FIFO_COLOR, result.fifo());
        finish(chart, result);
        return chart;
    }

    private static void add(XYChart chart, String name, Color color, DemoTally tally) {
        long[] p99Millis = tally.p99MillisOverTime();
        int[] known = IntStream.range(0, p99Millis.length).filter(i -> p99Millis[i] >= 0).toArray();
        if (known.length > 0) {
            ChartFile.line(chart, name,
                    IntStream.of(known).mapToDouble(i -> (i + 1.0) * tally.binMillis() / MILLIS_PER_SECOND).toArray(),
                    IntStream.of(known).mapToDouble(i -> Math.max(1, p99Millis[i])).toArray()).setLineColor(color);
        }
    }

    private static XYChart depths(DemoResult result) {
        XYChart chart = ChartFile.panel("Waiting items", "seconds", "items");
        chart.getStyler().setYAxisMin(0.0);
        for (int i = 0; i < ItemState.WAITING.size(); i++) {
            ItemState lane = ItemState.WAITING.get(i);
            add(chart, lane.label(), LANES.get(i), result.samples(), sample -> sample.in(lane));
        }
        add(chart, FIFO, FIFO_COLOR, result.samples(), DemoSample::fifoWaiting);
        finish(chart, result);
        return chart;
    }

    private static void add(
            XYChart chart, String name, Color color, List<DemoSample> samples, ToLongFunction<DemoSample> value) {
        ChartFile.line(chart, name,
                samples.stream().mapToDouble(sample -> sample.elapsedMillis() / MILLIS_PER_SECOND).toArray(),
                samples.stream().mapToDouble(value::applyAsLong).toArray()).setLineColor(color);
    }

    /** Sets the same time axis for all charts, with lines at the start and end of the flood. */
    private static void finish(XYChart chart, DemoResult result) {
        chart.getStyler().setXAxisMin(0.0);
        chart.getStyler().setXAxisMax(result.samples().getLast().elapsedMillis() / MILLIS_PER_SECOND);
        chart.getStyler().setXAxisDecimalPattern("#,###");
        for (long atMillis : new long[] {result.plan().floodFromMillis(), result.plan().floodToMillis()}) {
            chart.addAnnotation(new AnnotationLine(atMillis / MILLIS_PER_SECOND, true, false));
        }
    }

    private static String seconds(long millis) {
        return millis % 1_000 == 0 ? Long.toString(millis / 1_000) : Double.toString(millis / MILLIS_PER_SECOND);
    }
}
