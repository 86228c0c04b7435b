package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class AttemptRunnerTest {
    private final CoreScene scene = new CoreScene(1 << 20);

    @Test
    void a_call_finds_nothing_that_another_one_has_left_in_its_thread() throws Exception {
        ClassLoader ofWorker = Thread.currentThread().getContextClassLoader();
        InheritableThreadLocal<String> context = new InheritableThreadLocal<>();
        Queue<String> found = new ConcurrentLinkedQueue<>();
        CountDownLatch calls = new CountDownLatch(3);
        AttemptRunner runner = scene.runner(delivery -> {
            boolean isOfWorker = Thread.currentThread().getContextClassLoader() == ofWorker;
            found.add("context " + context.get() + ", class loader of the worker " + isOfWorker);
            context.set(delivery.tenant());
            Thread.currentThread().setContextClassLoader(new ClassLoader() {});
            calls.countDown();
            return Outcome.done();
        });
        OwnedPartition owned = scene.take(0, ProgressState.fresh(0), 3);
        scene.commit();
        // The thread of each call starts that of the next one.
        scene.limit = 1;

        runner.run(scene.poll(owned, LongStream.range(0, 3)
                .mapToObj(offset -> CoreScene.item(owned, offset, "tenant-" + offset, 0)).toList()));
        calls.await();

        String nothing = "context null, class loader of the worker true";
        assertThat(found).containsExactly(nothing, nothing, nothing);
        assertThat(scene.failures).isEqualTo(List.of());
    }
}
