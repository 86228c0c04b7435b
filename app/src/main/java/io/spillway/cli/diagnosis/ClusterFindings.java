package io.spillway.cli.diagnosis;

import io.spillway.cli.terminal.DurationText;
import io.spillway.cli.terminal.Printer;
import io.spillway.config.Configuration;
import io.spillway.config.SourceSettings;
import io.spillway.core.text.Printable;
import io.spillway.kafka.advice.SuggestedCommands;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.topics.OpenTransactions;
import io.spillway.kafka.topics.Permission;
import io.spillway.kafka.topics.PermissionCheck;
import io.spillway.kafka.topics.SourceTopic;
import io.spillway.kafka.topics.TopicAdmin;
import io.spillway.kafka.topics.TopicCheck;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import io.spillway.router.AccessRole;
import io.spillway.runtime.RolePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.server.common.MetadataVersion;

/** Checks of a cluster that answers: its version, the topics, the permissions of this login, open transactions. */
final class ClusterFindings {
    private static final String REFUSED = "Check the permissions of this login: spillway topics check --role operator";
    private static final int MAX_NAMED = 3;
    /** Kafka's default retention of offsets. */
    private static final Duration LONGEST_OUTAGE = Duration.ofDays(7);

    private final Configuration configuration;
    private final Admin admin;
    private final SuggestedCommands commands;
    private final Topics topics;

    /** @param given options that suggested commands need too, each after a blank; may be empty */
    ClusterFindings(Configuration configuration, Admin admin, String given) {
        this.configuration = configuration;
        this.admin = admin;
        this.commands = configuration.kafka().commands(given);
        this.topics = new Topics(configuration.queue());
    }

    /** Returns the result of a check, or its failure as a finding. */
    static Finding attempt(String check, Supplier<Finding> run) {
        try {
            return run.get();
        } catch (KafkaFailure | KafkaException e) {
            return Finding.fail(check, "The check failed: " + e.getMessage() + ".", REFUSED);
        }
    }

    Finding cluster() {
        int brokers = TopicAdmin.get(admin.describeCluster().nodes(), "describe the cluster").size();
        return Finding.ok("cluster", Printer.count(brokers, "broker") + " at "
                + configuration.kafka().bootstrapServers() + ".");
    }

    Finding version() {
        var features = TopicAdmin.get(admin.describeFeatures().featureMetadata(), "describe features")
                .finalizedFeatures();
        List<String> problems = new TopicCheck(admin, commands).checkTransactions();
        String kafka = Optional.ofNullable(features.get(MetadataVersion.FEATURE_NAME))
                .map(levels -> "Kafka " + release(levels.maxVersionLevel()))
                .orElse("Kafka of an unknown version");
        return problems.isEmpty() ? Finding.ok("kafka version", kafka + ", transactions are safe.")
                : Finding.fail("kafka version", kafka + ": items can be lost or duplicated.",
                        sentence(problems.getFirst()));
    }

    /** Returns the release of the metadata level, which an upgrade raises last. */
    private static String release(short level) {
        try {
            return MetadataVersion.fromFeatureLevel(level).shortVersion();
        } catch (IllegalArgumentException newer) {
            return "with metadata level " + level + ", newer than this command knows";
        }
    }

    Finding offsets() {
        return new TopicCheck(admin, commands).offsetsRetention().map(ClusterFindings::offsets)
                .orElseGet(() -> Finding.skipped("offsets",
                        "This login may not read the settings of the brokers (DESCRIBE_CONFIGS of the cluster)."));
    }

    /** Judges the time for which the brokers keep the offsets of a group without members. */
    static Finding offsets(Duration kept) {
        String text = "The brokers delete the offsets of workers and routers " + DurationText.compact(kept.toSeconds())
                + " after the last one has ended.";
        return kept.compareTo(LONGEST_OUTAGE) >= 0 ? Finding.ok("offsets", text)
                : Finding.warn("offsets", text, "After a longer outage they may not start by themselves. Set "
                        + TopicCheck.OFFSETS_RETENTION + " of the brokers to "
                        + LONGEST_OUTAGE.toMinutes() + " (7 days) or more.");
    }

    Finding topics() {
        TopicCheck.Findings findings = new TopicCheck(admin, commands).compare(topics.all());
        List<String> problems = findings.problems();
        if (problems.isEmpty() && !findings.warnings().isEmpty()) {
            return Finding.warn("topics", sentence(findings.warnings().getFirst()) + ".",
                    "See all with: " + commands.spillway("topics check"));
        }
        return problems.isEmpty()
                ? Finding.ok("topics", "All " + topics.all().size() + " exist with the declared settings.")
                : Finding.fail("topics", Printer.count(problems.size(), "problem") + " with the topics: "
                                + sentence(problems.getFirst()) + ".",
                        "See all with: " + commands.spillway("topics check"));
    }

    /** Returns what hinders the sources of this configuration; a router that lacks their settings has none. */
    Finding sources() {
        SortedMap<String, SourceSettings> sources = configuration.router().sourcesByName();
        List<String> problems = sources.entrySet().stream().flatMap(entry ->
                new SourceTopic(admin, entry.getValue().topic()).problems().stream()
                        .map(problem -> "source " + entry.getKey() + ": " + problem)).toList();
        return problems.isEmpty() ? Finding.ok("sources", Printer.count(sources.size(), "topic") + " can be read.")
                : Finding.fail("sources", sentence(problems.getFirst()) + ".",
                        "See all with: " + commands.spillway("sources list"));
    }

    /** Returns whether every declared topic exists, whatever its settings. */
    boolean hasAllTopics() {
        return TopicAdmin.get(admin.listTopics().names(), "list topics")
                .containsAll(topics.all().stream().map(TopicSpec::name).toList());
    }

    /** Returns whether this login may read every declared topic: a view of one that it may not would retry for long. */
    boolean mayReadAllTopics() {
        return new PermissionCheck(admin, "", "").missing(topics.all().stream()
                .map(spec -> Permission.topic(spec.name(), Set.of(AclOperation.READ))).toList()).isEmpty();
    }

    Finding permissions(AccessRole role) {
        List<String> problems = RolePermissions.problems(admin, configuration, role, "", commands);
        return problems.isEmpty()
                ? Finding.ok("permissions", "This login has those of the role " + role.label() + ".")
                : Finding.fail("permissions", "This login cannot do all of its role.", sentence(problems.getFirst()));
    }

    /** Returns the transactions that are open in any topic. */
    List<OpenTransactions.Open> openTransactions() {
        return new OpenTransactions(admin).in(topics.all().stream().map(TopicSpec::name).toList());
    }

    /**
     * Judges the transactions that were open at the beginning and are still open. Spillway's own are open for less than
     * a second; the timestamps of their records are those of the items, so they do not tell.
     */
    Finding transactions(List<OpenTransactions.Open> before, List<OpenTransactions.Open> now) {
        List<OpenTransactions.Open> stuck = now.stream()
                .filter(open -> before.stream().anyMatch(other -> other.partition().equals(open.partition())
                        && other.startOffset() == open.startOffset()))
                .toList();
        if (stuck.isEmpty()) {
            return Finding.ok("transactions", "None blocks the readers of a partition.");
        }
        String named = String.join(", ", stuck.stream().limit(MAX_NAMED)
                .map(open -> open.partition() + " at offset " + open.startOffset() + " of "
                        + open.transactionalId().map(Printable::of).orElse("a forgotten producer"))
                .toList());
        String text = Printer.count(stuck.size(), "transaction") + " did not end in some seconds: " + named + ".";
        OpenTransactions.Open first = stuck.getFirst();
        String remedy = "Readers stop there. If its producer has ended, or is not yours, abort it: "
                + commands.spillway("transactions abort --topic " + first.partition().topic() + " --partition "
                        + first.partition().partition() + " --offset " + first.startOffset());
        return stuck.stream().allMatch(open -> open.transactionalId().isPresent())
                ? Finding.warn("transactions", text, remedy)
                // Its coordinator will never end it.
                : Finding.fail("transactions", text, remedy);
    }

    /** Returns a problem, which begins with a small letter, as a sentence. */
    private static String sentence(String problem) {
        return problem.substring(0, 1).toUpperCase(Locale.ROOT) + problem.substring(1);
    }
}
