package io.spillway.deadletter;

/** What one run is to do over all partitions, and what of it is done. Owned by the thread of the run. */
final class SelectedDeadLetters {
    private final DeadLetterFilter filter;
    private final Disposal disposal;
    private final long total;
    private final ScanListener watch;
    private long taken;
    private long done;
    private long toEnd;
    private boolean stopped;

    /**
     * Makes work.
     *
     * @param total most dead letters to take
     */
    SelectedDeadLetters(DeadLetterFilter filter, Disposal disposal, long total, ScanListener watch) {
        this.filter = filter;
        this.disposal = disposal;
        this.total = total;
        this.watch = watch;
    }

    Disposal disposal() {
        return disposal;
    }

    /** Whether this one is to be taken. */
    boolean means(DeadLetter letter) {
        return taken < total && filter.matches(letter) && disposal.obstacle(letter).isEmpty();
    }

    /** Takes one; the answer is its number, from 0. */
    long take() {
        return taken++;
    }

    /** All that were taken are done for good. */
    void committed() {
        done = taken;
        watch.progressed(disposal.done(), done, total);
        stopped = stopped || watch.isStopped();
    }

    void putToEnd() {
        toEnd++;
    }

    boolean isOver() {
        return stopped || taken == total;
    }

    /** Asks whether to stop, where nothing was committed. */
    boolean isStopped() {
        stopped = stopped || taken < total && watch.isStopped();
        return stopped;
    }

    long done() {
        return done;
    }

    long toEnd() {
        return toEnd;
    }
}
