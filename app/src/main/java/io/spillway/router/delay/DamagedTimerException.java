package io.spillway.router.delay;

/** Bytes in the timer store that this version did not write. */
final class DamagedTimerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DamagedTimerException(String message) {
        super(message);
    }
}
