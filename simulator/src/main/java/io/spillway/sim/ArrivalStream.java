package io.spillway.sim;

import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.RecordedTrace;
import io.spillway.sim.scenario.ScenarioLimits;
import io.spillway.sim.scenario.SeededRandom;
import io.spillway.sim.scenario.SimulatedTime;
import io.spillway.sim.scenario.Surge;
import io.spillway.sim.scenario.TenantGroup;
import java.util.Arrays;

/**
 * Arrivals of one stream of a group, in order. A group of many tenants is one stream: the sum of n Poisson processes is
 * one of n times the rate, with tenants drawn evenly, so a million tenants cost no more than one.
 *
 * <p>Owner: the run.
 */
public abstract class ArrivalStream {
    final long stopNanos;
    /** Result of {@link #next}. */
    long nanos;
    int tenant;
    long handlingNanos = SimulatedItem.NOT_RECORDED;

    private ArrivalStream(long stopNanos) {
        this.stopNanos = stopNanos;
    }

    /** Advances to the next arrival; false when there is none before the end. */
    public abstract boolean next();

    /** Returns the time of the arrival, nanoseconds since the start of the run. */
    public long nanos() {
        return nanos;
    }

    /** Returns the tenant of the arrival, counted from 0 within the group. */
    public int tenant() {
        return tenant;
    }

    /** Creates the stream of a group's arrivals; tenants are counted from 0 within the group. */
    public static ArrivalStream of(TenantGroup group, Arrivals arrivals, long stopNanos, long seed) {
        return switch (arrivals) {
            case Arrivals.Constant constant -> new Flow(group, constant.perSecond(), false, stopNanos, seed);
            case Arrivals.Poisson poisson -> new Flow(group, poisson.perSecond(), true, stopNanos, seed);
            case Arrivals.Burst burst -> new Bursts(group.count(), burst, stopNanos);
            case Arrivals.Recorded recorded -> switch (recorded.trace()) {
                case RecordedTrace.Rows rows -> new Rows(rows, recorded.speed(), stopNanos);
                case RecordedTrace.Counts counts -> new Counts(counts, recorded.speed(), stopNanos, seed);
            };
        };
    }

    private static final class Flow extends ArrivalStream {
        private final TenantGroup group;
        private final double perNano;
        private final boolean random;
        private final SeededRandom chance;
        private double exactNanos;
        private long count;

        Flow(TenantGroup group, double perSecond, boolean random, long stopNanos, long seed) {
            super(stopNanos);
            this.group = group;
            this.perNano = perSecond * group.count() / SimulatedTime.NANOS_PER_SECOND;
            this.random = random;
            this.chance = new SeededRandom(seed);
        }

        @Override
        public boolean next() {
            exactNanos = after(exactNanos, random ? chance.exponential() : 1);
            if (exactNanos >= stopNanos) {
                return false;
            }
            nanos = (long) exactNanos;
            tenant = random ? chance.nextInt(group.count()) : (int) (count++ % group.count());
            return true;
        }

        /** Returns when this amount has arrived since a time; surges change the rate. */
        private double after(double from, double amount) {
            double left = amount;
            double now = from;
            for (Surge surge : group.surges()) {
                double begin = (double) surge.window().fromMillis() * SimulatedTime.NANOS_PER_MILLI;
                double end = (double) surge.window().toMillis() * SimulatedTime.NANOS_PER_MILLI;
                if (now < begin) {
                    if (now + left / perNano <= begin) {
                        return now + left / perNano;
                    }
                    left -= (begin - now) * perNano;
                    now = begin;
                }
                if (now < end) {
                    double rate = perNano * surge.factor();
                    if (rate > 0 && now + left / rate <= end) {
                        return now + left / rate;
                    }
                    left -= (end - now) * rate;
                    now = end;
                }
            }
            return now + left / perNano;
        }
    }

    private static final class Bursts extends ArrivalStream {
        private final Arrivals.Burst burst;
        private final int tenants;
        private long index = -1;
        private long left;

        Bursts(int tenants, Arrivals.Burst burst, long stopNanos) {
            super(stopNanos);
            this.tenants = tenants;
            this.burst = burst;
        }

        @Override
        public boolean next() {
            if (left == 0) {
                index++;
                left = burst.size() * tenants;
                if (index > 0 && burst.everyMillis() == 0) {
                    return false;
                }
                nanos = (burst.atMillis() + index * burst.everyMillis()) * SimulatedTime.NANOS_PER_MILLI;
            }
            left--;
            tenant = (int) (left % tenants);
            return nanos < stopNanos;
        }
    }

    private static final class Rows extends ArrivalStream {
        private static final int NANOS_PER_MICRO = 1_000;

        private final RecordedTrace.Rows rows;
        private final double speed;
        private int index;

        Rows(RecordedTrace.Rows rows, double speed, long stopNanos) {
            super(stopNanos);
            this.rows = rows;
            this.speed = speed;
        }

        @Override
        public boolean next() {
            if (index == rows.atMicros().length) {
                return false;
            }
            nanos = (long) (rows.atMicros()[index] * NANOS_PER_MICRO / speed);
            tenant = rows.tenant()[index];
            long micros = rows.handlingMicros()[index++];
            handlingNanos = micros < 0 ? SimulatedItem.NOT_RECORDED : micros * NANOS_PER_MICRO;
            return nanos < stopNanos;
        }
    }

    private static final class Counts extends ArrivalStream {
        /** Enough for {@link ScenarioLimits#MAX_TENANTS}; the rest of a long holds nanoseconds of 100 days. */
        private static final int TENANT_BITS = 21;

        private final RecordedTrace.Counts counts;
        private final double intervalNanos;
        private final SeededRandom chance;
        private final int intervals;
        private int interval = -1;
        private long[] arrivals = {};
        private int index;

        Counts(RecordedTrace.Counts counts, double speed, long stopNanos, long seed) {
            super(stopNanos);
            this.counts = counts;
            this.intervalNanos = counts.intervalMillis() * SimulatedTime.NANOS_PER_MILLI / speed;
            this.chance = new SeededRandom(seed);
            this.intervals = Arrays.stream(counts.counts()).mapToInt(row -> row.length).max().orElse(0);
        }

        @Override
        public boolean next() {
            while (index == arrivals.length) {
                if (++interval >= intervals) {
                    return false;
                }
                draw();
            }
            nanos = (long) (interval * intervalNanos) + (arrivals[index] >>> TENANT_BITS);
            tenant = (int) (arrivals[index++] & (1 << TENANT_BITS) - 1);
            return nanos < stopNanos;
        }

        private void draw() {
            long sum = 0;
            for (int[] row : counts.counts()) {
                sum += interval < row.length ? row[interval] : 0;
            }
            arrivals = new long[Math.toIntExact(sum)];
            index = 0;
            for (int of = 0; of < counts.counts().length; of++) {
                int[] row = counts.counts()[of];
                for (int i = interval < row.length ? row[interval] : 0; i > 0; i--) {
                    arrivals[index++] = (long) (chance.nextDouble() * intervalNanos) << TENANT_BITS | of;
                }
            }
            Arrays.sort(arrivals);
            index = 0;
        }
    }
}
