package io.spillway.router.delay;

import io.spillway.core.retry.AttemptCounts;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Mailboxes through which the running delay stages of this process get the workers' reports of attempts. Thread-safe.
 * Bound: {@value #MOST_REPORTS} reports for each stage; the stages share the reports themselves.
 */
public final class AttemptMailboxes {
    /** Reports of two seconds from eight workers. A stage reads its mailbox five times a second while items wait. */
    static final int MOST_REPORTS = 64;

    private final Set<Mailbox> open = ConcurrentHashMap.newKeySet();

    /** Reports for one stage. The oldest is dropped for one that does not fit: fewer retries, never more. */
    static final class Mailbox {
        private final Queue<List<AttemptCounts>> reports = new ArrayDeque<>();

        synchronized void offer(List<AttemptCounts> report) {
            if (reports.size() == MOST_REPORTS) {
                reports.remove();
            }
            reports.add(report);
        }

        /** Removes and returns all reports, oldest first. */
        synchronized List<List<AttemptCounts>> drain() {
            List<List<AttemptCounts>> all = List.copyOf(reports);
            reports.clear();
            return all;
        }
    }

    /** Passes a report to all stages that run. */
    public void offer(List<AttemptCounts> report) {
        List<AttemptCounts> shared = List.copyOf(report);
        open.forEach(mailbox -> mailbox.offer(shared));
    }

    Mailbox open() {
        Mailbox mailbox = new Mailbox();
        open.add(mailbox);
        return mailbox;
    }

    void close(Mailbox mailbox) {
        open.remove(mailbox);
    }
}
