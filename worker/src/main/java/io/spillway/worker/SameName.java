package io.spillway.worker;

import io.spillway.core.text.Printable;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detector of another process with the name of this worker. Both have the same transactional id, so each fences the
 * other's producer. The process that started later ends, at the second fencing while it sees an older one: it is the
 * one that found the other in the group when it started. Of two that started at the same moment, neither found the
 * other; then the one with the greater id ends, at the third fencing, which the older of two never reaches.
 *
 * <p>Used by the commit thread, after {@link #start}. Bound: the processes that have fenced this one.
 */
final class SameName {
    private static final Logger LOG = LoggerFactory.getLogger(SameName.class);
    private static final int FENCED_BY_OLDER = 2;
    private static final int FENCED_BY_CONTEMPORARY = 3;

    private final String name;
    private final Supplier<Map<String, String>> members;
    private final Map<String, Integer> fencings = new HashMap<>();
    private Set<String> older = Set.of();

    /**
     * Creates a detector.
     *
     * @param members reads the group's members with this worker's name: their hosts by {@code group.instance.id}, which
     *                a process keeps when it joins again
     */
    SameName(String name, Supplier<Map<String, String>> members) {
        this.name = name;
        this.members = members;
    }

    /** Records which processes with this name are older; called before the first producer is opened. */
    void start() {
        older = Set.copyOf(members.get().keySet());
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
            boolean isOlder = older.contains(member);
            if (isOlder && times >= FENCED_BY_OLDER
                    || !isOlder && times >= FENCED_BY_CONTEMPORARY && ownMember.compareTo(member) > 0) {
                throw new WorkerException("Another process at " + Printable.of(host) + " is worker " + name
                        + " too" + (isOlder ? " and started before this one" : "") + ". Each fences the transactions of"
                        + " the other, so this process ends. Set worker.id to another name, or do not share a copy of"
                        + " the data directory.");
            }
            if (times == 1) {
                LOG.warn("Another process at {} is worker {} too, and fences the transactions of this one. The younger"
                        + " of the two ends. Give each a worker.id of its own.", Printable.of(host), name);
            }
        });
    }
}
