package io.spillway.campaign;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.raft.DynamicVoters;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;

/** One broker and controller of a cluster, as Kafka's own main class runs it, in a process of its own. */
public final class CampaignBroker {
    private CampaignBroker() {}

    /** Runs until a signal. Arguments: the file with the settings, the id of the cluster, the voters of its quorum. */
    public static void main(String[] args) throws Exception {
        Properties settings = new Properties();
        try (InputStream in = Files.newInputStream(Path.of(args[0]))) {
            settings.load(in);
        }
        Path directory = Path.of(settings.getProperty("log.dirs"));
        if (!Files.exists(directory.resolve(MetaPropertiesEnsemble.META_PROPERTIES_NAME))) {
            format(directory, Integer.parseInt(settings.getProperty("node.id")), args[1], args[2]);
        }
        if (!Boolean.getBoolean(Brokers.RELEASED)) {
            MendedKafka.mend();
        }
        KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(settings, false), Time.SYSTEM);
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown, "broker-stop"));
        try {
            server.startup();
        } catch (Throwable e) {
            // The broker has logged it, and its threads would keep the process.
            Runtime.getRuntime().halt(1);
        }
        System.out.println("ready");
        server.awaitShutdown();
    }

    private static void format(Path directory, int id, String cluster, String voters) throws Exception {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new IllegalStateException("The directory of broker " + id + " cannot be created", e);
        }
        new Formatter()
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream()))
                .setSupportedFeatures(Feature.PRODUCTION_FEATURES)
                .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
                .setClusterId(cluster)
                .setNodeId(id)
                .setDirectories(List.of(directory.toString()))
                .setMetadataLogDirectory(directory.toString())
                .setControllerListenerName(Brokers.CONTROLLER)
                .setHasDynamicQuorum(true)
                .setInitialControllers(DynamicVoters.parse(voters))
                .run();
    }
}
