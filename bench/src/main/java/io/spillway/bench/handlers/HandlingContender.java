package io.spillway.bench.handlers;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.spillway.bench.load.RunningQueue;
import io.spillway.bench.support.BenchItems;
import io.spillway.bench.support.CleanHandler;
import io.spillway.bench.support.Scene;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.tracing.Tracing;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/** One way to have the items of hot handled. Closing it ends its threads. */
public interface HandlingContender extends AutoCloseable {
    /** Share of the attempts whose spans are sampled. */
    double SAMPLED = 0.01;

    /** What it tells of itself at the end, for example what it has moved. */
    default String figures() {
        return "";
    }

    @Override
    void close();

    /** What there is to compare. */
    enum Kind {
        WORKER("worker"),
        /** With a handler that says that it leaves its thread clean. */
        WORKER_CLEAN("worker, clean"),
        /** As the clean one, with a span for each attempt, of which 1% are sampled and exported to nowhere. */
        WORKER_TRACED("worker, traced"),
        BARE("bare consumer");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }

        /** Starts it; it has its partitions, and sees no item yet. */
        HandlingContender start(Scene scene, int slots, Work work) {
            Handler clean = new CleanHandler(work::handle);
            return switch (this) {
                case WORKER -> worker(RunningQueue.startWorker(scene, work::handle, Tracing.OFF));
                case WORKER_CLEAN -> worker(RunningQueue.startWorker(scene, clean, Tracing.OFF));
                case WORKER_TRACED -> worker(RunningQueue.startWorker(scene, clean, traced()));
                case BARE -> new BareConsumer(scene, slots, work);
            };
        }

        private static Tracing traced() {
            SdkTracerProvider provider = SdkTracerProvider.builder()
                    .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(SAMPLED)))
                    .addSpanProcessor(BatchSpanProcessor.builder(SpanExporter.composite()).build())
                    .build();
            return Tracing.of(OpenTelemetrySdk.builder().setTracerProvider(provider).build(), Map.of());
        }

        private static HandlingContender worker(RunningQueue queue) {
            return new HandlingContender() {
                @Override
                public String figures() {
                    return queue.figures();
                }

                @Override
                public void close() {
                    queue.close();
                }
            };
        }
    }

    /** The handler of both: it sleeps and counts. Written by handler threads. */
    public final class Work {
        private final long sleepMillis;
        private final AtomicIntegerArray calls;
        private final AtomicInteger itemsDone = new AtomicInteger();
        private final AtomicLong firstNanos = new AtomicLong(Long.MAX_VALUE);
        private volatile long lastNanos;

        public Work(int items, long sleepMillis) {
            this.sleepMillis = sleepMillis;
            this.calls = new AtomicIntegerArray(items);
        }

        public Outcome handle(Delivery delivery) throws InterruptedException {
            handle(delivery.value());
            return Outcome.done();
        }

        public void handle(byte[] value) throws InterruptedException {
            if (firstNanos.get() == Long.MAX_VALUE) {
                firstNanos.compareAndSet(Long.MAX_VALUE, System.nanoTime());
            }
            if (sleepMillis > 0) {
                Thread.sleep(sleepMillis);
            }
            if (calls.getAndIncrement((int) BenchItems.markOf(value)) == 0
                    && itemsDone.incrementAndGet() == calls.length()) {
                lastNanos = System.nanoTime();
            }
        }

        public boolean isDone() {
            return itemsDone.get() == calls.length();
        }

        public int itemsDone() {
            return itemsDone.get();
        }

        /** From the first call to the end of the last, or until now where items are left. */
        public double seconds() {
            return ((isDone() ? lastNanos : System.nanoTime()) - firstNanos.get()) / 1e9;
        }

        public int duplicates() {
            int duplicates = 0;
            for (int i = 0; i < calls.length(); i++) {
                duplicates += calls.get(i) > 1 ? 1 : 0;
            }
            return duplicates;
        }
    }
}
