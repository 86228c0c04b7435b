package io.spillway.worker;

import io.spillway.core.item.Printable;
import io.spillway.handler.Delivery;
import io.spillway.handler.Handler;

/** Names of destinations as a handler returns them, made safe for headers, metrics and logs. */
final class Destinations {
    /** Most characters of a name. */
    static final int MAX_LENGTH = 255;
    private static final int MAX_DETAIL = 900;

    private Destinations() {}

    /**
     * Returns the destination of an item: printable ASCII, at most {@link #MAX_LENGTH} characters.
     *
     * @throws UnknownException if the handler throws or returns null
     */
    static String of(Handler handler, Delivery delivery) throws UnknownException {
        String name;
        try {
            name = handler.destination(delivery);
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            throw new UnknownException(
                    "The handler's method destination failed: " + FailureText.describe(e, MAX_DETAIL), e);
        }
        if (name == null) {
            throw new UnknownException(
                    "The handler's method destination returned null. It must return a name, or an empty one.", null);
        }
        return name.length() <= MAX_LENGTH && isPlain(name) ? name : Printable.of(name, MAX_LENGTH);
    }

    private static boolean isPlain(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c < ' ' || c > '~' || c == '\\') {
                return false;
            }
        }
        return true;
    }

    /** The destination of an item is not known; the message is for its failed attempt. */
    static final class UnknownException extends Exception {
        private static final long serialVersionUID = 1;

        private UnknownException(String message, Throwable thrown) {
            super(message, thrown);
        }

        /** Returns what the handler threw; null if it threw nothing. */
        Throwable thrown() {
            return getCause();
        }
    }
}
