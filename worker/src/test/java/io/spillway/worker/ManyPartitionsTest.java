package io.spillway.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.core.progress.ProgressState;
import io.spillway.handler.Outcome;
import io.spillway.kafka.codec.ItemHeaders;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** Worker with more partitions than one commit can have, which is 147, and news in each of them all the time. */
class ManyPartitionsTest {
    private static final int OF_COMMIT = 147;

    private final CoreScene scene = new CoreScene(1 << 26);
    private final List<OwnedPartition> owned = new ArrayList<>();
    private long nextOffset;

    @Test
    void each_partition_is_in_one_of_as_many_commits_as_all_of_them_need() {
        take(2 * OF_COMMIT + 1);
        for (int round = 0; round < 3; round++) {
            Set<OwnedPartition> committed = new HashSet<>();
            for (int commit = 0; commit < 3; commit++) {
                readOn();
                committed.addAll(commit().parts().keySet());
            }
            assertThat(committed).as("round %d", round).hasSameSizeAs(owned);
        }
    }

    @Test
    void a_commit_that_failed_delays_no_other_partition() {
        take(OF_COMMIT + 1);
        readOn();
        CommitBatch failed = scene.core.batch();
        scene.core.notCommitted(failed);

        Set<OwnedPartition> tried = new HashSet<>(failed.parts().keySet());
        tried.addAll(scene.core.batch().parts().keySet());

        assertThat(tried).hasSameSizeAs(owned);
    }

    /** The delay lane refuses the end of a claim that it does not know, and the item would be attempted again. */
    @Test
    void the_end_of_an_attempt_is_not_told_before_its_claim_is() {
        take(3 * OF_COMMIT);
        IntStream.range(0, 3).forEach(commit -> commit());
        List<OwnedPartition> last = owned.subList(owned.size() - 10, owned.size());
        List<Attempt> running = last.stream()
                .flatMap(partition -> scene.poll(partition, List.of(CoreScene.item(partition, 0, "acme", 0))).stream())
                .toList();
        assertThat(running).hasSize(10);
        scene.advance(5_000);
        readOn();
        commit();
        assertThat(running).as("claimed, and not in the commit").allMatch(Attempt::isClaimed)
                .noneMatch(Attempt::isClaimHeld);
        running.forEach(attempt -> scene.core.ended(attempt, Outcome.done()));

        Set<String> claims = new HashSet<>();
        int told = 0;
        for (int commit = 0; commit < 3; commit++) {
            readOn();
            assertThat(scene.core.hasNotices()).isEqualTo(told < 10);
            CommitBatch batch = commit();
            batch.parts().values().forEach(part -> part.moves().forEach(move -> claims.add(claim(move))));
            assertThat(claims).containsAll(batch.notices().stream().map(notice -> claim(notice.record())).toList());
            told += batch.notices().size();
        }
        assertThat(told).isEqualTo(10);
    }

    @Test
    void the_end_of_an_attempt_is_told_when_its_partition_is_gone() {
        take(1);
        commit();
        Attempt attempt = scene.poll(owned.getFirst(), List.of(CoreScene.item(owned.getFirst(), 0, "acme", 0)))
                .getFirst();
        scene.advance(5_000);
        commit();
        scene.core.forget(List.of(owned.getFirst().partition));
        scene.core.ended(attempt, Outcome.done());
        assertThat(scene.core.batch().notices()).hasSize(1);
    }

    private void take(int partitions) {
        IntStream.range(0, partitions).forEach(number -> owned.add(scene.take(number, ProgressState.fresh(0), 0)));
    }

    /** Reads something in each partition, for example the end of a transaction. */
    private void readOn() {
        nextOffset += 100;
        scene.core.receive(owned.stream()
                .map(partition -> new OwnedPartition.Polled(partition, List.of(), nextOffset)).toList());
    }

    private CommitBatch commit() {
        CommitBatch batch = scene.core.batch();
        scene.core.committed(batch);
        return batch;
    }

    private static String claim(ProducerRecord<byte[], byte[]> record) {
        return ItemHeaders.text(record.headers(), ItemHeaders.CLAIM).orElse("");
    }
}
