package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Two processes with one worker id: member a started first, then b. */
class SameNameTest {
    private final Map<String, String> members = new HashMap<>(Map.of("a", "/10.0.0.1", "b", "/10.0.0.2"));
    private final SameName a = new SameName("w", () -> Map.copyOf(members));
    private final SameName b = new SameName("w", () -> Map.copyOf(members));

    @Test
    void the_younger_process_ends_at_its_second_fencing() {
        a.fenced("a");
        b.fenced("b");
        a.fenced("a");
        assertThatThrownBy(() -> b.fenced("b")).isInstanceOf(WorkerException.class)
                .hasMessageContaining("at /10.0.0.1").hasMessageContaining("worker w too")
                .hasMessageContaining("started before this one").hasMessageContaining("worker.id");
    }

    /** Transactions that time out fence as well, and the younger one may hang meanwhile. */
    @Test
    void the_older_process_never_ends_however_often_it_is_fenced() {
        for (int i = 0; i < 10; i++) {
            assertThatCode(() -> a.fenced("a")).doesNotThrowAnyException();
        }
    }

    @Test
    void members_have_the_order_of_the_starts_of_their_processes() {
        String older = SameName.newMember(1_799_999_999_999L);
        String younger = SameName.newMember(1_800_000_000_000L);
        assertThat(older).isLessThan(younger).isNotEqualTo(SameName.newMember(1_799_999_999_999L));
    }

    @Test
    void each_restart_of_the_older_process_is_another_process() {
        for (int restart = 0; restart < 5; restart++) {
            members.remove("a" + (restart - 1));
            members.remove("a");
            members.put("a" + restart, "/10.0.0.1");
            assertThatCode(() -> b.fenced("b")).doesNotThrowAnyException();
        }
    }

    @Test
    void a_fenced_process_that_is_alone_continues() {
        members.remove("a");
        for (int i = 0; i < 5; i++) {
            assertThatCode(() -> b.fenced("b")).doesNotThrowAnyException();
        }
    }

    /** A killed process is a member until its session ends. */
    @Test
    void the_killed_predecessor_does_not_end_a_process_that_is_fenced_once() {
        b.fenced("b");
        members.remove("a");
        assertThatCode(() -> b.fenced("b")).doesNotThrowAnyException();
    }
}
