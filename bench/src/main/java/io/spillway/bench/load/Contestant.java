package io.spillway.bench.load;

import io.spillway.bench.peers.FifoPool;
import io.spillway.bench.peers.ItemHandler;
import io.spillway.bench.peers.ParallelConsumerQueue;
import io.spillway.bench.peers.PeerSetup;
import io.spillway.bench.peers.QueueUnderTest;
import io.spillway.bench.peers.ShareGroup;
import io.spillway.bench.peers.SpringRetryable;
import io.spillway.bench.support.CleanHandler;
import io.spillway.bench.support.Scene;
import io.spillway.core.policy.PolicySettings;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Who takes part: the product and its peers, all of which read what producers send. */
public enum Contestant {
    SPILLWAY("Spillway", "Spillway"),
    /** Its router and its workers in different processes, as far as it makes a difference. */
    SPILLWAY_APART("Spillway, roles apart", "apart"),
    /** With a handler that says that it leaves its thread as it was. */
    SPILLWAY_CLEAN("Spillway, clean handler", "clean"),
    FIFO_POOL("consumer + pool (FIFO)", "pool"),
    PARALLEL_UNORDERED("parallel-consumer, unordered", "pc unordered"),
    PARALLEL_BY_KEY("parallel-consumer, by key", "pc by key"),
    SHARE_GROUP("share group", "share group"),
    SPRING_THREADS("Spring Kafka, a thread for each partition", "Spring threads"),
    SPRING_FUTURES("Spring Kafka, futures", "Spring futures");

    private final String label;
    private final String shortLabel;

    Contestant(String label, String shortLabel) {
        this.label = label;
        this.shortLabel = shortLabel;
    }

    public String label() {
        return label;
    }

    /** For the axis of a chart. */
    public String shortLabel() {
        return shortLabel;
    }

    /**
     * Starts it on the scene's input; it has its partitions, and reads what comes.
     *
     * @param workers of the product; of a peer there is always one
     */
    QueueUnderTest start(
            Scene scene, int workers, int slots, Ledger ledger, Map<Integer, PolicySettings> policies) {
        return start(scene, workers, slots, ledger, ledger::handle, policies);
    }

    /** The same with a handler of another kind. */
    public QueueUnderTest start(Scene scene, int slots, ItemHandler handler) {
        return start(scene, 1, slots, delivery -> handler.handle(
                        delivery.tenant().getBytes(StandardCharsets.US_ASCII), delivery.value())
                ? Outcome.done() : Outcome.retry("not done"), handler, Map.of());
    }

    private QueueUnderTest start(
            Scene scene, int workers, int slots, Handler handler, ItemHandler peerHandler,
            Map<Integer, PolicySettings> policies) {
        PeerSetup setup = new PeerSetup(scene.admin(), scene.bootstrapServers(), scene.input(), Scene.PARTITIONS,
                scene.prefix() + ".peer", slots, peerHandler);
        return switch (this) {
            case SPILLWAY, SPILLWAY_APART -> RunningQueue.start(scene, workers, handler, policies, this == SPILLWAY);
            case SPILLWAY_CLEAN -> RunningQueue.start(scene, workers, new CleanHandler(handler), policies, true);
            case FIFO_POOL -> new FifoPool(setup);
            case PARALLEL_UNORDERED -> ParallelConsumerQueue.unordered(setup);
            case PARALLEL_BY_KEY -> ParallelConsumerQueue.byKey(setup);
            case SHARE_GROUP -> new ShareGroup(setup);
            case SPRING_THREADS -> SpringRetryable.threads(setup);
            case SPRING_FUTURES -> SpringRetryable.futures(setup);
        };
    }
}
