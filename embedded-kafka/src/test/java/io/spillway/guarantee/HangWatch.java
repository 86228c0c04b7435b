package io.spillway.guarantee;

import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Ends a JVM of system tests in which nothing has begun or ended for too long, and says what it was in and where its
 * threads are. A time limit of JUnit does not hold for extensions, which start and stop brokers: the build would never
 * end. Registered for all tests; works only where {@code spillway.test.silentMinutes} is set.
 */
public final class HangWatch implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    private static final int EXIT = 86;
    private static final int FRAMES = 40;
    private static volatile String last = "the start";
    private static volatile long lastNanos = System.nanoTime();

    static {
        int minutes = Integer.getInteger("spillway.test.silentMinutes", 0);
        if (minutes > 0) {
            Thread.ofPlatform().daemon().name("hang-watch").start(() -> watch(TimeUnit.MINUTES.toNanos(minutes)));
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        note("before all of", context);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        note("before", context);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        note("after", context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        note("after all of", context);
    }

    private static void note(String when, ExtensionContext context) {
        last = when + " " + context.getUniqueId();
        lastNanos = System.nanoTime();
    }

    private static void watch(long silentNanos) {
        try {
            while (System.nanoTime() - lastNanos < silentNanos) {
                Thread.sleep(1_000);
            }
        } catch (InterruptedException e) {
            return;
        }
        System.out.println("HANGS: nothing has happened since " + last);
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            System.out.println(thread);
            Stream.of(frames).limit(FRAMES).forEach(frame -> System.out.println("    " + frame));
        });
        System.out.flush();
        Runtime.getRuntime().halt(EXIT);
    }
}
