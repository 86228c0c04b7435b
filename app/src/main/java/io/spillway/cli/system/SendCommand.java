package io.spillway.cli.system;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.spillway.cli.options.CommonOptions;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.cli.terminal.Printer;
import io.spillway.cli.terminal.StopSignal;
import io.spillway.cli.terminal.TextLines;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.settings.Durations;
import io.spillway.core.settings.PointInTime;
import io.spillway.core.text.Printable;
import io.spillway.gateway.JsonItems;
import io.spillway.gateway.WrittenItem;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.Topics;
import io.spillway.operator.Inputs;
import io.spillway.schema.WorkItem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.Producer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command {@code spillway send}: sends items to the ingress topic. */
@Command(name = "send", description = {
    "Sends generated items to the ingress topic, or the items of a file with one JSON object per line.",
    "In the file only the payload is required. The options supply the other values. Ctrl-C prints how many were sent."
}, footer = {
    "  spillway send --tenant acme --count 1000 --rate 100",
    "  spillway send --file items.jsonl",
    "",
    "A line of a file with all keys (here on two lines):",
    "",
    "  {\"tenant\":\"acme\",\"id\":\"order-1\",\"enqueuedAt\":1700000000000,\"workload\":\"mail\",",
    "   \"contentType\":\"text/plain\",\"attributes\":{\"k\":\"v\"},\"payload\":\"text\"}"
})
public final class SendCommand implements Callable<Integer> {
    private static final int MAX_LINE_BYTES = 4 * 1024 * 1024;
    /** How long Ctrl-C waits for the confirmation of items that were handed over. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
    private static final List<String> ONLY_GENERATED = List.of("--count", "--size", "--priority", "--deliver-at",
            "--deliver-within", "--id", "--order-key", "--dedupe");

    @Mixin
    private CommonOptions common;

    @Option(names = "--tenant", paramLabel = "T",
            description = "Tenant of the items. Default: ${DEFAULT-VALUE}.", defaultValue = "demo")
    private String tenant;

    @Option(names = "--count", paramLabel = "N",
            description = "Number of items. Default: ${DEFAULT-VALUE}.", defaultValue = "1")
    private long count;

    @Option(names = "--rate", paramLabel = "R", description = "Items per second. Default: no limit.")
    private Double rate;

    @Option(names = "--size", paramLabel = "BYTES",
            description = "Payload of each item in bytes. Default: ${DEFAULT-VALUE}.", defaultValue = "100")
    private int size;

    @Option(names = "--workload", paramLabel = "W",
            description = "Workload of the items. Default: none.", defaultValue = "")
    private String workload;

    @Option(names = "--priority", paramLabel = "N",
            description = "Urgency of generated items within their workload, 0 to 9. Default: ${DEFAULT-VALUE}.",
            defaultValue = "" + ItemLimits.NORMAL_PRIORITY)
    private int priority;

    @Option(names = "--deliver-at", paramLabel = "TIME",
            description = "Earliest time of the first attempt of generated items, at most 14 days ahead: a time such"
                    + " as 2026-11-21T08:00:00Z, epoch milliseconds, or a duration from now such as 2h."
                    + " Default: at once.")
    private String deliverAt;

    @Option(names = "--deliver-within", paramLabel = "TIME",
            description = "Spreads the first attempts of generated items over this time, at most 14d, from"
                    + " --deliver-at on or from their creation. Default: no window.")
    private String deliverWithin;

    @Option(names = "--id", paramLabel = "ID",
            description = "Id of the generated item; of several, what their ids begin with, before -0, -1 and so on."
                    + " Default: a random one.")
    private String id;

    @Option(names = "--order-key", paramLabel = "K",
            description = "Order key of generated items: those of the tenant with this key are handled one at a time.",
            defaultValue = "")
    private String orderKey;

    @Option(names = "--dedupe",
            description = "Drops a generated item whose id the tenant has sent before. Needs --id.")
    private boolean dedupe;

    @Option(names = "--age", paramLabel = "AGE",
            description = "Age of the items when they are sent, a duration such as 10m. Default: 0.")
    private String age;

    @Option(names = "--file", paramLabel = "F",
            description = "File with one JSON object per line, or - for standard input.")
    private Path file;

    @Spec
    private CommandSpec spec;

    private final AtomicLong bad = new AtomicLong();

    @Override
    public Integer call() throws IOException {
        check();
        Configuration configuration = common.configurationWithCluster(topics -> List.of(topics.ingress()));
        Printer printer = common.printer();
        Topics topics = new Topics(configuration.queue());
        try (Producer<byte[], byte[]> producer = new KafkaClients(configuration.queue()).producer()) {
            ItemSender sender = new ItemSender(producer, topics.ingress(), rate, printer);
            ItemSender.Result result;
            StopSignal stop =
                    new StopSignal(() -> print(printer, topics.ingress(), sender.stop(STOP_LIMIT), true));
            try {
                if (file == null) {
                    sendCounted(sender);
                } else {
                    sendFile(sender, printer);
                }
                result = sender.finish();
            } finally {
                stop.close();
            }
            print(printer, topics.ingress(), result, false);
            if (result.failed() + bad.get() > 0) {
                throw CommandFailure.failed(Printer.count(result.failed() + bad.get(), "item")
                        + " could not be sent: "
                        + result.firstFailure().orElse("correct the lines that are listed above and send only those")
                        + (sender.isLost() ? ". Kafka does not answer, so the items after them were not sent." : "."));
            }
        }
        return 0;
    }

    private void print(Printer printer, String topic, ItemSender.Result result, boolean isStopped) {
        String total = isStopped && file == null
                ? String.format(Locale.ROOT, "%,d of ", result.sent()) + Printer.count(count, "item")
                : Printer.count(result.sent(), "item");
        printer.result(
                Map.of("sent", result.sent(), "failed", result.failed(), "bad", bad.get(),
                        "seconds", result.seconds(), "stopped", isStopped),
                String.format(Locale.ROOT, "Sent %s to %s in %.1f s%s",
                        total, topic, result.seconds(), isStopped ? ", then stopped." : "."));
    }

    private void check() {
        Inputs.requireName("--tenant", tenant);
        if (!workload.isEmpty()) {
            Inputs.requireName("--workload", workload);
        }
        if (count < 1) {
            throw CommandFailure.usage("--count " + count + ": must be 1 or more items");
        }
        if (rate != null && !(rate > 0)) {
            throw CommandFailure.usage("--rate " + rate + ": must be above 0 items per second");
        }
        Inputs.requireRange("--priority", priority, 0, ItemLimits.MAX_PRIORITY, "");
        Inputs.requireRange("--size", size, 0, 1024 * 1024, " bytes");
        if (id != null) {
            Inputs.requireId("--id", idOf(id, count - 1));
        } else if (dedupe) {
            throw CommandFailure.usage("--dedupe: needs --id, because random ids are never the same");
        }
        if (!orderKey.isEmpty()) {
            Inputs.requireId("--order-key", orderKey);
        }
        ONLY_GENERATED.forEach(option -> {
            if (file != null && spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw CommandFailure.usage(option + ": cannot be used with --file, which has the items");
            }
        });
        if (file != null && !isStandardInput() && (!Files.isReadable(file) || Files.isDirectory(file))) {
            throw CommandFailure.usage("--file " + file + ": must be a file that can be read, or - for standard input");
        }
        ageMillis();
        deliverAtMillis();
        withinMillis();
    }

    private void sendCounted(ItemSender sender) {
        byte[] payload = "x".repeat(size).getBytes(StandardCharsets.US_ASCII);
        String start = id == null ? "send-" + UUID.randomUUID().toString().substring(0, 8) : id;
        long deliverAtMillis = deliverAtMillis();
        long withinMillis = withinMillis();
        for (long i = 0; i < count && !sender.isOver(); i++) {
            WorkItem item = new WorkItem(tenant, idOf(start, i), madeAt(), workload, null,
                    "application/octet-stream", Map.of(), ByteBuffer.wrap(payload));
            sender.send(new WrittenItem(item, priority, deliverAtMillis, orderKey, dedupe, Map.of())
                    .within(withinMillis), count);
        }
    }

    private String idOf(String start, long number) {
        return id != null && count == 1 ? id : start + "-" + number;
    }

    private void sendFile(ItemSender sender, Printer printer) throws IOException {
        JsonItems items = new JsonItems(tenant, workload, this::madeAt);
        try (TextLines lines =
                new TextLines(isStandardInput() ? System.in : Files.newInputStream(file), MAX_LINE_BYTES)) {
            boolean more = true;
            while (more && !sender.isOver()) {
                try {
                    String line = lines.next();
                    more = line != null;
                    if (more && !line.isBlank()) {
                        WrittenItem parsed = items.read(line);
                        JsonItems.requireSoon("deliverAt", parsed.deliverAtMillis(), common.clock().millis());
                        sender.send(parsed, ItemSender.UNKNOWN_TOTAL);
                    }
                } catch (JsonProcessingException e) {
                    bad.incrementAndGet();
                    printer.problem(lines.number(), JsonItems.problemOf(e));
                } catch (IllegalArgumentException e) {
                    bad.incrementAndGet();
                    printer.problem(lines.number(), Printable.of(e.getMessage()));
                }
            }
        }
    }

    private Instant madeAt() {
        return Instant.ofEpochMilli(common.clock().millis() - ageMillis());
    }

    private long deliverAtMillis() {
        long nowMillis = common.clock().millis();
        try {
            long atMillis =
                    deliverAt == null ? 0 : JsonItems.inRange(PointInTime.parseAheadMillis(deliverAt, nowMillis));
            JsonItems.requireSoon("the time", atMillis, nowMillis);
            return atMillis;
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--deliver-at " + Printable.of(deliverAt) + ": " + e.getMessage());
        }
    }

    private long withinMillis() {
        return deliverWithin == null ? 0
                : Inputs.durationMillis("--deliver-within", deliverWithin, ItemLimits.MAX_AHEAD_MILLIS);
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
