package io.spillway.router.delay;

/** A value in the timer store that this version cannot decode. */
class DamagedTimerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DamagedTimerException(String message) {
        super(message);
    }
}
