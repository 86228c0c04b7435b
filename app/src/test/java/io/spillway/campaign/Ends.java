package io.spillway.campaign;

import io.spillway.core.item.Lane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.ParsedRecord;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reader of how items ended: from the trail, and from the dead letters, where an item of a gateway has no headers. */
final class Ends {
    private final ItemReader reader = new ItemReader(ItemSchemas.load(), Integer.MAX_VALUE);
    private final ItemDecoder decoder = new ItemDecoder();
    private final Map<String, Map<String, Integer>> ends = new HashMap<>();

    private Ends() {}

    /** Returns how often each item, {@code TENANT/ID}, ended, by word: done, dropped or dead. */
    static Map<String, Map<String, Integer>> read(String bootstrapServers, String prefix) {
        Ends read = new Ends();
        KafkaUnderTest.readAll(bootstrapServers, prefix + ".trail").forEach(record -> read.count(
                header(record, ItemHeaders.TENANT) + "/" + header(record, ItemHeaders.ID),
                new String(record.value(), StandardCharsets.UTF_8).split(" ")[0]));
        KafkaUnderTest.readAll(bootstrapServers, prefix + "." + Lane.DEAD_LETTER.label())
                .forEach(record -> read.count(read.name(record), "dead"));
        return read.ends;
    }

    private void count(String name, String word) {
        ends.computeIfAbsent(name, absent -> new TreeMap<>()).merge(word, 1, Integer::sum);
    }

    private String name(ConsumerRecord<byte[], byte[]> record) {
        return reader.read(record.key(), record.value(), record.headers(), 0) instanceof ParsedRecord.Item item
                ? item.tenant() + "/" + decoder.id(item, record.value(), record.headers(), "?")
                : "unreadable dead letter";
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return ItemHeaders.text(record.headers(), name).orElse("?");
    }
}
