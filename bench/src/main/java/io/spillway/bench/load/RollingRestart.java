package io.spillway.bench.load;

import io.spillway.bench.peers.QueueUnderTest;
import io.spillway.bench.support.Scene;
import io.spillway.core.item.Lane;
import io.spillway.handler.Outcome;
import io.spillway.kafka.topics.QueueAdmin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.TopicPartition;

/**
 * Restarts each worker in turn, and looks at who has each partition meanwhile. What happens in a pause after a restart
 * counts to it. Used by the thread that drives the run, except for the restarts and the handler.
 */
final class RollingRestart implements LoadRun.Observer, Ledger.Behaviour {
    private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final List<Lane> LANES = List.of(Lane.HOT, Lane.OVERFLOW, Lane.AGED);

    private final FleetPlan plan;
    private final long pauseNanos;
    private final LongAdder cut = new LongAdder();
    private final List<Restart> restarts = new ArrayList<>();
    /** The client that had each partition last; between two owners a partition has none. */
    private final Map<TopicPartition, String> owners = new HashMap<>();
    private Scene scene;
    private QueueAdmin admin;
    private CompletableFuture<Void> running;
    private long nextSampleNanos;
    private int sent = Integer.MAX_VALUE;
    private boolean isOver;

    /** One restart, until the next one or the end. */
    private static final class Restart {
        final long fromNanos;
        final long cutBefore;
        final Set<TopicPartition> own = new HashSet<>();
        final Set<TopicPartition> moved = new HashSet<>();
        int changes;
        long cut;
        long runsNanos;
        long toNanos;

        Restart(long fromNanos, long cutBefore) {
            this.fromNanos = fromNanos;
            this.cutBefore = cutBefore;
        }
    }

    RollingRestart(FleetPlan plan, int pauseSeconds) {
        this.plan = plan;
        this.pauseNanos = Flow.nanos(pauseSeconds);
    }

    @Override
    public Outcome handle(Ledger.Call call) throws InterruptedException {
        try {
            Thread.sleep(plan.handlerMillis());
            return Outcome.done();
        } catch (InterruptedException e) {
            cut.increment();
            throw e;
        }
    }

    @Override
    public void begin(Scene begun, QueueUnderTest queue) {
        scene = begun;
        admin = new QueueAdmin(begun.admin());
    }

    @Override
    public void look(Ledger ledger, QueueUnderTest queue, long atNanos) {
        if (isOver || atNanos < nextSampleNanos || atNanos < Flow.nanos(plan.toSecond(FleetPlan.Phase.BEFORE))) {
            return;
        }
        nextSampleNanos = atNanos + SAMPLE_NANOS;
        sampleOwners();
        if (running != null && !running.isDone()) {
            return;
        }
        if (running != null) {
            Restart last = restarts.getLast();
            running.join();
            last.runsNanos = last.runsNanos == 0 ? atNanos : last.runsNanos;
            if (atNanos < last.runsNanos + pauseNanos) {
                return;
            }
            last.toNanos = atNanos;
            last.cut = cut.sum() - last.cutBefore;
            System.err.printf("         %s", row(restarts.size() - 1, ledger));
        }
        isOver = restarts.size() == plan.workers();
        if (!isOver) {
            begin(queue, atNanos);
        }
    }

    private void begin(QueueUnderTest queue, long atNanos) {
        int number = restarts.size();
        Restart restart = new Restart(atNanos, cut.sum());
        String client = clientOf(number);
        owners.forEach((partition, owner) -> {
            if (owner.equals(client)) {
                restart.own.add(partition);
            }
        });
        restarts.add(restart);
        running = CompletableFuture.runAsync(() -> ((RunningQueue) queue).restart(number));
    }

    private void sampleOwners() {
        for (MemberDescription member : admin.members(scene.topics().workerGroup())) {
            for (TopicPartition partition : member.assignment().topicPartitions()) {
                String before = owners.put(partition, member.clientId());
                if (!restarts.isEmpty() && before != null && !before.equals(member.clientId())) {
                    restarts.getLast().moved.add(partition);
                    restarts.getLast().changes++;
                }
            }
        }
    }

    private String clientOf(int number) {
        return scene.topics().workerGroup() + "." + scene.prefix() + (number == 0 ? "" : "-" + number);
    }

    @Override
    public boolean isStopped() {
        return isOver;
    }

    @Override
    public void sent(int items) {
        sent = items;
    }

    boolean isOver(Ledger ledger) {
        return ledger.itemsDone() >= sent;
    }

    /** A line for each restart, and one for all of them, as Markdown. */
    String table(LoadRun run) {
        List<String> names = List.of("worker", "hot moved", "overflow moved", "aged moved", "of them of other workers",
                "changes of owners", "attempts cut", "p50; p99 of fresh items, ms", "restart, s");
        StringBuilder table = new StringBuilder(FleetFigures.row(names))
                .append(FleetFigures.row(names.stream().map(name -> "--:").toList()));
        for (int number = 0; number < restarts.size(); number++) {
            table.append(row(number, run.ledger()));
        }
        Ages before = ages(run.ledger(), Flow.nanos(plan.warmSeconds()), restarts.getFirst().fromNanos);
        Ages during = ages(run.ledger(), restarts.getFirst().fromNanos, restarts.getLast().toNanos);
        return table + "%nAll restarts: p50 %,.0f, p99 %,.0f, max %,.0f ms; before them p50 %,.0f, p99 %,.0f ms. "
                .formatted(during.p50(), during.p99(), during.max(), before.p50(), before.p99())
                + "%,d attempts cut, %,d of %,d items attempted again, %,d done twice, %,d not done.%n".formatted(
                        cut.sum(), run.ledger().handedOverAgain(), sent, run.ledger().duplicates(),
                        sent - run.ledger().itemsDone());
    }

    private String row(int number, Ledger ledger) {
        Restart restart = restarts.get(number);
        List<String> cells = new ArrayList<>(List.of(Integer.toString(number)));
        LANES.forEach(lane -> cells.add("%d of %d".formatted(
                restart.moved.stream().filter(each -> each.topic().equals(scene.topics().lane(lane))).count(),
                plan.partitions())));
        Ages ages = ages(ledger, restart.fromNanos, restart.toNanos);
        cells.add(Long.toString(restart.moved.stream().filter(each -> !restart.own.contains(each)).count()));
        cells.add(Integer.toString(restart.changes));
        cells.add(Long.toString(restart.cut));
        cells.add("%,.0f; %,.0f".formatted(ages.p50(), ages.p99()));
        cells.add("%.1f".formatted((restart.runsNanos - restart.fromNanos) / 1e9));
        return FleetFigures.row(cells);
    }

    private static Ages ages(Ledger ledger, long fromNanos, long toNanos) {
        return Ages.of(ledger.ages(tenant -> true, fromNanos, toNanos));
    }
}
