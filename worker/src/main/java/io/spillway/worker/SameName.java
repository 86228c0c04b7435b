package io.spillway.worker;

import io.spillway.core.text.Printable;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detector of another process with the name of this worker. Both have the same transactional id, so each fences the
 * other's producer. The process that started later ends, at the second fencing while it sees the other one: both see
 * the same two {@code group.instance.id}, which begin with the times of the starts, so exactly one of them ends.
 *
 * <p>Used by the commit thread. Bound: the processes that have fenced this one.
 */
final class SameName {
    private static final Logger LOG = LoggerFactory.getLogger(SameName.class);
    /** One is not enough: a killed process is a member until its session ends. */
    private static final int FENCINGS = 2;

    private final String name;
    private final Supplier<Map<String, String>> members;
    private final Map<String, Integer> fencings = new HashMap<>();

    /**
     * Creates a detector.
     *
     * @param members reads the group's members with this worker's name: their hosts by {@code group.instance.id}
     */
    SameName(String name, Supplier<Map<String, String>> members) {
        this.name = name;
        this.members = members;
    }

    /** Returns a new {@code group.instance.id} of a process that started then, epoch milliseconds. */
    static String newMember(long startedMillis) {
        return HexFormat.of().toHexDigits(startedMillis) + "-" + UUID.randomUUID();
    }

    /**
     * Handles that the producer was fenced.
     *
     * @param ownMember this process's {@code group.instance.id}
     * @throws WorkerException when this process must end
     */
    void fenced(String ownMember) {
        Map<String, String> others = new HashMap<>(members.get());
        others.remove(ownMember);
        fencings.keySet().retainAll(others.keySet());
        others.forEach((member, host) -> {
            int times = fencings.merge(member, 1, Integer::sum);
            if (times >= FENCINGS && ownMember.compareTo(member) > 0) {
                throw new WorkerException("Another process at " + Printable.of(host) + " is worker " + name
                        + " too and started before this one. Each fences the transactions of the other, so this process"
                        + " ends. Set worker.id to another name, or do not share a copy of the data directory.");
            }
            if (times == 1) {
                LOG.warn("Another process at {} is worker {} too, and fences the transactions of this one. The younger"
                        + " of the two ends. Give each a worker.id of its own.", Printable.of(host), name);
            }
        });
    }
}
