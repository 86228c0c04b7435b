package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.guarantee.KafkaUnderTest;
import io.spillway.guarantee.SpillwayProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A running system with traffic shows the documented metrics to Prometheus. */
@Timeout(900) // Against a hang; nothing is measured.
class MetricsIT {
    private static final Pattern SAMPLE = Pattern.compile("([a-z0-9_]+)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Set<String> LANES = Set.of("hot", "overflow", "aged");

    /**
     * Metrics of the handler type pull, which {@link PullIT} looks at, of a certificate, and of a tenant that its limit
     * holds back for seconds.
     */
    private static final Set<String> UNSEEN = Set.of("spillway_pull_leased", "spillway_pull_asked",
            "spillway_certificate_expires_seconds", "spillway_at_cap");
    private static final Pattern LISTED =
            Pattern.compile("`((?:spillway|kafka)_[a-z0-9_]+)[^`]*`(?:\\s+\\((histogram|timer))?");

    @RegisterExtension
    final KafkaUnderTest kafka = new KafkaUnderTest();

    @TempDir
    Path directory;

    private record Sample(String name, Map<String, String> labels, double value) {}

    @Test
    void every_metric_of_the_contract_that_a_router_and_a_worker_have_is_there_with_its_labels() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        commands.run("tenants", "set", "noisy", "--rate", "1", "--burst", "1").done();
        commands.run("tenants", "set", "failing", "--backoff-base", "10ms").done();
        commands.run("tenants", "set", "late", "--ttl", "1m").done();
        Map<String, String> environment = Map.of(
                "SPILLWAY_HANDLER_TYPE", "class", "SPILLWAY_HANDLER_CLASS", MixedHandler.class.getName(),
                // A source has its metrics also while its topic does not exist.
                "SPILLWAY_ROUTER_SOURCES_S_TOPIC", "missing", "SPILLWAY_ROUTER_SOURCES_S_TENANT", "key",
                // Fits topics without a limit.
                "SPILLWAY_TOPICS_RETENTION", "30d");
        try (SpillwayProcess running =
                SpillwayProcess.start(directory.resolve("data"), environment, commands.options())) {
            String url = running.address("metrics").toString();
            send(commands);

            scrapeUntil(url, now -> value(now, "spillway_handled_total", "outcome", "done") >= 60
                    && value(now, "spillway_lane_waiting", "lane", "hot") == 0
                    && !values(now, "spillway_depth", "lane").isEmpty());
            // A scrape is no snapshot: it reads one meter after the other, and the last attempt may have come in
            // between.
            List<Sample> samples = scrapeUntil(url, now -> sum(now, "spillway_in_flight") == 0);

            assertLabels(samples, "spillway_age_of_first_attempt_seconds_bucket", "lane", "tenant", "le");
            assertLabels(samples, "spillway_age_of_first_attempt_seconds_count", "lane", "tenant");
            assertLabels(samples, "spillway_age_of_retry_seconds_bucket", "lane", "le");
            assertLabels(samples, "spillway_age_of_first_subscriber_first_attempt_seconds_bucket", "le");
            assertLabels(samples, "spillway_routed_total", "lane", "reason");
            assertLabels(samples, "spillway_dropped_total", "reason");
            assertLabels(samples, "spillway_dead_lettered_total", "reason");
            assertLabels(samples, "spillway_handled_total", "outcome");
            assertLabels(samples, "spillway_handler_duration_seconds_bucket", "outcome", "le");
            assertLabels(samples, "spillway_oldest_waiting_seconds", "lane", "tenant");
            assertLabels(samples, "spillway_tenants_late", "lane");
            assertLabels(samples, "spillway_dead_letters", "tenant");
            assertLabels(samples, "spillway_age_of_set_aside_seconds_count", "lane", "attempt");
            assertLabels(samples, "spillway_slots_busy_seconds_total");
            assertLabels(samples, "spillway_depth", "lane", "tenant");
            assertLabels(samples, "spillway_drain_seconds", "lane");
            assertLabels(samples, "spillway_lane_waiting", "lane");
            assertLabels(samples, "spillway_source_lag", "source");
            assertLabels(samples, "spillway_source_records_total", "source");
            assertLabels(samples, "spillway_retention_seconds");
            assertLabels(samples, "spillway_in_flight");
            assertLabels(samples, "spillway_slots");
            assertLabels(samples, "spillway_worker_tenants_at_cap");
            assertLabels(samples, "spillway_polls_total", "lane", "empty");
            assertLabels(samples, "spillway_destination_unavailable", "tenant");
            assertLabels(samples, "spillway_destinations_unavailable");
            assertLabels(samples, "spillway_attempts_failed_total", "tenant");
            assertLabels(samples, "spillway_clock_skew_seconds_count", "direction");
            assertLabels(samples, "spillway_enqueued_at_skew_seconds", "tenant");
            assertThat(samples).allSatisfy(each -> assertThat(each.labels()).containsEntry("queue", kafka.prefix()));
            assertThat(samples).extracting(Sample::name).as("listed in docs/metrics.md")
                    .containsAll(listed(UNSEEN));

            assertThat(values(samples, "spillway_age_of_first_attempt_seconds_count", "lane")).isEqualTo(LANES);
            assertThat(values(samples, "spillway_age_of_first_attempt_seconds_count", "tenant"))
                    .containsExactlyInAnyOrder("quiet", "noisy", "failing", "doomed", "*other*");
            assertThat(values(samples, "spillway_polls_total", "lane")).isEqualTo(LANES);
            assertThat(values(samples, "spillway_polls_total", "empty")).containsExactlyInAnyOrder("true", "false");
            assertThat(values(samples, "spillway_lane_waiting", "lane")).isEqualTo(LANES);
            assertThat(values(samples, "spillway_handled_total", "outcome"))
                    .containsExactlyInAnyOrder(
                            "done", "retry", "unavailable", "dead", "later", "timeout", "interrupted");
            assertThat(values(samples, "spillway_destination_unavailable", "tenant")).containsExactly("failing");

            assertThat(value(samples, "spillway_handled_total", "outcome", "retry")).isEqualTo(20);
            assertThat(value(samples, "spillway_handled_total", "outcome", "dead")).isEqualTo(5);
            assertThat(value(samples, "spillway_dead_lettered_total", "reason", "final-failure")).isEqualTo(5);
            assertThat(value(samples, "spillway_dropped_total", "reason", "ttl")).isEqualTo(3);
            assertThat(value(samples, "spillway_age_of_first_attempt_seconds_count", "tenant", "failing"))
                    .as("retries have a metric of their own").isEqualTo(20);
            assertThat(sum(samples, "spillway_age_of_retry_seconds_count")).isEqualTo(20);
            assertThat(sum(samples, "spillway_handler_duration_seconds_count")).isEqualTo(85);
            assertThat(value(samples, "spillway_age_of_first_attempt_seconds_count", "lane", "overflow")).isPositive();
            assertThat(value(samples, "spillway_age_of_first_attempt_seconds_count", "lane", "aged")).isEqualTo(5);
            assertThat(sum(samples, "spillway_in_flight")).isZero();
            assertThat(sum(samples, "spillway_slots_busy_seconds_total")).isPositive();
            assertThat(values(samples, "spillway_oldest_waiting_seconds", "lane"))
                    .containsExactlyInAnyOrder("hot", "overflow", "aged", "ingress");
            assertThat(value(samples, "spillway_polls_total", "empty", "true")).as("there is head room").isPositive();
            assertThat(running.stop()).isZero();
            assertThat(running.log().lines()).filteredOn(line -> line.contains("ERROR"))
                    .allMatch(line -> line.contains("Source s does not run"));
        }
    }

    @Test
    void kafka_s_own_metrics_are_a_selection_by_default_and_all_or_none_by_a_key() throws Exception {
        CommandsUnderTest commands = CommandsUnderTest.on(kafka, directory);
        commands.run("topics", "create").done();
        List<String> lines = new ArrayList<>();
        for (int tenant = 0; tenant < 10; tenant++) {
            add(lines, 5, "tenant-" + tenant, "fine", 0);
        }
        Path file = Files.write(directory.resolve("ten.jsonl"), lines);
        Map<String, Long> kafkas = new TreeMap<>();
        for (String selection : List.of("selected", "all", "none")) {
            Map<String, String> environment = selection.equals("selected") ? Map.of()
                    : Map.of("SPILLWAY_METRICS_KAFKA", selection);
            try (SpillwayProcess running =
                    SpillwayProcess.start(directory.resolve("data"), environment, commands.options())) {
                commands.run("send", "--file", file.toString()).done();
                String url = running.address("metrics").toString();
                List<Sample> samples = scrapeUntil(
                        url, now -> value(now, "spillway_handled_total", "outcome", "done") >= 50);
                long own = samples.stream().filter(sample -> !sample.name().startsWith("kafka_")).count();
                kafkas.put(selection, samples.size() - own);
                assertThat(running.stop()).isZero();
            }
        }
        assertThat(kafkas.get("selected")).isBetween(50L, 400L);
        assertThat(kafkas.get("all")).isGreaterThan(600);
        assertThat(kafkas.get("none")).isZero();
    }

    /** 60 that are done, 20 of them at the second attempt and 5 of them old; 5 that die, and 3 past their time. */
    private void send(CommandsUnderTest commands) throws IOException {
        List<String> lines = new ArrayList<>();
        add(lines, 15, "quiet", "fine", 0);
        add(lines, 5, "quiet", "fine", 600_000);
        add(lines, 20, "noisy", "fine", 0);
        add(lines, 20, "failing", "once more", 0);
        add(lines, 5, "doomed", "dead", 0);
        add(lines, 3, "late", "fine", 120_000);
        Path file = Files.write(directory.resolve("items.jsonl"), lines);
        commands.run("send", "--file", file.toString()).done();
    }

    private static void add(List<String> lines, int count, String tenant, String payload, long ageMillis) {
        for (int i = 0; i < count; i++) {
            lines.add("{\"tenant\":\"%s\",\"payload\":\"%s\",\"enqueuedAt\":%d}"
                    .formatted(tenant, payload, System.currentTimeMillis() - ageMillis));
        }
    }

    /** Returns the names on the page as Prometheus has them, but for some. */
    private static Set<String> listed(Set<String> without) throws IOException {
        Set<String> names = new TreeSet<>();
        LISTED.matcher(Files.readString(Path.of("../docs/metrics.md"))).results()
                .filter(name -> !without.contains(name.group(1)))
                .forEach(name -> names.add(name.group(1) + (name.group(2) == null ? "" : "_count")));
        assertThat(names).hasSizeGreaterThan(80);
        return names;
    }

    private static void assertLabels(List<Sample> samples, String name, String... labels) {
        assertThat(samples).filteredOn(sample -> sample.name().equals(name)).as(name).isNotEmpty().allSatisfy(
                sample -> assertThat(sample.labels()).containsOnlyKeys(
                        Stream.concat(Stream.of("queue"), Stream.of(labels)).toArray(String[]::new)));
    }

    private static Set<String> values(List<Sample> samples, String name, String label) {
        Set<String> values = new TreeSet<>();
        samples.stream()
                .filter(sample -> sample.name().equals(name))
                .forEach(sample -> values.add(sample.labels().get(label)));
        return values;
    }

    private static double sum(List<Sample> samples, String name) {
        return samples.stream().filter(sample -> sample.name().equals(name)).mapToDouble(Sample::value).sum();
    }

    private static double value(List<Sample> samples, String name, String label, String value) {
        return samples.stream()
                .filter(sample -> sample.name().equals(name) && value.equals(sample.labels().get(label)))
                .mapToDouble(Sample::value)
                .sum();
    }

    private static List<Sample> scrapeUntil(String url, Predicate<List<Sample>> isEnough)
            throws IOException, InterruptedException {
        while (true) {
            List<Sample> samples = scrape(url);
            if (isEnough.test(samples)) {
                return samples;
            }
            LockSupport.parkNanos(100_000_000);
        }
    }

    private static List<Sample> scrape(String url) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            String body = client.send(
                            HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
            return body.lines().filter(line -> !line.startsWith("#")).map(MetricsIT::parse).toList();
        }
    }

    private static Sample parse(String line) {
        Matcher sample = SAMPLE.matcher(line);
        assertThat(sample.matches()).as(line).isTrue();
        Map<String, String> labels = new TreeMap<>();
        if (sample.group(2) != null) {
            LABEL.matcher(sample.group(2)).results().forEach(label -> labels.put(label.group(1), label.group(2)));
        }
        return new Sample(sample.group(1), labels, Double.parseDouble(sample.group(3).replace("+Inf", "Infinity")));
    }
}
