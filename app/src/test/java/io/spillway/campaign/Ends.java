package io.spillway.campaign;

import io.spillway.core.item.Lane;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.kafka.codec.ItemDecoder;
import io.spillway.kafka.codec.ItemHeaders;
import io.spillway.kafka.codec.ItemReader;
import io.spillway.kafka.codec.ItemSchemas;
import io.spillway.kafka.codec.ParsedRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reader of how items ended, from the trail and from the dead letters, where an item of a gateway has no headers, and
 * of the calls of handlers.
 */
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

    /** Returns the lines that handlers have written to the files of a directory, one for each call. */
    static List<String> calls(Path directory) throws IOException {
        List<String> calls = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                String content = Files.readString(file);
                // A killed process may leave half a line, or write it just now.
                content.substring(0, content.lastIndexOf('\n') + 1).lines().forEach(calls::add);
            }
        }
        return calls;
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
