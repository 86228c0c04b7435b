package io.spillway.router;

/** Throws anything from anywhere. */
final class RouterHarnessFaults {
    private RouterHarnessFaults() {}

    static void sneak(Throwable fault) {
        switch (fault) {
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new AssertionError("only unchecked faults", fault);
        }
    }
}
