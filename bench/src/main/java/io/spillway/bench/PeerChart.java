package io.spillway.bench;

import java.awt.Color;
import java.awt.Dimension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler;
import org.w3c.dom.Document;

/** Draws the medians that tell most as bars on a logarithmic axis, into an SVG file. */
final class PeerChart {
    private static final int WIDTH = 1_100;
    private static final int HEIGHT = 480;
    private static final String SVG_NAMESPACE = "http://www.w3.org/2000/svg";
    /** A logarithm needs more than 0; less than this is nothing in all units here. */
    private static final double LEAST = 0.1;

    private PeerChart() {}

    /** Draws into a file, which is replaced. What a contestant has no number for has no bar. */
    static void draw(PeerScenario scenario, PeerTable table, String title, Path file) {
        System.setProperty("java.awt.headless", "true");
        CategoryChart chart = new CategoryChartBuilder().width(WIDTH).height(HEIGHT).title(title).build();
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setYAxisMin(LEAST);
        chart.getStyler().setAvailableSpaceFill(0.8);
        List<String> names = table.contestants().stream().map(Contestant::shortLabel).toList();
        for (String figure : scenario.charted()) {
            List<Double> values = table.contestants().stream()
                    .map(each -> shown(table.median(each, figure)))
                    .toList();
            chart.addSeries(figure, names, values);
        }
        try (Writer out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            SVGGraphics2D graphics = new SVGGraphics2D(emptySvg());
            graphics.setSVGCanvasSize(new Dimension(WIDTH, HEIGHT));
            chart.paint(graphics, WIDTH, HEIGHT);
            graphics.stream(out, true);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the chart", e);
        }
    }

    private static double shown(double value) {
        return Double.isFinite(value) ? Math.max(LEAST, value) : LEAST;
    }

    private static Document emptySvg() {
        try {
            return DocumentBuilderFactory.newDefaultNSInstance().newDocumentBuilder().getDOMImplementation()
                    .createDocument(SVG_NAMESPACE, "svg", null);
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException("the JDK's own parser in its own configuration", e);
        }
    }
}
