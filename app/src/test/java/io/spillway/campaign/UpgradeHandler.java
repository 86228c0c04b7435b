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

/**
 * Handler of both versions in the drill of an upgrade. Writes the id of each item that it is called for, and the time,
 * to a file of the process. Acts as {@link CampaignHandler}, but never ends its process: a process that ends by itself
 * is what the drill looks for. Uses only what every version has. Thread-safe. Owner of the file.
 */
public final class UpgradeHandler implements Handler {
    private final FileOutputStream calls;

    /** Opens the file. */
    public UpgradeHandler() {
        try {
            Path directory = Path.of(System.getProperty(CampaignHandler.CALLS));
            calls = new FileOutputStream(Files.createTempFile(directory, "calls-", ".txt").toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Outcome handle(Delivery delivery) throws Exception {
        String line = delivery.tenant() + "/" + delivery.id() + " " + System.currentTimeMillis() + "\n";
        synchronized (calls) {
            calls.write(line.getBytes(StandardCharsets.UTF_8));
        }
        String payload = new String(delivery.payload(), StandardCharsets.UTF_8);
        return switch (payload) {
            case "flaky" -> delivery.attempt() <= 2 ? Outcome.retry("flaky as requested") : Outcome.done();
            case "poison" -> throw new IllegalStateException("poison as requested");
            case "dead" -> Outcome.dead("dead as requested");
            default -> {
                if (payload.matches("\\d+")) {
                    Thread.sleep(Integer.parseInt(payload));
                }
                yield Outcome.done();
            }
        };
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
