package io.spillway.embedded;

import io.spillway.core.text.Printable;
import java.nio.file.Path;
import java.text.DecimalFormatSymbols;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kafka broker in this process, for local runs and tests: one KRaft node, broker and controller, that listens on
 * loopback only and keeps its data in a directory. Not for production: one node, no replicas, no security.
 *
 * <p>A fatal fault of the running broker (failed disk, lost metadata) is logged and halts the process with status 1,
 * as in a Kafka process. Owner of the broker, its sockets and the lock on its directory.
 */
public final class EmbeddedKafka implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedKafka.class);

    /** Sufficient to recover the last segments of a few hundred partitions after a kill. */
    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    private static final Duration STOP_LIMIT = Duration.ofSeconds(15);

    private final BrokerDirectory directory;
    private final LoopbackSockets sockets;
    private final FatalFaults faults;
    private final BrokerNode node;
    private boolean closed;

    private EmbeddedKafka(BrokerDirectory directory, LoopbackSockets sockets, FatalFaults faults, BrokerNode node) {
        this.directory = directory;
        this.sockets = sockets;
        this.faults = faults;
        this.node = node;
    }

    /**
     * Starts a broker and waits until clients can use it.
     *
     * @param dataDirectory data directory: created if missing, otherwise empty or from an earlier start on any port;
     *     only one broker at a time can use it
     * @param port port for clients, 1 to 65535, or 0 for a free one
     * @return a running broker, to be closed by the caller
     * @throws EmbeddedKafkaException if the directory or the port cannot be used, or Kafka fails to start within two
     *     minutes, or this thread is interrupted
     */
    public static EmbeddedKafka start(Path dataDirectory, int port) {
        return start(dataDirectory, port, 0);
    }

    /**
     * Starts a broker as {@link #start(Path, int)} does, behind a proxy.
     *
     * @param advertisedPort port of the proxy on this machine, to which clients are sent; 0 for none
     */
    public static EmbeddedKafka start(Path dataDirectory, int port, int advertisedPort) {
        Objects.requireNonNull(dataDirectory, "dataDirectory");
        for (int each : new int[] {port, advertisedPort}) {
            if (each < 0 || each > 65_535) {
                throw new IllegalArgumentException("The port must be 0 to 65535, not " + each);
            }
        }
        return start(dataDirectory, port, advertisedPort == 0 ? Map.of() : Map.of("advertised.listeners",
                LoopbackSockets.BROKER + "://" + LoopbackSockets.HOST + ":" + advertisedPort));
    }

    /** Starts a broker with further settings of Kafka. */
    static EmbeddedKafka start(Path dataDirectory, int port, Map<String, String> more) {
        replaceUnsuitableLocale();
        EmbeddedKafka kafka = prepare(dataDirectory, port, more);
        try {
            kafka.node.start(START_LIMIT);
            return kafka;
        } catch (ExecutionException e) {
            throw kafka.abandon(e);
        } catch (TimeoutException e) {
            throw kafka.abandon(new TimeoutException("not ready after " + START_LIMIT.toSeconds() + " s"));
        } catch (InterruptedException e) {
            EmbeddedKafkaException abandoned = kafka.abandon(e);
            Thread.currentThread().interrupt();
            throw abandoned;
        }
    }

    /**
     * Kafka names segments with the digits of the default locale and finds none of them again if those are not ASCII,
     * and its "classic" in Turkish capitals is none of its enums. It does so as long as it runs: the process gets ROOT.
     */
    private static void replaceUnsuitableLocale() {
        Locale locale = Locale.getDefault(Locale.Category.FORMAT);
        if (DecimalFormatSymbols.getInstance(locale).getZeroDigit() != '0' || !"i".toUpperCase().equals("I")) {
            Locale.setDefault(Locale.ROOT);
            LOG.warn("The default locale of this process is ROOT instead of {} from now on: the embedded Kafka needs"
                    + " ASCII digits and letters.", locale.toLanguageTag());
        }
    }

    /** Does all steps before the first thread: locks the directory, binds the sockets, formats, checks the settings. */
    private static EmbeddedKafka prepare(Path dataDirectory, int port, Map<String, String> more) {
        BrokerDirectory directory = BrokerDirectory.claim(dataDirectory);
        LoopbackSockets sockets = null;
        try {
            sockets = LoopbackSockets.bind(port);
            directory.prepare(sockets.controllerPort());
            FatalFaults faults = new FatalFaults(Runtime.getRuntime()::halt);
            Map<String, String> settings = new TreeMap<>(
                    BrokerSettings.of(directory.path(), sockets.brokerPort(), sockets.controllerPort()));
            settings.putAll(more);
            BrokerNode node = new BrokerNode(settings, sockets, faults);
            return new EmbeddedKafka(directory, sockets, faults, node);
        } catch (RuntimeException e) {
            if (sockets != null) {
                sockets.close();
            }
            directory.close();
            throw e instanceof EmbeddedKafkaException ? e : didNotStart(directory.path(), e);
        }
    }

    /** Returns the address for clients, {@code 127.0.0.1:PORT}. */
    public String bootstrapServers() {
        return LoopbackSockets.HOST + ":" + port();
    }

    /** Returns the actual port for clients, 1 to 65535. */
    public int port() {
        return sockets.brokerPort();
    }

    /** Stops the broker and keeps its data. Returns within about 15 seconds; calling it again has no effect. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        Thread stopper = new Thread(faults, this::stop, "embedded-kafka-stop");
        stopper.start();
        boolean interrupted = Thread.interrupted();
        try {
            if (!stopper.join(STOP_LIMIT)) {
                LOG.warn("The embedded Kafka on {} has not stopped within {} s. If the process ends now, the next start"
                        + " recovers its data.", directory.path(), STOP_LIMIT.toSeconds());
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Stops the node and then unlocks the directory, so that it is never unlocked while it may be written. */
    private void stop() {
        try {
            node.stop();
        } catch (InterruptedException e) {
            // No code interrupts this thread, which ends here anyway.
            Thread.currentThread().interrupt();
        } finally {
            sockets.close();
            directory.close();
        }
    }

    private EmbeddedKafkaException abandon(Exception failure) {
        close();
        return didNotStart(directory.path(), failure);
    }

    private static EmbeddedKafkaException didNotStart(Path directory, Exception failure) {
        return new EmbeddedKafkaException("Kafka did not start on the data directory " + directory + " ("
                + Printable.innermostCause(failure) + "). See the log. Choose another directory, or move this one away"
                + " to start with an empty one.", failure);
    }
}
