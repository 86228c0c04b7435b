package io.spillway.campaign;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Signals to processes that this test has started. */
final class Signals {
    private Signals() {}

    /** Sends a signal, such as STOP. Does nothing if the process has ended. */
    static void send(Process process, String name) {
        // The number of an ended process may belong to another one by now.
        if (!process.isAlive()) {
            return;
        }
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
