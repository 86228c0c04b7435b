package io.spillway.embedded;

import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import kafka.server.FaultHandlerFactory;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.server.fault.FaultHandler;
import org.apache.kafka.server.fault.LoggingFaultHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handler of fatal faults of one broker. Kafka would always halt the process. Here a fault fails the start while the
 * broker starts, halts the process while it runs, and is only logged while it stops.
 *
 * <p>Kafka reports fatal faults through a {@link FaultHandlerFactory} and by calling {@link Exit} on one of its
 * threads. To map such a thread to its broker, all threads of a broker are in one thread group, which is this object.
 */
final class FatalFaults extends ThreadGroup implements FaultHandlerFactory {
    private static final Logger LOG = LoggerFactory.getLogger(FatalFaults.class);

    static {
        Exit.setHaltProcedure((status, message) -> exitCalled(status, message, Runtime.getRuntime()::halt));
        Exit.setExitProcedure((status, message) -> exitCalled(status, message, System::exit));
    }

    private enum Phase { STARTING, RUNNING, STOPPING }

    private final IntConsumer halt;
    private final CompletableFuture<Void> started = new CompletableFuture<>();
    private volatile Phase phase = Phase.STARTING;

    /** @param halt ends the process with a status; called only while the broker runs */
    FatalFaults(IntConsumer halt) {
        super("embedded-kafka");
        this.halt = halt;
    }

    /** Returns a future that completes when the broker runs, or fails with the first fatal fault before that. */
    CompletableFuture<Void> started() {
        return started;
    }

    /** Lets fatal faults halt the process from now on; no effect if the start has failed or is being stopped. */
    synchronized void running() {
        if (phase == Phase.STARTING && started.complete(null)) {
            phase = Phase.RUNNING;
        }
    }

    /** Lets faults only be logged from now on. */
    synchronized void stopping() {
        phase = Phase.STOPPING;
    }

    @Override
    public FaultHandler build(String name, boolean fatal, Runnable action) {
        if (!fatal) {
            return new LoggingFaultHandler(name, action);
        }
        return (message, cause) -> {
            action.run();
            IllegalStateException fault = new IllegalStateException(name + ": " + message, cause);
            handle(fault);
            return fault;
        };
    }

    private void handle(Throwable fault) {
        switch (phase) {
            case STARTING -> started.completeExceptionally(fault);
            case RUNNING -> {
                LOG.error("The embedded Kafka failed, so this process halts. Check the disk and restart.", fault);
                halt.accept(1);
            }
            case STOPPING -> LOG.warn("Fault while the embedded Kafka stopped. The next start checks its data.", fault);
        }
    }

    private static void exitCalled(int status, String message, IntConsumer otherwise) {
        for (ThreadGroup group = Thread.currentThread().getThreadGroup(); group != null; group = group.getParent()) {
            if (group instanceof FatalFaults faults) {
                Error fault = new BrokerExit(message == null ? "Kafka exited with status " + status : message);
                faults.handle(fault);
                // Exit must not return: an Error ends the thread, because handlers of Exception do not catch it.
                throw fault;
            }
        }
        otherwise.accept(status);
    }

    /** Unwinds a thread of a broker that called {@link Exit}. */
    private static final class BrokerExit extends Error {
        BrokerExit(String message) {
            super(message);
        }
    }
}
