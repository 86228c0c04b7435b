package io.spillway.router;

/**
 * How often a stream thread that died is replaced: {@value #MOST} times in {@value #WINDOW_MILLIS} ms. More often means
 * that every new thread meets the same fault, and the process ends so that whoever runs it sees it.
 *
 * <p>Owner: the uncaught exception handler of one router; it is called from any stream thread, hence synchronized.
 */
final class ThreadReplacement {
    static final int MOST = 5;
    static final long WINDOW_MILLIS = 600_000;

    private final long[] replacedAtMillis = new long[MOST];
    private int count;

    /** Whether to replace a thread that died now. */
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
