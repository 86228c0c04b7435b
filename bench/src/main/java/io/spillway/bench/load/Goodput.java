package io.spillway.bench.load;

import java.util.List;

/** Items that are done in each second after an outage. */
public final class Goodput {
    private static final double BACK = 0.95;

    private Goodput() {}

    /** Seconds until a second has 95% of normal, and all that follow have it on average; infinite when none has. */
    public static double backAfterSeconds(List<Integer> perSecond, double normal) {
        for (int second = 0; second < perSecond.size(); second++) {
            double rest = perSecond.subList(second, perSecond.size()).stream()
                    .mapToInt(each -> each)
                    .average()
                    .orElseThrow();
            if (perSecond.get(second) >= BACK * normal && rest >= BACK * normal) {
                return second;
            }
        }
        return Double.POSITIVE_INFINITY;
    }
}
