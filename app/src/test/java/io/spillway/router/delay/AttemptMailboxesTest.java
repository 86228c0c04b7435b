package io.spillway.router.delay;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.retry.AttemptCounts;
import io.spillway.core.retry.RetryKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttemptMailboxesTest {
    private final AttemptMailboxes mailboxes = new AttemptMailboxes();

    @Test
    void every_stage_gets_each_report_once_while_it_runs() {
        AttemptMailboxes.Mailbox one = mailboxes.open();
        mailboxes.offer(report(1));
        AttemptMailboxes.Mailbox other = mailboxes.open();
        mailboxes.offer(report(2));

        assertThat(one.drain()).containsExactly(report(1), report(2));
        assertThat(one.drain()).isEmpty();
        assertThat(other.drain()).containsExactly(report(2));
        mailboxes.close(one);
        mailboxes.offer(report(3));
        assertThat(one.drain()).isEmpty();
        assertThat(other.drain()).containsExactly(report(3));
    }

    @Test
    void a_stage_that_does_not_read_loses_the_oldest_reports() {
        AttemptMailboxes.Mailbox mailbox = mailboxes.open();
        for (int i = 0; i < AttemptMailboxes.MOST_REPORTS + 5; i++) {
            mailboxes.offer(report(i));
        }
        assertThat(mailbox.drain()).hasSize(AttemptMailboxes.MOST_REPORTS).startsWith(report(5))
                .endsWith(report(AttemptMailboxes.MOST_REPORTS + 4));
    }

    @Test
    void a_report_that_its_sender_changes_afterwards_stays_as_it_was() {
        AttemptMailboxes.Mailbox mailbox = mailboxes.open();
        List<AttemptCounts> sent = new ArrayList<>(report(7));
        mailboxes.offer(sent);
        sent.clear();
        assertThat(mailbox.drain()).containsExactly(report(7));
    }

    private static List<AttemptCounts> report(int firsts) {
        return List.of(new AttemptCounts(RetryKey.OTHERS, AttemptCounts.UNKNOWN, firsts, 0, 0, 0));
    }
}
