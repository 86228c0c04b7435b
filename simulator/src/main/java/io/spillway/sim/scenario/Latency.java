package io.spillway.sim.scenario;

import java.util.Arrays;

/** Distribution of handling times. All numbers are milliseconds, including fractions. */
public sealed interface Latency {
    /** The 99th percentile of the normal distribution with deviation 1. */
    double Z_99 = 2.3263478740408408;

    /** Constant value. */
    record Constant(double millis) implements Latency {
        public Constant {
            require("constant", millis);
        }
    }

    /** Uniform from {@code minMillis} to {@code maxMillis}. */
    record Uniform(double minMillis, double maxMillis) implements Latency {
        public Uniform {
            require("min", minMillis);
            require("max", maxMillis);
            if (maxMillis < minMillis) {
                throw new IllegalArgumentException("max = " + maxMillis + ": must be min or more");
            }
        }
    }

    /** Exponential. */
    record Exponential(double meanMillis) implements Latency {
        public Exponential {
            require("mean", meanMillis);
        }
    }

    /** Absolute value of a normal distribution: |N(mean, deviation)|. */
    record Normal(double meanMillis, double deviationMillis) implements Latency {
        public Normal {
            require("mean", meanMillis);
            require("deviation", deviationMillis);
        }
    }

    /** Lognormal by two of its percentiles: the usual shape of latencies. */
    record LogNormal(double medianMillis, double p99Millis) implements Latency {
        public LogNormal {
            require("median", medianMillis);
            require("p99", p99Millis);
            if (!(medianMillis > 0) || p99Millis < medianMillis) {
                throw new IllegalArgumentException("median = " + medianMillis + ", p99 = " + p99Millis
                        + ": must be above 0, and the median or more");
            }
        }
    }

    /**
     * Measured percentiles with linear interpolation.
     *
     * @param shares ascending, from 0 to 1, both included; copied
     * @param millis the value at each share, 0 or more, not descending; copied
     */
    record Percentiles(double[] shares, double[] millis) implements Latency {
        public Percentiles {
            boolean isWhole = shares.length >= 2 && shares.length == millis.length
                    && shares[0] == 0 && shares[shares.length - 1] == 1;
            for (int i = 0; i < shares.length && isWhole; i++) {
                require("percentile", millis[i]);
                isWhole = i == 0 || shares[i] > shares[i - 1] && millis[i] >= millis[i - 1];
            }
            if (!isWhole) {
                throw new IllegalArgumentException("percentiles " + Arrays.toString(shares) + " of "
                        + Arrays.toString(millis) + ": must ascend from 0 to 1");
            }
            shares = shares.clone();
            millis = millis.clone();
        }

        private double at(double share) {
            int index = 1;
            while (shares[index] <= share) {
                index++;
            }
            double part = (share - shares[index - 1]) / (shares[index] - shares[index - 1]);
            return millis[index - 1] + part * (millis[index] - millis[index - 1]);
        }
    }

    /** Draws a value, 0 or more. */
    default double millis(SeededRandom random) {
        return switch (this) {
            case Constant(double millis) -> millis;
            case Uniform(double min, double max) -> min + (max - min) * random.nextDouble();
            case Exponential(double mean) -> mean * random.exponential();
            case Normal(double mean, double deviation) -> Math.abs(mean + deviation * random.normal());
            case LogNormal(double median, double p99) ->
                median * StrictMath.exp(StrictMath.log(p99 / median) / Z_99 * random.normal());
            case Percentiles percentiles -> percentiles.at(random.nextDouble());
        };
    }

    private static void require(String what, double millis) {
        if (!(millis >= 0 && millis <= ScenarioLimits.DAY_MILLIS)) {
            throw new IllegalArgumentException(what + " = " + millis + ": must be from 0 ms to a day");
        }
    }
}
