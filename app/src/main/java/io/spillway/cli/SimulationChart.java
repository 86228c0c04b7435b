package io.spillway.cli;

import io.spillway.policy.Lane;
import io.spillway.policy.Printable;
import io.spillway.sim.SimulationResult;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;
import org.w3c.dom.Document;

/** Draws depths by lane and ages by tenant over time, one above the other, as a PNG or an SVG file. */
final class SimulationChart {
    private static final int WIDTH = 1_000;
    private static final int HEIGHT = 420;
    private static final double MILLIS_PER_MINUTE = 60_000;
    private static final double MILLIS_PER_SECOND = 1_000;
    private static final String SVG_NAMESPACE = "http://www.w3.org/2000/svg";

    private SimulationChart() {}

    /** Finds fault with a file that could not be drawn into, before a long run. */
    static void requireDrawable(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        if (!isSvg(file) && !isPng(file) || !Files.isDirectory(directory)) {
            throw CommandFailure.usage("--chart " + Printable.of(file.toString())
                    + ": must be a file that ends in .png or .svg, in a directory that is there");
        }
    }

    /** Draws into a file, which is replaced. */
    static void draw(SimulationResult result, Path file) {
        System.setProperty("java.awt.headless", "true");
        try {
            List<XYChart> panels = List.of(depths(result), ages(result));
            if (isSvg(file)) {
                drawSvg(panels, file);
            } else {
                drawPng(panels, file);
            }
        } catch (IOException e) {
            throw CommandFailure.failed("cannot write " + Printable.of(file.toString()) + ": " + Printable.of(e.toString()));
        } catch (LinkageError e) {
            throw CommandFailure.failed("cannot draw: this Java has no fonts or no java.desktop (" + Printable.of(e.toString()) + ")");
        }
    }

    private static void drawPng(List<XYChart> panels, Path file) throws IOException {
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT * panels.size(), BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        paint(panels, graphics);
        graphics.dispose();
        ImageIO.write(image, "png", file.toFile());
    }

    private static void drawSvg(List<XYChart> panels, Path file) throws IOException {
        Document document = emptySvg();
        SVGGraphics2D graphics = new SVGGraphics2D(document);
        graphics.setSVGCanvasSize(new Dimension(WIDTH, HEIGHT * panels.size()));
        paint(panels, graphics);
        try (Writer out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            graphics.stream(out, true);
        }
    }

    private static Document emptySvg() {
        try {
            return DocumentBuilderFactory.newDefaultNSInstance().newDocumentBuilder().getDOMImplementation()
                    .createDocument(SVG_NAMESPACE, "svg", null);
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException("the JDK's own parser in its own configuration", e);
        }
    }

    private static void paint(List<XYChart> panels, Graphics2D graphics) {
        for (XYChart panel : panels) {
            panel.paint(graphics, WIDTH, HEIGHT);
            graphics.translate(0, HEIGHT);
        }
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
        XYChart chart = chart("Age of the oldest item that waits for its first attempt, of the tenants that waited longest", "seconds");
        for (int series : SimulationReport.topSeries(result)) {
            add(chart, result, shortened(result.series().get(series)), sample -> sample.agesMillis()[series] / MILLIS_PER_SECOND);
        }
        return chart;
    }

    private static XYChart chart(String title, String unit) {
        XYChart chart = new XYChartBuilder().width(WIDTH).height(HEIGHT).title(title).xAxisTitle("minutes").yAxisTitle(unit).build();
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setYAxisMin(0.0);
        return chart;
    }

    private static void add(
            XYChart chart, SimulationResult result, String name, ToDoubleFunction<SimulationResult.Sample> value) {
        double[] minutes = result.samples().stream().mapToDouble(each -> each.nowMillis() / MILLIS_PER_MINUTE).toArray();
        double[] values = result.samples().stream().mapToDouble(value).toArray();
        chart.addSeries(name, minutes, values).setMarker(SeriesMarkers.NONE);
    }

    private static String shortened(String tenant) {
        return tenant.length() <= 20 ? tenant : tenant.substring(0, 17) + "...";
    }

    private static boolean isSvg(Path file) {
        return file.toString().endsWith(".svg");
    }

    private static boolean isPng(Path file) {
        return file.toString().endsWith(".png");
    }
}
