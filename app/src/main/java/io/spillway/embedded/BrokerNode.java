package io.spillway.embedded;

import java.nio.file.Path;
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
import org.slf4j.LoggerFactory;

/**
 * One combined broker and controller on a prepared directory and bound sockets. Kafka's own KafkaRaftServer is the same
 * three parts; they are put together here because it takes neither our sockets nor our handling of fatal faults. Owns
 * the parts and their threads.
 */
final class BrokerNode {
    /** Enough for one node to hand over to nobody; Kafka would wait 5 minutes for a controller that is gone. */
    private static final Duration HAND_OVER_LIMIT = Duration.ofSeconds(3);

    private static final Duration THREAD_END_LIMIT = Duration.ofSeconds(2);

    private final FatalFaults faults;
    private final ControllerServer controller;
    private final BrokerServer broker;
    private final Thread starter;

    BrokerNode(Path directory, LoopbackSockets sockets, FatalFaults faults) {
        this.faults = faults;
        var config = new KafkaConfig(
                BrokerSettings.of(directory, sockets.brokerPort(), sockets.controllerPort()), false);
        var formatted = KafkaRaftServer.initializeLogDirs(config, LoggerFactory.getLogger(BrokerNode.class), "");
        var shared = new SharedServer(
                config,
                formatted._1(),
                Time.SYSTEM,
                new Metrics(),
                // No static voters: who votes was recorded when the directory was formatted.
                CompletableFuture.completedFuture(Map.of()),
                QuorumConfig.parseBootstrapServers(config.quorumConfig().bootstrapServers()),
                faults,
                sockets);
        this.controller = new ControllerServer(shared, KafkaRaftServer.configSchema(), formatted._2());
        this.broker = new BrokerServer(shared);
        this.starter = new Thread(faults, this::run, "embedded-kafka-start");
    }

    /** Returns when clients can use the broker; throws what kept it from starting. {@link #stop} is due either way. */
    void start(Duration limit) throws ExecutionException, TimeoutException, InterruptedException {
        starter.start();
        faults.started().get(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Stops both parts, or ends a start that is under way. May block for as long as Kafka does. */
    void stop() throws InterruptedException {
        boolean ran = faults.started().isDone() && !faults.started().isCompletedExceptionally();
        faults.stopping();
        // A failed start ends by itself, and an interrupt on the way would break its files; a stuck one needs several:
        // after the first it waits for a controller that may be gone.
        while (!starter.join(THREAD_END_LIMIT)) {
            starter.interrupt();
        }
        try {
            broker.shutdown(HAND_OVER_LIMIT);
        } finally {
            controller.shutdown();
            if (!ran) {
                endForgottenThreads();
            }
        }
    }

    /** A part that failed while it was built never stops the threads it had begun, such as the raft client's reaper. */
    private void endForgottenThreads() throws InterruptedException {
        Thread[] threads = new Thread[faults.activeCount() + 16];
        List<Thread> forgotten = Arrays.stream(threads, 0, faults.enumerate(threads))
                // Kafka's metrics library keeps daemons for the whole process.
                .filter(thread -> !thread.isDaemon() && thread != Thread.currentThread())
                .toList();
        forgotten.forEach(Thread::interrupt);
        for (Thread thread : forgotten) {
            thread.join(THREAD_END_LIMIT);
        }
    }

    private void run() {
        try {
            controller.startup();
            broker.startup();
            faults.running();
        } catch (Throwable e) {
            // Nothing is swallowed: whoever started the node gets it.
            faults.started().completeExceptionally(e);
        }
    }
}
