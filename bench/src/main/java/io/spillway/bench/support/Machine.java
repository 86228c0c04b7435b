package io.spillway.bench.support;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What the rest of the machine did while something was measured: busy time that neither this process nor the broker
 * used, and time that the hypervisor took away. Linux only.
 */
public final class Machine {
    /**
     * Above this share of all cores, used by others, a run counts as disturbed: it is about half of what rounds differ
     * by anyway.
     */
    static final double DISTURBED = 0.05;

    private static final double TICKS_PER_SECOND = 100;
    private static final int CORES = Runtime.getRuntime().availableProcessors();

    private final ProcessHandle broker;

    public Machine(long brokerPid) {
        this.broker = ProcessHandle.of(brokerPid).orElseThrow();
    }

    /** The one-minute load average now. */
    public static String load() {
        return line(Path.of("/proc/loadavg")).split(" ", 2)[0];
    }

    /** Starts to look. */
    public Watch watch() {
        return new Watch(
                System.nanoTime(),
                busyTicks(),
                stealTicks(),
                cpuSeconds(ProcessHandle.current()),
                cpuSeconds(broker),
                allocatedBytes());
    }

    /** A moment to look back to. */
    public final class Watch {
        private final long nanos;
        private final long busy;
        private final long steal;
        private final double bench;
        private final double brokers;
        private final long allocated;

        private Watch(long nanos, long busy, long steal, double bench, double brokers, long allocated) {
            this.nanos = nanos;
            this.busy = busy;
            this.steal = steal;
            this.bench = bench;
            this.brokers = brokers;
            this.allocated = allocated;
        }

        public Use since() {
            double capacity = (System.nanoTime() - nanos) / 1e9 * CORES;
            double all = (busyTicks() - busy) / TICKS_PER_SECOND;
            double benchUsed = cpuSeconds(ProcessHandle.current()) - bench;
            double brokerUsed = cpuSeconds(broker) - brokers;
            return new Use(
                    benchUsed,
                    brokerUsed,
                    allocatedBytes() - allocated,
                    Math.max(0, all - benchUsed - brokerUsed) / capacity,
                    (stealTicks() - steal) / TICKS_PER_SECOND / capacity);
        }
    }

    /**
     * How the cores were used.
     *
     * @param benchSeconds  processor time of this process
     * @param brokerSeconds and of the broker's
     * @param allocated     bytes that this process allocated
     * @param others        share of all cores that was busy for others than these two
     * @param steal         share taken by the hypervisor
     */
    public record Use(double benchSeconds, double brokerSeconds, long allocated, double others, double steal) {
        public boolean isDisturbed() {
            return others + steal > DISTURBED;
        }

        /** Processor time of bench and broker for each of so many items, microseconds. */
        public double cpuMicros(long items) {
            return 1e6 * (benchSeconds + brokerSeconds) / items;
        }

        @Override
        public String toString() {
            return "others %4.1f%%, steal %4.1f%%%s"
                    .formatted(100 * others, 100 * steal, isDisturbed() ? "  DISTURBED" : "");
        }
    }

    private static double cpuSeconds(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toMillis() / 1e3;
    }

    private static long allocatedBytes() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getTotalThreadAllocatedBytes();
    }

    /** User, nice, system, irq and softirq of {@code /proc/stat}. */
    private static long busyTicks() {
        String[] fields = line(Path.of("/proc/stat")).split(" +");
        return number(fields, 1) + number(fields, 2) + number(fields, 3) + number(fields, 6) + number(fields, 7);
    }

    private static long stealTicks() {
        return number(line(Path.of("/proc/stat")).split(" +"), 8);
    }

    private static long number(String[] fields, int index) {
        return Long.parseLong(fields[index]);
    }

    private static String line(Path file) {
        try {
            return Files.readAllLines(file).getFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
