package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Two processes with one worker id: member a started first, then b. They fence each other in turn, b first. */
class SameNameTest {
    private final Map<String, String> members = new HashMap<>();
    private final SameName a = new SameName("w", () -> Map.copyOf(members));
    private final SameName b = new SameName("w", () -> Map.copyOf(members));

    @Test
    void the_younger_process_ends_at_its_second_fencing_and_the_older_never() {
        startBoth();
        a.fenced("a");
        b.fenced("b");
        a.fenced("a");
        assertThatThrownBy(() -> b.fenced("b")).isInstanceOf(WorkerException.class)
                .hasMessageContaining("at /10.0.0.1").hasMessageContaining("worker w too")
                .hasMessageContaining("started before this one").hasMessageContaining("worker.id");
    }

    @Test
    void the_younger_one_ends_also_when_its_member_id_is_smaller() {
        a.start();
        members.put("z", "/10.0.0.1");
        b.start();
        members.put("b", "/10.0.0.2");
        a.fenced("z");
        b.fenced("b");
        a.fenced("z");
        assertThatThrownBy(() -> b.fenced("b")).isInstanceOf(WorkerException.class);
    }

    @Test
    void of_two_that_started_at_the_same_moment_the_one_with_the_greater_member_id_ends() {
        a.start();
        b.start();
        members.put("a", "/10.0.0.1");
        members.put("b", "/10.0.0.2");
        for (int i = 0; i < 2; i++) {
            a.fenced("a");
            b.fenced("b");
        }
        assertThatCode(() -> a.fenced("a")).doesNotThrowAnyException();
        assertThatThrownBy(() -> b.fenced("b")).isInstanceOf(WorkerException.class);
    }

    @Test
    void each_restart_of_the_younger_process_is_another_process() {
        startBoth();
        for (int restart = 0; restart < 5; restart++) {
            members.remove("b" + (restart - 1));
            members.put("b" + restart, "/10.0.0.2");
            a.fenced("a");
            assertThatCode(() -> a.fenced("a")).doesNotThrowAnyException();
        }
    }

    @Test
    void a_fenced_process_that_is_alone_continues() {
        a.start();
        members.put("a", "/10.0.0.1");
        for (int i = 0; i < 5; i++) {
            assertThatCode(() -> a.fenced("a")).doesNotThrowAnyException();
        }
    }

    /** A killed process is a member until its session ends. */
    @Test
    void the_killed_predecessor_does_not_end_a_process_that_is_fenced_once() {
        members.put("dead", "/10.0.0.1");
        b.start();
        members.put("b", "/10.0.0.1");
        b.fenced("b");
        members.remove("dead");
        assertThatCode(() -> b.fenced("b")).doesNotThrowAnyException();
    }

    private void startBoth() {
        a.start();
        members.put("a", "/10.0.0.1");
        b.start();
        members.put("b", "/10.0.0.2");
    }
}
