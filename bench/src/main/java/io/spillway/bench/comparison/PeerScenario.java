package io.spillway.bench.comparison;

import io.spillway.bench.load.Contestant;
import io.spillway.bench.support.Bench;
import java.util.List;
import java.util.Map;

/** A load that each contestant meets in turn. */
public interface PeerScenario {
    /** A line of the table; the format is of one number. */
    record Figure(String name, String format) {}

    /**
     * What came of it for one contestant in one round.
     *
     * @param figures   by name
     * @param disturbed whether others used the machine
     * @param detail    for whoever wonders, a line for each run
     */
    record Result(Map<String, Double> figures, boolean disturbed, List<String> detail) {}

    /** For the head of the output. */
    String title();

    /** Its figures, in the order of the table. */
    List<Figure> figures();

    /** The figures that tell most, for the chart; of one unit. */
    List<String> charted();

    /** A short run that is discarded: classes are loaded and compiled. */
    void warmUp(Bench bench, Contestant contestant, String prefix);

    /**
     * Runs it.
     *
     * @param prefix of the topics, never used before
     */
    Result run(Bench bench, Contestant contestant, String prefix);
}
