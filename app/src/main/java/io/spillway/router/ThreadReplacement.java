package io.spillway.router;

/**
 * Limit on replacing failed stream threads: {@value #MOST} times in {@value #WINDOW_MILLIS} ms. More failures mean that
 * every new thread meets the same fault, so the process ends and its supervisor notices.
 *
 * <p>Owner: the uncaught exception handler of one router. Synchronized because any stream thread calls it.
 */
final class ThreadReplacement {
    static final int MOST = 5;
    static final long WINDOW_MILLIS = 600_000;

    private final long[] replacedAtMillis = new long[MOST];
    private int count;

    /** Returns whether to replace a thread that failed now, and counts the replacement. */
    synchronized boolean allows(long nowMillis) {
        int slot = count % MOST;
        if (count >= MOST && nowMillis - replacedAtMillis[slot] < WINDOW_MILLIS) {
            return false;
        }
        replacedAtMillis[slot] = nowMillis;
        count++;
        return true;
    }
}
