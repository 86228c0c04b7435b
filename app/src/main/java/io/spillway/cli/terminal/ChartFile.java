package io.spillway.cli.terminal;

import io.spillway.core.text.Printable;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.AnnotationLine;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;
import org.w3c.dom.Document;

/** Writer of charts, one above the other, to a PNG or SVG file, by the extension of its name. */
public final class ChartFile {
    private static final int WIDTH = 1_000;
    private static final int HEIGHT = 420;
    private static final String SVG_NAMESPACE = "http://www.w3.org/2000/svg";

    private ChartFile() {}

    /** Checks before a long run that the file can be drawn; throws {@link CommandFailure} otherwise. */
    public static void requireDrawable(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        if (!isSvg(file) && !file.toString().endsWith(".png") || !Files.isDirectory(directory)) {
            throw CommandFailure.usage("--chart " + Printable.of(file.toString())
                    + ": must be a .png or .svg file in a directory that exists");
        }
    }

    /**
     * One chart: lines over time.
     *
     * @param isLogarithmic whether the values are so shown, from 1 on
     * @param marks         times of vertical lines
     * @param end           of the axis of time; 0 for that of the lines
     */
    public record Panel(
            String title, String timeUnit, String unit, boolean isLogarithmic, List<Line> lines, double[] marks,
            double end) {
        private XYChart chart() {
            XYChart chart = new XYChartBuilder()
                    .width(WIDTH).height(HEIGHT).title(title).xAxisTitle(timeUnit).yAxisTitle(unit).build();
            XYStyler styler = chart.getStyler();
            styler.setLegendPosition(Styler.LegendPosition.OutsideE);
            styler.setChartBackgroundColor(Color.WHITE);
            styler.setYAxisLogarithmic(isLogarithmic);
            styler.setYAxisMin(isLogarithmic ? 1.0 : 0.0);
            if (end > 0) {
                styler.setXAxisMin(0.0);
                styler.setXAxisMax(end);
                styler.setXAxisDecimalPattern("#,###");
                styler.setYAxisDecimalPattern("#,###");
            }
            lines.stream().filter(line -> line.times.length > 0).forEach(line ->
                    chart.addSeries(line.name, line.times, line.values).setMarker(SeriesMarkers.NONE));
            for (double mark : marks) {
                chart.addAnnotation(new AnnotationLine(mark, true, false));
            }
            return chart;
        }
    }

    /** Values over time, in ascending order of time. */
    public record Line(String name, double[] times, double[] values) {
        /** Returns the line through these points. */
        public static <P> Line of(
                String name, List<P> points, ToDoubleFunction<P> time, ToDoubleFunction<P> value) {
            return new Line(name, points.stream().mapToDouble(time).toArray(),
                    points.stream().mapToDouble(value).toArray());
        }
    }

    /**
     * Draws the panels and replaces the file.
     *
     * @throws CommandFailure if the file cannot be written, or this Java runtime cannot draw
     */
    public static void draw(List<Panel> panels, Path file) {
        System.setProperty("java.awt.headless", "true");
        try {
            List<XYChart> charts = panels.stream().map(Panel::chart).toList();
            if (isSvg(file)) {
                drawSvg(charts, file);
            } else {
                drawPng(charts, file);
            }
        } catch (IOException e) {
            throw CommandFailure.failed(
                    "Cannot write " + Printable.of(file.toString()) + ": " + Printable.of(e.toString()));
        } catch (LinkageError | InternalError | RuntimeException e) {
            // Which of these a Java runtime without libfreetype or fontconfig throws depends on its version.
            throw CommandFailure.failed("Cannot draw the chart: this Java runtime has no fonts or no java.desktop ("
                    + Printable.of(e.toString()) + "). Install fontconfig and a font, or leave out --chart.");
        }
    }

    private static void drawPng(List<XYChart> panels, Path file) throws IOException {
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT * panels.size(), BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        paint(panels, graphics);
        graphics.dispose();
        // If it is given a file that cannot be opened, ImageIO prints a stack trace.
        try (OutputStream out = Files.newOutputStream(file)) {
            ImageIO.write(image, "png", out);
        }
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
            throw new IllegalStateException("the JDK's default parser must be available", e);
        }
    }

    private static void paint(List<XYChart> panels, Graphics2D graphics) {
        for (XYChart panel : panels) {
            panel.paint(graphics, WIDTH, HEIGHT);
            graphics.translate(0, HEIGHT);
        }
    }

    private static boolean isSvg(Path file) {
        return file.toString().endsWith(".svg");
    }
}
