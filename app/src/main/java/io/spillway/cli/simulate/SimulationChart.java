package io.spillway.cli.simulate;

import io.spillway.cli.terminal.ChartFile;
import io.spillway.core.item.Lane;
import io.spillway.sim.SimulationResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.XYChart;

/** Chart of depths by lane and ages by tenant over time. */
final class SimulationChart {
    private static final double MILLIS_PER_MINUTE = 60_000;
    private static final double MILLIS_PER_SECOND = 1_000;

    private SimulationChart() {}

    /** Draws the chart and replaces the file. */
    static void draw(SimulationResult result, Path file) {
        ChartFile.draw(() -> List.of(depths(result), ages(result)), file);
    }

    private static XYChart depths(SimulationResult result) {
        XYChart chart = chart("Items in each lane: " + result.scenario().name() + ", "
                + result.discipline().name().toLowerCase(Locale.ROOT) + ", seed " + result.seed(), "items");
        for (Lane lane : Lane.values()) {
            if (result.peakDepths().get(lane) > 0) {
                add(chart, result, SimulationReport.laneName(result, lane), sample -> sample.depths().get(lane));
            }
        }
        return chart;
    }

    private static XYChart ages(SimulationResult result) {
        XYChart chart = chart("Age of the oldest item that waits for its first attempt, of the tenants that waited "
                + "longest", "seconds");
        for (int series : SimulationReport.topSeries(result)) {
            add(chart, result, shortened(result.series().get(series)),
                    sample -> sample.agesMillis()[series] / MILLIS_PER_SECOND);
        }
        return chart;
    }

    private static XYChart chart(String title, String unit) {
        XYChart chart = ChartFile.panel(title, "minutes", unit);
        chart.getStyler().setYAxisMin(0.0);
        return chart;
    }

    private static void add(
            XYChart chart, SimulationResult result, String name, ToDoubleFunction<SimulationResult.Sample> value) {
        ChartFile.line(chart, name,
                result.samples().stream().mapToDouble(each -> each.nowMillis() / MILLIS_PER_MINUTE).toArray(),
                result.samples().stream().mapToDouble(value).toArray());
    }

    private static String shortened(String tenant) {
        return tenant.length() <= 20 ? tenant : tenant.substring(0, 17) + "...";
    }
}
