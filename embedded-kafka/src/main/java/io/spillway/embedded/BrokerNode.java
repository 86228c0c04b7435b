package io.spillway.embedded;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kafka.server.BrokerServer;
import kafka.server.ControllerServer;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.server.SharedServer;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.raft.QuorumConfig;
import org.apache.kafka.server.ServerSocketFactory;
import org.slf4j.LoggerFactory;

/**
 * Combined broker and controller on a prepared directory and bound sockets. Kafka's own KafkaRaftServer has the same
 * three parts, but accepts neither bound sockets nor a handler of fatal faults. Owner of the parts and their threads.
 */
final class BrokerNode {
    /** Short, because no other node can take over. Kafka would wait 5 minutes for a controller that has stopped. */
    private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(3);

    private static final Duration THREAD_END_LIMIT = Duration.ofSeconds(2);

    private final FatalFaults faults;
    private final ControllerServer controller;
    private final BrokerServer broker;
    private final Thread starter;

    /**
     * Creates a node that is not started.
     *
     * @param settings of {@link BrokerSettings#of}, maybe with more
     * @param sockets  opens the listeners of the settings
     */
    BrokerNode(Map<String, String> settings, ServerSocketFactory sockets, FatalFaults faults) {
        this.faults = faults;
        var config = new KafkaConfig(settings, false);
        var formatted = KafkaRaftServer.initializeLogDirs(config, LoggerFactory.getLogger(BrokerNode.class), "");
        // No static voters: formatting stored the voter in the directory.
        var shared = new SharedServer(
                config, formatted._1(), Time.SYSTEM, new Metrics(), CompletableFuture.completedFuture(Map.of()),
                QuorumConfig.parseBootstrapServers(config.quorumConfig().bootstrapServers()), faults, sockets);
        this.controller = new ControllerServer(shared, KafkaRaftServer.configSchema(), formatted._2());
        this.broker = new BrokerServer(shared);
        this.starter = new Thread(faults, this::run, "embedded-kafka-start");
    }

    /**
     * Starts the broker and waits until clients can use it. The caller must call {@link #stop}, even after an error.
     */
    void start(Duration limit) throws ExecutionException, TimeoutException, InterruptedException {
        starter.start();
        faults.started().get(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Stops both parts, or ends a start in progress. May block for as long as Kafka does. */
    void stop() throws InterruptedException {
        boolean ran = faults.started().isDone() && !faults.started().isCompletedExceptionally();
        faults.stopping();
        // A failed start ends by itself, and an early interrupt could damage its files. A blocked start needs several
        // interrupts: after the first it waits for a controller that may have stopped.
        while (!starter.join(THREAD_END_LIMIT)) {
            starter.interrupt();
        }
        try {
            broker.shutdown(SHUTDOWN_LIMIT);
        } finally {
            controller.shutdown();
            if (!ran) {
                endOrphanedThreads();
            }
        }
    }

    /** Ends threads of a part whose start failed, such as the raft client's reaper; Kafka does not stop them. */
    private void endOrphanedThreads() throws InterruptedException {
        Thread[] threads = new Thread[faults.activeCount() + 16];
        List<Thread> orphaned = Arrays.stream(threads, 0, faults.enumerate(threads))
                // The daemon threads of Kafka's metrics library belong to the whole process.
                .filter(thread -> !thread.isDaemon() && thread != Thread.currentThread())
                .toList();
        orphaned.forEach(Thread::interrupt);
        for (Thread thread : orphaned) {
            thread.join(THREAD_END_LIMIT);
        }
    }

    private void run() {
        try {
            controller.startup();
            broker.startup();
            faults.running();
        } catch (Throwable e) {
            // Passed to the caller of start.
            faults.started().completeExceptionally(e);
        }
    }
}
