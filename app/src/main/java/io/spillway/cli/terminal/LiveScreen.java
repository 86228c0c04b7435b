package io.spillway.cli.terminal;

import java.util.List;

/**
 * Screen that is redrawn, in the alternate buffer of a terminal: what was shown before comes back when it is closed.
 * Thread-safe, so that the end of the process can close it while the command waits for something.
 */
public final class LiveScreen implements AutoCloseable {
    private static final String OPEN = "\u001b[?1049h\u001b[?25l";
    private static final String CLOSE = "\u001b[?25h\u001b[?1049l";
    private static final String TOP_LEFT = "\u001b[H";
    private static final String CLEAR_LINE = "\u001b[K";
    private static final String CLEAR_BELOW = "\u001b[J";

    private final Printer printer;
    private boolean isClosed;

    private LiveScreen(Printer printer) {
        this.printer = printer;
    }

    /** Opens the screen and hides the cursor. */
    public static LiveScreen open(Printer printer) {
        printer.raw(OPEN);
        return new LiveScreen(printer);
    }

    /** Replaces what is shown, until it is closed. The lines must fit the terminal: it scrolls if there are more. */
    public synchronized void draw(List<String> lines) {
        if (isClosed) {
            return;
        }
        // Without erasing the screen first, which would flicker, and no line end after the last line.
        printer.raw(TOP_LEFT + String.join(CLEAR_LINE + "\n", lines) + CLEAR_LINE + CLEAR_BELOW);
    }

    /** Brings back what was shown before; the second time it does nothing. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            printer.raw(CLOSE);
        }
    }
}
