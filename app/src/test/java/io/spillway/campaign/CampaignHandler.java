package io.spillway.campaign;

import io.spillway.guarantee.KeyOrder;
import io.spillway.guarantee.Leases;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Handler of the workers of a campaign. Writes the id and the attempt of each call to a file of the process, before
 * it acts, so that the file has it even if the process is killed. What it does follows from the payload:
 *
 * <ul>
 *   <li>{@code ok}: done; a number: done after as many milliseconds; {@code lasting} and a number: the same, with lines
 *       for {@link Leases}
 *   <li>{@code ordered} and a number: as {@code lasting}; the first attempt of every tenth item fails
 *   <li>{@code flaky}: fails at the first two attempts
 *   <li>{@code poison}: always fails
 *   <li>{@code dead}: refused
 *   <li>{@code halt}: ends the process, at each attempt
 *   <li>{@code hang}: returns after 20 s, and ignores interrupts
 *   <li>{@code never}: never returns, and ignores interrupts
 *   <li>{@code memory}: an OutOfMemoryError of its own
 *   <li>{@code heap}: fills the heap until there is no more
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
        byte[] line = (delivery.tenant() + "/" + delivery.id() + " " + delivery.attempt() + "\n")
                .getBytes(StandardCharsets.UTF_8);
        write(line);
        if (payload.startsWith("lasting ")) {
            return Leases.last(
                    delivery, Long.parseLong(payload.substring("lasting ".length())), this::write);
        }
        if (payload.startsWith("ordered ")) {
            Outcome done = Leases.last(
                    delivery, Long.parseLong(payload.substring("ordered ".length())), this::write);
            return KeyOrder.failsFirst(delivery) ? Outcome.retry("as requested") : done;
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
            case "hang" -> hang(HANG_NANOS);
            case "never" -> hang(Long.MAX_VALUE);
            case "heap" -> fill();
            case "memory" -> throw new OutOfMemoryError("as requested");
            default -> {
                Thread.sleep(Integer.parseInt(payload));
                yield Outcome.done();
            }
        };
    }

    private void write(byte[] line) throws IOException {
        synchronized (calls) {
            calls.write(line);
        }
    }

    private static Outcome hang(long nanos) {
        long startNanos = System.nanoTime();
        while (System.nanoTime() - startNanos < nanos) {
            LockSupport.parkNanos(HANG_NANOS);
            Thread.interrupted();
        }
        return Outcome.done();
    }

    private static Outcome fill() {
        List<byte[]> blocks = new ArrayList<>();
        while (true) {
            blocks.add(new byte[1 << 20]);
        }
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
