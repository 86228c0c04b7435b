package io.spillway.bench.load;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/** Runs of a command: each variant once in every round, in an order that rotates. */
final class Rounds {
    private Rounds() {}

    /**
     * Measures them all.
     *
     * @param rounds  1 or more
     * @param measure one run, by the round, from 1, and the variant
     * @return the runs of each variant in the order of the rounds; the variants in the order given
     */
    static <V, R> Map<V, List<R>> of(int rounds, List<V> variants, BiFunction<Integer, V, R> measure) {
        Map<V, List<R>> runs = new LinkedHashMap<>();
        variants.forEach(variant -> runs.put(variant, new ArrayList<>()));
        for (int round = 1; round <= rounds; round++) {
            for (int i = 0; i < variants.size(); i++) {
                V variant = variants.get((i + round - 1) % variants.size());
                runs.get(variant).add(measure.apply(round, variant));
            }
        }
        return runs;
    }
}
