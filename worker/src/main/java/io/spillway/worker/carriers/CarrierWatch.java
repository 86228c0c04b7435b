package io.spillway.worker.carriers;

import java.lang.management.ManagementFactory;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watch over the JVM's scheduler of virtual threads, which has a carrier thread for each processor. Handlers share it
 * with the gateway and the probes, and a call that blocks in a class initializer or in native code, or that computes,
 * does not let go of its carrier. While no virtual thread gets one, the watch adds carriers.
 *
 * <p>A carrier for each slot from the start would cost every attempt several times the CPU time.
 *
 * <p>Owner of its thread. Bound: the maximum of the JVM ({@code jdk.virtualThreadScheduler.maxPoolSize}, 256).
 */
public final class CarrierWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CarrierWatch.class);
    private static final long PERIOD_MILLIS = 100;

    private final CarrierRule rule;
    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("worker-carriers").factory());
    private volatile boolean hasRun = true;

    /** Creates a watch that {@link #start} starts. */
    public CarrierWatch() {
        int usual = Integer.getInteger("jdk.virtualThreadScheduler.parallelism",
                Runtime.getRuntime().availableProcessors());
        this.rule = new CarrierRule(usual, Integer.getInteger(
                "jdk.virtualThreadScheduler.maxPoolSize", Math.max(usual, 256)));
    }

    /** Starts to watch. */
    public void start() {
        watch.scheduleWithFixedDelay(this::look, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        watch.shutdownNow();
    }

    private void look() {
        try {
            // By name, since it exists from Java 24 on.
            ObjectName scheduler = new ObjectName("jdk.management:type=VirtualThreadScheduler");
            MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
            if (!beans.isRegistered(scheduler)) {
                LOG.info("This JVM cannot add carrier threads of virtual threads; Java 24 or later can");
                watch.shutdown();
                return;
            }
            int before = (int) beans.getAttribute(scheduler, "Parallelism");
            int next = rule.next(before, hasRun, (int) beans.getAttribute(scheduler, "MountedVirtualThreadCount"));
            if (next != before) {
                beans.setAttribute(scheduler, new Attribute("Parallelism", next));
                log(before, next);
            }
            if (hasRun) {
                hasRun = false;
                probe();
            } else if (next > before) {
                // The scheduler looks for a carrier only when it adds a thread to a queue that is empty, and each
                // platform thread that starts virtual ones has its own.
                Thread.ofPlatform().daemon().name("carrier-signal").start(this::probe);
            }
        } catch (JMException | RuntimeException | Error e) { // Its executor would give it up without a word.
            LOG.warn("The carriers of virtual threads cannot be watched; it is tried again: {}", e.toString());
        }
    }

    private void probe() {
        Thread.ofVirtual().name("carrier-probe").start(() -> hasRun = true);
    }

    private void log(int before, int next) {
        if (next < before) {
            LOG.info("Virtual threads run on {} carrier threads again, after {}", next, before);
        } else {
            LOG.warn("All {} carrier threads of virtual threads are held: by handlers that block in a class initializer"
                    + " or in native code, or compute for long. There are {} now, so that others go on. A thread dump"
                    + " (jcmd PID Thread.dump_to_file) shows who holds them.", before, next);
        }
    }
}
