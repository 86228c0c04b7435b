package io.spillway.bench.comparison;

import io.spillway.bench.handlers.HandlingContender;
import io.spillway.bench.load.Contestant;
import io.spillway.bench.peers.QueueUnderTest;
import io.spillway.bench.support.Bench;
import io.spillway.bench.support.Machine;
import io.spillway.bench.support.Preload;
import io.spillway.bench.support.Scene;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Throughput with handlers of several durations: items that lie in the input, invisible until the contestant has its
 * partitions, and are then there at once. From the start of the first call to the end of the last.
 *
 * @param slots        handlers at one time
 * @param tenants      drawn uniformly
 * @param loads        a run each
 * @param limitSeconds when a run ends all the same; its throughput is that of what was done
 */
public record HandlersPeers(int slots, int tenants, List<Load> loads, int limitSeconds) implements PeerScenario {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int WARM_UP_ITEMS = 5_000;

    /**
     * What a run has to do.
     *
     * @param millis the handler sleeps
     * @param items  in the input
     * @param keys   of one tenant each, in whose order the product handles the items; 0 for no order
     */
    record Load(int millis, int items, int keys) {
        private String title() {
            return keys == 0 ? "handler %d ms".formatted(millis) : "%,d keys".formatted(keys);
        }

        String perSecond() {
            return title() + ": items/s";
        }

        private String left() {
            return title() + ": items not done in time";
        }

        private String twice() {
            return title() + ": items done more than once";
        }

        private String cpu() {
            return title() + ": CPU + broker's, us an item";
        }
    }

    @Override
    public String title() {
        return "handlers: %,d tenants, %d slots, %s".formatted(tenants, slots, loads.stream()
                .map(load -> "%,d items of %d ms%s".formatted(load.items(), load.millis(),
                        load.keys() == 0 ? "" : " in the order of %,d keys".formatted(load.keys()))).toList());
    }

    @Override
    public List<Figure> figures() {
        List<Figure> figures = new ArrayList<>();
        for (Load load : loads) {
            figures.add(new Figure(load.perSecond(), "%.0f"));
            figures.add(new Figure(load.cpu(), "%.0f"));
            figures.add(new Figure(load.left(), "%.0f"));
            figures.add(new Figure(load.twice(), "%.0f"));
        }
        return figures;
    }

    @Override
    public List<String> charted() {
        return loads.stream().map(Load::perSecond).toList();
    }

    @Override
    public void warmUp(Bench bench, Contestant contestant, String prefix) {
        run(bench, contestant, prefix, new Load(0, WARM_UP_ITEMS, 0), new LinkedHashMap<>(), new ArrayList<>());
    }

    @Override
    public Result run(Bench bench, Contestant contestant, String prefix) {
        Map<String, Double> figures = new LinkedHashMap<>();
        List<String> detail = new ArrayList<>();
        boolean disturbed = false;
        for (Load load : loads) {
            String own = prefix + "-" + load.millis() + "-" + load.keys();
            disturbed |= run(bench, contestant, own, load, figures, detail);
        }
        return new Result(figures, disturbed, detail);
    }

    private boolean run(
            Bench bench,
            Contestant contestant,
            String prefix,
            Load load,
            Map<String, Double> figures,
            List<String> detail) {
        String before = Machine.load();
        HandlingContender.Work work = new HandlingContender.Work(load.items(), load.millis());
        try (Scene scene = Scene.set(bench.admin(), bench.broker().bootstrapServers(), prefix, false,
                        Map.of("worker.slots", Integer.toString(slots), "worker.drainGrace", "0ms"));
                Preload preload = load.keys() == 0 ? Preload.write(scene, load.items(), tenants)
                        : Preload.writeOrdered(scene, load.items(), load.keys());
                QueueUnderTest queue = contestant.start(scene, slots, (key, value) -> {
                    work.handle(value);
                    return true;
                })) {
            System.gc();
            Machine.Watch watch = bench.machine().watch();
            preload.release();
            await(work);
            Machine.Use use = watch.since();
            int done = work.itemsDone();
            figures.put(load.perSecond(), done / work.seconds());
            figures.put(load.left(), (double) load.items() - done);
            figures.put(load.twice(), (double) work.duplicates());
            figures.put(load.cpu(), use.cpuMicros(Math.max(1, done)));
            detail.add("%s: load before %s, %s; %s".formatted(load.title(), before, use, queue.figures()));
            return use.isDisturbed();
        }
    }

    private void await(HandlingContender.Work work) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
        while (!work.isDone() && System.nanoTime() < end) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
