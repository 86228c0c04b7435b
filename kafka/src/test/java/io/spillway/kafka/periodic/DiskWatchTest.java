package io.spillway.kafka.periodic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.core.overload.DiskRoom;
import io.spillway.kafka.topics.Disk;
import io.spillway.kafka.topics.KafkaFailure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DiskWatchTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final List<DiskRoom> rooms = new ArrayList<>();
    private List<Disk> disks = List.of();

    private final DiskWatch watch = new DiskWatch(() -> {
        if (disks.isEmpty()) {
            throw new KafkaFailure("no answer");
        }
        return disks;
    }, () -> { }, StartDelays.of("test"), registry);

    @Test
    void those_who_follow_learn_the_room_of_the_fullest_disk_at_once_and_at_each_change() {
        watch.follow(rooms::add);

        measure(500, 600);
        measure(500, 90);
        measure(500, 80);
        measure(500, 40);
        measure(90, 1_000);
        measure(500, 600);

        assertThat(rooms).containsExactly(
                DiskRoom.ENOUGH, DiskRoom.LOW, DiskRoom.OUT, DiskRoom.LOW, DiskRoom.ENOUGH);
    }

    @Test
    void a_disk_that_does_not_answer_changes_nothing() {
        watch.follow(rooms::add);
        measure(500, 40);

        disks = List.of();
        assertThatThrownBy(watch::measure).hasMessage("no answer");

        assertThat(rooms).containsExactly(DiskRoom.ENOUGH, DiskRoom.OUT);
        assertThat(free("broker-2")).isEqualTo(40);
    }

    @Test
    void each_disk_has_a_series_until_it_has_gone() {
        measure(500, 40);
        assertThat(free("broker-1")).isEqualTo(500);

        disks = List.of(new Disk("broker-2", 30, 1_000));
        watch.measure();

        assertThat(free("broker-2")).isEqualTo(30);
        assertThat(registry.find("spillway.disk.free").tag("disk", "broker-1").gauge()).isNull();
        assertThat(registry.get("spillway.disk.total").tag("disk", "broker-2").gauge().value()).isEqualTo(1_000);
    }

    private void measure(long firstBytes, long secondBytes) {
        disks = List.of(new Disk("broker-1", firstBytes, 1_000), new Disk("broker-2", secondBytes, 1_000));
        watch.measure();
    }

    private double free(String disk) {
        return registry.get("spillway.disk.free").tag("disk", disk).gauge().value();
    }
}
