package io.spillway.campaign;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Network of one campaign: each broker and each process has a namespace of the kernel with an address of its own, and
 * a bridge connects them. The bridge is in a namespace too, where the filters of this machine (Docker has some) do not
 * hold. Packets between two of them can be dropped, each way by itself: nobody is told, as when a
 * cable is pulled. Needs Linux, root and the tool {@code ip}. A broker or process that was
 * killed comes back to its place.
 *
 * <p>Owner of the bridge and the namespaces. Used by one thread.
 */
final class Namespaces implements AutoCloseable {
    /** Before the table of local addresses, which would take every packet. */
    private static final String BEFORE_LOCAL = "10";
    private static final String BRIDGE = "bridge";

    private final String id = "sw" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt()).substring(2);
    private final String net = "10.213." + ThreadLocalRandom.current().nextInt(1, 255) + ".";
    private final Map<String, Integer> numbers = new LinkedHashMap<>();
    /** How many faults that have begun and not ended cut these packets. */
    private final Map<Cut, Integer> open = new HashMap<>();

    /** Packets of {@code from} that do not arrive at {@code to}. */
    record Cut(String to, String from) {}

    /** Creates a network that only this machine itself is in. */
    Namespaces() {
        ip("netns", "add", id);
        ip("-n", id, "link", "add", BRIDGE, "type", "bridge");
        ip("-n", id, "link", "set", BRIDGE, "up");
        ip("link", "add", id, "type", "veth", "peer", "name", "host", "netns", id);
        ip("-n", id, "link", "set", "host", "master", BRIDGE, "up");
        ip("addr", "add", net + "1/24", "dev", id);
        ip("link", "set", id, "up");
    }

    /** Adds a member, and returns its address. */
    String add(String member) {
        int number = 2 + numbers.size();
        numbers.put(member, number);
        String space = space(member);
        ip("netns", "add", space);
        ip("-n", id, "link", "add", space, "type", "veth", "peer", "name", "eth0", "netns", space);
        ip("-n", id, "link", "set", space, "master", BRIDGE, "up");
        ip("-n", space, "addr", "add", address(member) + "/24", "dev", "eth0");
        ip("-n", space, "link", "set", "eth0", "up");
        ip("-n", space, "link", "set", "lo", "up");
        ip("-n", space, "rule", "add", "pref", "1000", "lookup", "local");
        ip("-n", space, "rule", "del", "pref", "0");
        return address(member);
    }

    private String space(String member) {
        return id + "-" + numbers.get(member);
    }

    private String address(String member) {
        return net + numbers.get(member);
    }

    /** Returns what a command must begin with to run in the namespace of a member. */
    List<String> command(String member) {
        return List.of("ip", "netns", "exec", space(member));
    }

    /** Begins to drop packets. */
    void cut(List<Cut> cuts) {
        for (Cut cut : cuts) {
            if (open.merge(cut, 1, Integer::sum) == 1) {
                rule("add", cut);
            }
        }
    }

    /** Ends cuts that have begun. What another fault cuts too stays cut. */
    void mend(List<Cut> cuts) {
        for (Cut cut : cuts) {
            if (open.computeIfPresent(cut, (key, count) -> count == 1 ? null : count - 1) == null) {
                rule("del", cut);
            }
        }
    }

    private void rule(String verb, Cut cut) {
        ip("-n", space(cut.to()), "rule", verb, "pref", BEFORE_LOCAL, "from", address(cut.from()), "blackhole");
    }

    /**
     * Returns what a fault of the network cuts. Pure.
     *
     * @param index chooses a broker, or a client
     */
    static List<Cut> cuts(Fault fault, int index, List<String> brokers, List<String> clients) {
        String broker = brokers.get(index % brokers.size());
        List<String> others = brokers.stream().filter(name -> !name.equals(broker)).toList();
        return switch (fault) {
            case ISOLATE_BROKER -> {
                List<Cut> cuts = new ArrayList<>(apart(broker, others));
                cuts.addAll(apart(broker, clients));
                yield cuts;
            }
            case PART_TWO_BROKERS -> apart(others.getFirst(), others.subList(1, 2));
            case CUT_BROKER_FROM_BROKERS -> apart(broker, others);
            case CUT_BROKER_FROM_CLIENTS -> apart(broker, clients);
            case CUT_CLIENT_FROM_BROKERS -> apart(clients.get(index % clients.size()), brokers);
            case MUTE_BROKER -> others.stream().map(other -> new Cut(other, broker)).toList();
            default -> throw new IllegalArgumentException(fault + " cuts no network");
        };
    }

    private static List<Cut> apart(String member, List<String> others) {
        List<Cut> cuts = new ArrayList<>();
        for (String other : others) {
            cuts.add(new Cut(member, other));
            cuts.add(new Cut(other, member));
        }
        return cuts;
    }

    private static void ip(String... words) {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Networks of a campaign need root and the tool ip of iproute2", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Removes all of it. The processes in it must have ended. */
    @Override
    public void close() {
        numbers.keySet().forEach(member -> ip("netns", "del", space(member)));
        ip("link", "del", id);
        ip("netns", "del", id);
    }
}
