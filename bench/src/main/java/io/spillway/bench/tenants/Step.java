package io.spillway.bench.tenants;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;

/**
 * What one step took.
 *
 * @param seconds    from its start to its end
 * @param cpuSeconds processor time of the process that did it, all threads
 * @param bytes      of what it answered, or of heap that it holds, as its name says
 */
record Step(String name, double seconds, double cpuSeconds, long bytes) {
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final double NANOS = 1e9;

    /** Result of a step that is measured. */
    record Measured<T>(T result, Step step) {}

    /** Measures a step that answers a text. */
    static Step answering(String name, Supplier<String> answer) {
        long nanos = System.nanoTime();
        long cpuNanos = PROCESS.getProcessCpuTime();
        long bytes = answer.get().length();
        return new Step(name + " (answer)", (System.nanoTime() - nanos) / NANOS,
                (PROCESS.getProcessCpuTime() - cpuNanos) / NANOS, bytes);
    }

    /** Measures a step whose result stays in the heap. */
    static <T> Measured<T> holding(String name, Supplier<T> work) {
        long before = heapBytes();
        long nanos = System.nanoTime();
        long cpuNanos = PROCESS.getProcessCpuTime();
        T result = work.get();
        double seconds = (System.nanoTime() - nanos) / NANOS;
        double cpuSeconds = (PROCESS.getProcessCpuTime() - cpuNanos) / NANOS;
        return new Measured<>(result, new Step(name + " (heap)", seconds, cpuSeconds, heapBytes() - before));
    }

    private static long heapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Returns the row of a table in Markdown. */
    String row(int tenants) {
        return "| %s | %.1f | %.1f | %,d | %s |".formatted(name, seconds, cpuSeconds, bytes,
                name.endsWith("(heap)") ? "%,d".formatted(Math.round((double) bytes / tenants)) : "");
    }
}
