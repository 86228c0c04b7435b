package io.spillway.operator;

/** Refusal of a request of the operator. The message says what is wrong and what to do, in one printable line. */
public final class OperatorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean isConflict;

    /** Creates a refusal of a request that is never possible: a value that is not allowed. */
    public OperatorException(String message) {
        this(message, false);
    }

    private OperatorException(String message, boolean isConflict) {
        super(message);
        this.isConflict = isConflict;
    }

    /** Returns a refusal of a request that the present state does not permit. */
    public static OperatorException conflict(String message) {
        return new OperatorException(message, true);
    }

    /** Returns whether the present state is the reason. */
    public boolean isConflict() {
        return isConflict;
    }
}
