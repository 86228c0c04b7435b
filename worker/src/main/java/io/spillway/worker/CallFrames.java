package io.spillway.worker;

import static java.util.stream.Collectors.joining;

import java.util.Optional;
import java.util.stream.Stream;

/** What the stack of a handler call tells, innermost frame first. */
final class CallFrames {
    private static final int MAX_FRAMES = 4;

    private CallFrames() {}

    /** Returns the innermost frames outside the JDK, for a log line. */
    static String where(Stream<StackTraceElement> frames) {
        return frames.filter(frame -> !"java.base".equals(frame.getModuleName()))
                .limit(MAX_FRAMES).map(StackTraceElement::toString).collect(joining(" < "));
    }

    /** Returns the frame that called {@code System.exit}; empty if the call is not in it. */
    static Optional<StackTraceElement> exitCaller(Stream<StackTraceElement> frames) {
        return frames.dropWhile(frame -> !isExit(frame, Runtime.class))
                .filter(frame -> !isExit(frame, Runtime.class) && !isExit(frame, System.class))
                .findFirst();
    }

    private static boolean isExit(StackTraceElement frame, Class<?> type) {
        return frame.getClassName().equals(type.getName()) && frame.getMethodName().equals("exit");
    }
}
