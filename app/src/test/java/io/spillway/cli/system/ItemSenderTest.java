package io.spillway.cli.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.terminal.Printer;
import io.spillway.gateway.WrittenItem;
import io.spillway.schema.WorkItem;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class ItemSenderTest {
    private static final WrittenItem ITEM = new WrittenItem(
            new WorkItem("acme", "1", Instant.EPOCH, "", null, "text/plain", Map.of(), ByteBuffer.allocate(0)), 4, 0);

    private final MockProducer<byte[], byte[]> kafka =
            new MockProducer<>(false, (Partitioner) null, new ByteArraySerializer(), new ByteArraySerializer());
    private final ItemSender sender = new ItemSender(
            kafka, "ingress", null, new Printer(new PrintWriter(System.out), new PrintWriter(System.err), false));

    @Test
    void counts_what_kafka_has_and_what_it_has_refused() {
        for (int i = 0; i < 3; i++) {
            sender.send(ITEM, 3);
        }
        kafka.completeNext();
        kafka.errorNext(new RecordTooLargeException("too large\nby far"));
        kafka.completeNext();
        ItemSender.Result result = sender.finish();

        assertThat(result.sent()).isEqualTo(2);
        assertThat(result.failed()).isEqualTo(1);
        assertThat(result.firstFailure()).hasValueSatisfying(why -> assertThat(why).contains("too large\\u000aby far"));
        assertThat(sender.isLost()).as("one bad item is no reason to give up").isFalse();
    }

    @Test
    void gives_up_when_kafka_lets_an_item_wait_in_vain() {
        sender.send(ITEM, 2);
        assertThat(sender.isLost()).isFalse();
        kafka.errorNext(new TimeoutException("not in metadata after 60000 ms"));

        assertThat(sender.isLost()).isTrue();
    }
}
