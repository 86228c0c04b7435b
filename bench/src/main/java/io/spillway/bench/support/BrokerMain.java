package io.spillway.bench.support;

import io.spillway.embedded.EmbeddedKafka;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * The embedded broker in a JVM of its own. Prints its port, and then, for each line on its standard input, how many
 * requests of each API it has received. Ends when its standard input does or on a signal; either way it takes its
 * directory with it.
 */
public final class BrokerMain {
    static final String READY = "broker ";
    static final String REQUESTS = "requests ";
    private static final String METER = "kafka.network:type=RequestMetrics,name=RequestsPerSec,*";
    /** Kinds of Fetch, which is counted too. */
    private static final Set<String> COUNTED_TWICE = Set.of("FetchConsumer", "FetchFollower");

    private BrokerMain() {}

    /** Starts it on the directory in the first argument; its clients use the port in the second one, 0 for its own. */
    public static void main(String[] args) throws IOException, JMException {
        Bench.quietLog();
        Path directory = Path.of(args[0]);
        EmbeddedKafka kafka = EmbeddedKafka.start(directory, 0, Integer.parseInt(args[1]));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            kafka.close();
            TemporaryDirectory.delete(directory);
        }));
        System.out.println(READY + kafka.port());
        // The bench holds the other end; when it dies, however that happens, this ends too.
        for (int read = System.in.read(); read >= 0; read = System.in.read()) {
            if (read == '\n') {
                System.out.println(REQUESTS + requests().entrySet().stream()
                        .map(Map.Entry::toString).collect(Collectors.joining(" ")));
            }
        }
        System.exit(0);
    }

    /** Returns the requests since the start by API, those of the controller included. */
    private static Map<String, Long> requests() throws JMException {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        Map<String, Long> requests = new TreeMap<>();
        for (ObjectName name : beans.queryNames(new ObjectName(METER), null)) {
            String api = name.getKeyProperty("request");
            if (!COUNTED_TWICE.contains(api)) {
                requests.merge(api, (Long) beans.getAttribute(name, "Count"), Long::sum);
            }
        }
        return requests;
    }
}
