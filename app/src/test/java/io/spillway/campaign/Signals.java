package io.spillway.campaign;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Signals to processes that this test has started, and limits of them. */
final class Signals {
    private Signals() {}

    /** Sends a signal, such as STOP. Does nothing if the process has ended. */
    static void send(Process process, String name) {
        run(process, "kill", "-" + name, Long.toString(process.pid()));
    }

    /** Lets every write of a process to a file fail, as on a full disk, or succeed again. */
    static void fullDisk(Process process, boolean isFull) {
        run(process, "prlimit", "--pid", Long.toString(process.pid()), "--fsize=" + (isFull ? "0:" : "unlimited:"));
    }

    private static void run(Process process, String... command) {
        // The number of an ended process may belong to another one by now.
        if (!process.isAlive()) {
            return;
        }
        try {
            new ProcessBuilder(command)
                    .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
