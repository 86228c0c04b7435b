package io.spillway.deadletter;

/** Work of one run over all partitions, with its progress. Owned by the thread of the run. */
final class SelectedDeadLetters {
    private final DeadLetterFilter filter;
    private final Disposal disposal;
    private final long total;
    private final ScanListener watch;
    private long taken;
    private long done;
    private boolean stopped;

    /** @param total maximum number of dead letters to take */
    SelectedDeadLetters(DeadLetterFilter filter, Disposal disposal, long total, ScanListener watch) {
        this.filter = filter;
        this.disposal = disposal;
        this.total = total;
        this.watch = watch;
    }

    Disposal disposal() {
        return disposal;
    }

    boolean selects(DeadLetter letter) {
        return taken < total && filter.matches(letter) && disposal.obstacle(letter).isEmpty();
    }

    /** Takes one and returns its index, from 0. */
    long take() {
        return taken++;
    }

    /** Records that all taken dead letters are committed. */
    void committed() {
        done = taken;
        watch.progressed(disposal.done(), done, total);
        stopped = stopped || watch.isStopped();
    }

    boolean isOver() {
        return stopped || taken == total;
    }

    /** Returns whether the run was stopped; also asks the listener, for partitions without commits. */
    boolean isStopped() {
        stopped = stopped || taken < total && watch.isStopped();
        return stopped;
    }

    long done() {
        return done;
    }
}
