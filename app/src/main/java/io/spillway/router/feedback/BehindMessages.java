package io.spillway.router.feedback;

import java.util.Locale;
import java.util.Optional;

/**
 * Log messages about a lane that falls behind and catches up. A start is reported at most once in
 * {@value #PAUSE_MILLIS} ms, and its end always; shorter times between are counted in the next start.
 *
 * <p>Owner: the thread of {@link HotLaneMonitor}.
 */
final class BehindMessages {
    static final long PAUSE_MILLIS = 60_000;

    private boolean isBehind;
    private boolean isReported;
    private long sinceMillis;
    private long nextMillis = Long.MIN_VALUE;
    private int unreported;

    /** Returns what to log about the state of the lane now. */
    Optional<String> next(boolean nowBehind, long nowMillis) {
        boolean hasChanged = nowBehind != isBehind;
        isBehind = nowBehind;
        if (hasChanged && nowBehind) {
            sinceMillis = nowMillis;
        }
        if (hasChanged && !nowBehind) {
            return ended(nowMillis);
        }
        // The second condition reports soon after a clock was set back.
        if (!isBehind || isReported || nowMillis < nextMillis && nextMillis - nowMillis <= PAUSE_MILLIS) {
            return Optional.empty();
        }
        String before = unreported == 0 ? ""
                : "; it was " + unreported + " times for a short time since the last message";
        isReported = true;
        unreported = 0;
        nextMillis = nowMillis + PAUSE_MILLIS;
        return Optional.of("Hot is behind at a worker: what is more than a fair share of a tenant there goes to overflow"
                + before);
    }

    private Optional<String> ended(long nowMillis) {
        if (!isReported) {
            unreported++;
            return Optional.empty();
        }
        isReported = false;
        return Optional.of(String.format(
                Locale.ROOT, "Hot has caught up after %.1f s", Math.max(0, nowMillis - sinceMillis) / 1e3));
    }
}
