package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueAdmin;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.feedback.UndecidedTransactions;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A producer that leaves a transaction open in ingress. */
@Timeout(900) // Against a hang; nothing is measured.
class TransactionsCommandIT {
    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private CommandsUnderTest commands;
    private Topics topics;

    @BeforeEach
    void create() {
        commands = CommandsUnderTest.on(kafka, directory);
        topics = commands.topics();
        commands.run("topics", "create").done();
    }

    @Test
    void a_transaction_that_is_left_open_is_listed_and_aborted_with_what_follows_it_readable() throws Exception {
        String id = kafka.prefix() + ".rogue";
        KafkaClients clients = new KafkaClients(commands.configuration().queue());
        assertThat(commands.run("transactions", "list").done().outLines()).containsExactly("No transaction is open.");
        try (Producer<byte[], byte[]> rogue =
                        clients.producer(Map.of("transactional.id", id, "transaction.timeout.ms", "900000"));
                Producer<byte[], byte[]> other = clients.producer()) {
            other.send(record("before")).get();
            rogue.initTransactions();
            rogue.beginTransaction();
            rogue.send(record("left open")).get();
            other.send(record("after")).get();

            JsonNode open = commands.run("transactions", "list", "--output", "json").done().json();
            assertThat(open.at("/transactions/0/topic").textValue()).isEqualTo(topics.ingress());
            assertThat(open.at("/transactions/0/partition").intValue()).isZero();
            assertThat(open.at("/transactions/0/offset").intValue()).isEqualTo(1);
            assertThat(open.at("/transactions/0/transactionalId").textValue()).isEqualTo(id);
            assertThat(open.at("/transactions")).hasSize(1);
            assertThat(commands.run("transactions", "list").done().out()).contains(topics.ingress(), id);
            assertThat(abort("0").failedWith(1))
                    .contains("No transaction that begins at offset 0 is open", "spillway transactions list");

            assertThat(abort("1").done().out()).contains("Aborted the transaction of " + id + " at offset 1");

            assertThat(kafka.readAll(topics.ingress())).extracting(record -> new String(record.value()))
                    .containsExactly("before", "after");
            assertThatThrownBy(rogue::commitTransaction).isInstanceOf(KafkaException.class);
        }
        assertThat(commands.run("transactions", "list").done().outLines()).containsExactly("No transaction is open.");
    }

    @Test
    void a_router_measures_it_and_logs_after_two_minutes_the_command_that_ends_it() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        QueueAdmin admin = new QueueAdmin(kafka.admin());
        AtomicLong nanos = new AtomicLong();
        UndecidedTransactions undecided = new UndecidedTransactions(
                admin, Set.of("ingress"), nanos::get, registry);
        Logger logger = (Logger) LoggerFactory.getLogger(UndecidedTransactions.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try (Producer<byte[], byte[]> rogue = new KafkaClients(commands.configuration().queue())
                .producer(Map.of("transactional.id", kafka.prefix() + ".rogue"))) {
            rogue.initTransactions();
            rogue.beginTransaction();
            rogue.send(record("left open")).get();
            for (int seconds = 0; seconds <= 200; seconds += 10) {
                nanos.set(TimeUnit.SECONDS.toNanos(seconds));
                undecided.measure(Map.of("ingress", admin.read(topics.ingress(), topics.routerGroup())));
            }
            assertThat(registry.get("spillway.lane.undecided").tag("lane", "ingress").timeGauge()
                    .value(TimeUnit.SECONDS)).isEqualTo(200);
            assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).singleElement().asString()
                    .contains("has been open for 120 s", "spillway transactions abort --topic " + topics.ingress()
                            + " --partition 0 --offset 0");

            String command = log.list.getFirst().getFormattedMessage().replaceAll(".*: spillway ", "");
            assertThat(commands.run(command.split(" ")).done().out()).contains("Aborted");
            nanos.set(TimeUnit.SECONDS.toNanos(210));
            undecided.measure(Map.of("ingress", admin.read(topics.ingress(), topics.routerGroup())));
            assertThat(registry.get("spillway.lane.undecided").tag("lane", "ingress").timeGauge()
                    .value(TimeUnit.SECONDS)).isZero();
            rogue.close(Duration.ZERO);
        } finally {
            logger.detachAppender(log);
        }
    }

    @Test
    void a_running_router_also_measures_those_in_what_views_and_restores_read() throws Exception {
        try (SpillwayProcess running = SpillwayProcess.start(directory.resolve("data"), Map.of(), commands.options());
                Producer<byte[], byte[]> rogue = new KafkaClients(commands.configuration().queue())
                        .producer(Map.of("transactional.id", kafka.prefix() + ".rogue"));
                HttpClient client = HttpClient.newHttpClient()) {
            rogue.initTransactions();
            rogue.beginTransaction();
            for (String topic : List.of(topics.depths(), topics.timersChangelog(), topics.balancesChangelog())) {
                rogue.send(new ProducerRecord<>(topic, 0, "left".getBytes(), "open".getBytes())).get();
            }
            HttpRequest scrape =
                    HttpRequest.newBuilder(running.address("metrics")).build();
            Set<String> measured = new TreeSet<>();
            while (measured.size() < 3) {
                LockSupport.parkNanos(100_000_000);
                Pattern.compile("spillway_lane_undecided_seconds\\{lane=\"(\\w+)\".*} (?!0\\.0)")
                        .matcher(client.send(scrape, HttpResponse.BodyHandlers.ofString()).body()).results()
                        .forEach(found -> measured.add(found.group(1)));
            }
            assertThat(measured).containsExactly("balances", "depths", "timers");
            rogue.abortTransaction();
        }
    }

    private CommandRun abort(String offset) {
        return commands.run(
                "transactions", "abort", "--topic", topics.ingress(), "--partition", "0", "--offset", offset);
    }

    private ProducerRecord<byte[], byte[]> record(String value) {
        return new ProducerRecord<>(topics.ingress(), 0, null, value.getBytes());
    }
}
