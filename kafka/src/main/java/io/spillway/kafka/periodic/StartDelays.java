package io.spillway.kafka.periodic;

import io.spillway.core.hashing.TenantHash;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;

/**
 * First delays of the periodic tasks of one process: a hash of the host, the process and the job. Processes that start
 * together spread the load of a job over its period, and so do the jobs of one process. The delays are the same after a
 * restart, so that a pattern in the load of a cluster can be traced to its cause.
 *
 * <p>Immutable.
 */
public final class StartDelays {
    private static final long SEED = 0;

    private final String host;
    private final String process;

    /** Creates the delays of a process, by names that stay the same; together they differ from every other process. */
    StartDelays(String host, String process) {
        this.host = host;
        this.process = process;
    }

    /** Returns the delays of a process of this host that has a configured name. */
    public static StartDelays of(String process) {
        return new StartDelays(hostName(), process);
    }

    /** Returns the delays of a process of this host that has a directory of its own. */
    public static StartDelays of(Path directory) {
        return of(directory.toAbsolutePath().normalize().toString());
    }

    /**
     * Returns the delay before the first run of a job, 0 or more and less than the period.
     *
     * @param job          name of the job, different for each job of the process
     * @param periodMillis 1 or more
     */
    public long millis(String job, long periodMillis) {
        // No name contains a line end, so different names never make the same text.
        return Math.floorMod(TenantHash.of(host + "\n" + process + "\n" + job, SEED), periodMillis);
    }

    /** Returns the name of this host; empty if it does not know its own. */
    public static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            // The host does not know its own name; the process and the job still differ.
            return "";
        }
    }
}
