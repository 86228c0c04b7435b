package io.spillway.cli.system;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.options.OptionValues;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.TextLines;
import io.spillway.config.Configuration;
import io.spillway.core.item.Printable;
import io.spillway.core.settings.Durations;
import io.spillway.gateway.JsonItems;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import io.spillway.schema.WorkItem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.producer.Producer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code spillway send}: puts items into ingress. */
@Command(
        name = "send",
        mixinStandardHelpOptions = true,
        description = {
            "Puts items into the ingress topic, from the command line or from a file of one JSON object a line:",
            "{\"tenant\":\"acme\",\"id\":\"order-1\",\"enqueuedAt\":1700000000000,\"workload\":\"mail\",\"contentType\":\"text/plain\",",
            " \"attributes\":{\"k\":\"v\"},\"payload\":\"text\"}; only the payload must be there, the options fill in the rest."
        })
public final class SendCommand implements Callable<Integer> {
    private static final int MAX_LINE_BYTES = 4 * 1024 * 1024;

    @Mixin
    private CommonOptions common;

    @Option(names = "--tenant", paramLabel = "T", description = "tenant of the items (default: ${DEFAULT-VALUE})", defaultValue = "demo")
    private String tenant;

    @Option(names = "--count", paramLabel = "N", description = "how many (default: ${DEFAULT-VALUE})", defaultValue = "1")
    private long count;

    @Option(names = "--rate", paramLabel = "R", description = "items a second (default: as fast as it goes)")
    private Double rate;

    @Option(names = "--size", paramLabel = "BYTES", description = "bytes of payload of each (default: ${DEFAULT-VALUE})", defaultValue = "100")
    private int size;

    @Option(names = "--workload", paramLabel = "W", description = "workload of the items", defaultValue = "")
    private String workload;

    @Option(names = "--age", paramLabel = "AGE", description = "say that they were made so long ago, for example 10m")
    private String age;

    @Option(names = "--file", paramLabel = "F", description = "file of one JSON object a line; - for standard input")
    private Path file;

    private final InstantSource clock = InstantSource.system();

    @Override
    public Integer call() throws IOException {
        check();
        Configuration configuration = common.configurationWithCluster(topics -> List.of(topics.ingress()));
        Printer printer = common.printer();
        Topics topics = new Topics(configuration.queue());
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            ItemSender sender = new ItemSender(producer, topics.ingress(), rate, printer);
            long bad = file == null ? sendCounted(sender) : sendFile(sender, printer);
            ItemSender.Result result = sender.finish();
            if (common.isJson()) {
                printer.json(Map.of("sent", result.sent(), "failed", result.failed(), "bad", bad, "seconds", result.seconds()));
            } else {
                printer.line("sent %d items to %s in %.1f s".formatted(result.sent(), topics.ingress(), result.seconds()));
            }
            if (result.failed() + bad > 0) {
                throw CommandFailure.failed((result.failed() + bad) + " items were not sent: " + result.firstFailure()
                        .orElse("their lines are named above; mend them and send them alone")
                        + (sender.isLost() ? "; gave up, what comes after them was not tried" : ""));
            }
        }
        return 0;
    }

    private void check() {
        OptionValues.requireName("--tenant", tenant);
        if (!workload.isEmpty()) {
            OptionValues.requireName("--workload", workload);
        }
        if (count < 1) {
            throw CommandFailure.usage("--count " + count + ": must be 1 or more");
        }
        if (rate != null && !(rate > 0)) {
            throw CommandFailure.usage("--rate " + rate + ": must be above 0");
        }
        if (size < 0 || size > 1024 * 1024) {
            throw CommandFailure.usage("--size " + size + ": must be 0 to 1048576");
        }
        if (file != null && !isStandardInput() && (!Files.isReadable(file) || Files.isDirectory(file))) {
            throw CommandFailure.usage("--file " + file + ": must be a file that can be read, or - for standard input");
        }
        ageMillis();
    }

    private long sendCounted(ItemSender sender) {
        byte[] payload = "x".repeat(size).getBytes(StandardCharsets.US_ASCII);
        String run = UUID.randomUUID().toString().substring(0, 8);
        for (long i = 0; i < count && !sender.isLost(); i++) {
            sender.send(new WorkItem(tenant, "send-" + run + "-" + i, madeAt(), workload, null,
                    "application/octet-stream", Map.of(), ByteBuffer.wrap(payload)), count);
        }
        return 0;
    }

    private long sendFile(ItemSender sender, Printer printer) throws IOException {
        JsonItems items = new JsonItems(tenant, workload, this::madeAt);
        long bad = 0;
        try (TextLines lines = new TextLines(isStandardInput() ? System.in : Files.newInputStream(file), MAX_LINE_BYTES)) {
            boolean more = true;
            while (more && !sender.isLost()) {
                try {
                    String line = lines.next();
                    more = line != null;
                    if (more && !line.isBlank()) {
                        sender.send(items.parse(line), ItemSender.UNKNOWN_TOTAL);
                    }
                } catch (JsonProcessingException e) {
                    bad++;
                    printer.problem("line " + lines.number() + ": not JSON: " + Printable.of(e.getOriginalMessage()));
                } catch (IllegalArgumentException e) {
                    bad++;
                    printer.problem("line " + lines.number() + ": " + Printable.of(e.getMessage()));
                }
            }
        }
        return bad;
    }

    private Instant madeAt() {
        return Instant.ofEpochMilli(clock.millis() - ageMillis());
    }

    private long ageMillis() {
        try {
            return age == null ? 0 : Durations.parseMillis(age);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--age " + Printable.of(age) + ": " + e.getMessage());
        }
    }

    private boolean isStandardInput() {
        return file.toString().equals("-");
    }
}
