package io.spillway.router;

/** Thrower of any unchecked exception. */
final class RouterHarnessFaults {
    private RouterHarnessFaults() {}

    static void throwUnchecked(Throwable fault) {
        switch (fault) {
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new AssertionError("only unchecked faults", fault);
        }
    }
}
