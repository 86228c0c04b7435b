package io.spillway.router.delay;

/** A value in the timer store that a later release wrote. Not damaged: it must stay where it is. */
final class LaterTimerException extends DamagedTimerException {
    private static final long serialVersionUID = 1;

    LaterTimerException(byte version, byte known) {
        super("timer has version " + version + " of a later release, and this one reads version " + known
                + ". Start routers of that release again, or of the one before it, which reads both.");
    }
}
