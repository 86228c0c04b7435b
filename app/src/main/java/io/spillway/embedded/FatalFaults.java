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
 * Decides what a fatal fault of one broker means. Kafka's own answer is to halt the process at once. While a broker
 * starts, that would take from the caller the chance to say what is wrong, so the fault fails the start instead. Once
 * it runs, a broker that lost its data or its metadata must not linger, and the process halts as Kafka intends. While
 * it stops, there is nothing left to protect.
 *
 * <p>Kafka reports fatal faults in two ways: through a {@link FaultHandlerFactory}, and by calling {@link Exit} on one
 * of its threads. For the second, every thread of a broker is in its thread group, which is this object.
 */
final class FatalFaults extends ThreadGroup implements FaultHandlerFactory {
    private static final Logger LOG = LoggerFactory.getLogger(FatalFaults.class);

    static {
        Exit.setHaltProcedure((status, message) -> exitCalled(status, message, Runtime.getRuntime()::halt));
        Exit.setExitProcedure((status, message) -> exitCalled(status, message, System::exit));
    }

    private enum Phase {
        STARTING,
        RUNNING,
        STOPPING
    }

    private final IntConsumer halt;
    private final CompletableFuture<Void> started = new CompletableFuture<>();
    private volatile Phase phase = Phase.STARTING;

    /** @param halt ends the process with the status it is given; only called once the broker runs */
    FatalFaults(IntConsumer halt) {
        super("embedded-kafka");
        this.halt = halt;
    }

    /** Done when the broker runs, failed by the first fatal fault before that. */
    CompletableFuture<Void> started() {
        return started;
    }

    /** From here on a fatal fault ends the process; no effect on a start that has failed already or is being stopped. */
    synchronized void running() {
        if (phase == Phase.STARTING && started.complete(null)) {
            phase = Phase.RUNNING;
        }
    }

    /** From here on faults are only logged. */
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
                LOG.error("The embedded Kafka broke and takes this process with it", fault);
                halt.accept(1);
            }
            case STOPPING -> LOG.warn("The embedded Kafka had a fault while it was stopped", fault);
        }
    }

    private static void exitCalled(int status, String message, IntConsumer otherwise) {
        for (ThreadGroup group = Thread.currentThread().getThreadGroup(); group != null; group = group.getParent()) {
            if (group instanceof FatalFaults faults) {
                Error fault = new BrokerExit(message == null ? "Kafka gave up with status " + status : message);
                faults.handle(fault);
                // Exit promises not to return: an Error ends the thread, which no handler of Exception can stop.
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
