package io.spillway.campaign;

import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * Handler of the workers of a campaign. Writes the id of each item that it is called for to a file of the process,
 * before it acts, so that the file has it even if the process is killed. What it does follows from the payload:
 *
 * <ul>
 *   <li>{@code ok}: done; a number: done after as many milliseconds
 *   <li>{@code flaky}: fails at the first two attempts
 *   <li>{@code poison}: always fails
 *   <li>{@code dead}: refused
 *   <li>{@code halt}: ends the process, at each attempt
 *   <li>{@code hang}: never returns, and ignores interrupts for 20 s
 *   <li>{@code memory}: an OutOfMemoryError of its own
 * </ul>
 *
 * <p>Thread-safe. Owner of the file.
 */
public final class CampaignHandler implements Handler {
    /** System property: the directory of the files. */
    public static final String CALLS = "spillway.campaign.calls";

    private static final long HANG_NANOS = 20_000_000_000L;

    private final FileOutputStream calls;

    /** Opens the file. */
    public CampaignHandler() {
        try {
            Path file = Files.createTempFile(Path.of(System.getProperty(CALLS)), "calls-", ".txt");
            calls = new FileOutputStream(file.toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Outcome handle(Delivery delivery) throws Exception {
        String payload = new String(delivery.payload(), StandardCharsets.UTF_8);
        byte[] line = (delivery.tenant() + "/" + delivery.id() + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (calls) {
            calls.write(line);
        }
        return switch (payload) {
            case "ok" -> Outcome.done();
            case "flaky" -> delivery.attempt() <= 2 ? Outcome.retry("flaky as requested") : Outcome.done();
            case "poison" -> throw new IllegalStateException("poison as requested");
            case "dead" -> Outcome.dead("dead as requested");
            case "halt" -> {
                Runtime.getRuntime().halt(9);
                yield Outcome.done();
            }
            case "hang" -> hang();
            case "memory" -> throw new OutOfMemoryError("as requested");
            default -> {
                Thread.sleep(Integer.parseInt(payload));
                yield Outcome.done();
            }
        };
    }

    private static Outcome hang() {
        long startNanos = System.nanoTime();
        while (System.nanoTime() - startNanos < HANG_NANOS) {
            LockSupport.parkNanos(HANG_NANOS);
            Thread.interrupted();
        }
        return Outcome.done();
    }

    @Override
    public void close() {
        try {
            calls.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
