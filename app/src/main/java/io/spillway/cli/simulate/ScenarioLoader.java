package io.spillway.cli.simulate;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.YamlDocument;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Printable;
import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.Sweep;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.kafka.topics.TopicSettings;
import io.spillway.sim.scenario.Arrivals;
import io.spillway.sim.scenario.Disturbance;
import io.spillway.sim.scenario.Handling;
import io.spillway.sim.scenario.Latency;
import io.spillway.sim.scenario.Scenario;
import io.spillway.sim.scenario.ScenarioLimits;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedWorker;
import io.spillway.sim.scenario.Surge;
import io.spillway.sim.scenario.TenantGroup;
import io.spillway.sim.scenario.Window;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Reader of scenarios from YAML files, or from the jar. */
final class ScenarioLoader {
    /** Names of the scenarios in the jar. */
    static final List<String> SHIPPED = List.of(
            "noisy-neighbour", "outage-one-hour", "spike-30-minutes", "slow-destination", "retry-storm", "poison-pill",
            "noisy-workload");

    private static final int MAX_FILE_BYTES = 1024 * 1024;

    private final Path directory;

    private ScenarioLoader(Path directory) {
        this.directory = directory;
    }

    private enum ArrivalType { CONSTANT, POISSON, BURST, TRACE }

    private enum LatencyType { CONSTANT, UNIFORM, EXPONENTIAL, NORMAL, LOGNORMAL }

    /**
     * Loads a scenario.
     *
     * @param file a file, or if no such file exists, the name of a shipped scenario
     * @throws CommandFailure as wrong usage if there is neither, or a key or value in it is invalid
     */
    static Scenario load(String file) {
        Path path = Path.of(file);
        boolean isFile = Files.isRegularFile(path);
        if (!isFile && !SHIPPED.contains(file)) {
            throw CommandFailure.usage(
                    Printable.of(file) + ": must be a scenario file, or one of " + String.join(", ", SHIPPED));
        }
        try (InputStream in = isFile ? Files.newInputStream(path) : shipped(file)) {
            JsonNode root = YamlDocument.parse(Printable.of(file), in, MAX_FILE_BYTES);
            ScenarioLoader loader = new ScenarioLoader(path.toAbsolutePath().getParent());
            return ScenarioSection.read(root, section -> loader.scenario(section, file));
        } catch (InvalidSettingException e) {
            throw CommandFailure.usage(e.getMessage());
        } catch (IOException e) {
            throw CommandFailure.usage(Printable.of(file) + ": cannot be read: " + YamlDocument.problemOf(e));
        } catch (CommandFailure e) {
            throw CommandFailure.usage(Printable.of(file) + ": " + e.getMessage());
        }
    }

    private static InputStream shipped(String name) throws IOException {
        InputStream in = ScenarioLoader.class.getResourceAsStream("/scenarios/" + name + ".yml");
        if (in == null) {
            throw new IOException("not in the jar");
        }
        return in;
    }

    private Scenario scenario(ScenarioSection root, String file) {
        String name = root.text("name", Path.of(file).getFileName().toString());
        String description = root.text("description", "");
        long durationMillis = root.millis("duration");
        long drainMillis = root.millis("drain", "1d");
        SimulatedCluster cluster = root.one("workers", workers -> cluster(workers,
                root.one("router", router -> router.one("protection", ScenarioLoader::protection))));
        PolicySettings defaults = root.policy("defaults");
        List<Disturbance> everywhere = disturbances(root);
        List<Scenario.Phase> phases = root.list("phases",
                phase -> new Scenario.Phase(Printable.of(phase.text("name")), window(phase)));
        Handling handler = root.one("handler", common ->
                common.has("latency") || !common.isEmpty()
                        ? handling(common, everywhere)
                        : Handling.of(new Latency.Constant(20)));
        List<TenantGroup> groups = root.list("tenants", tenants -> group(tenants, defaults, handler, everywhere));
        root.end();
        return new Scenario(
                Printable.of(name), Printable.of(description), durationMillis, drainMillis, cluster, groups, phases);
    }

    private static ProtectionSettings protection(ScenarioSection section) {
        return new ProtectionSettings(
                section.number("multiple", ProtectionSettings.DEFAULT.multiple(), 0, ProtectionSettings.MOST_MULTIPLE),
                section.millis("target", ProtectionSettings.DEFAULT.targetMillis() + "ms"));
    }

    private static SimulatedCluster cluster(ScenarioSection section, ProtectionSettings protection) {
        DispatchSettings common = new DispatchSettings(
                (int) section.whole("slots", 50, 1, 100_000), section.number("reserve", 0.2, 0, 0.9),
                section.number("overflowTrickle", 0.05, 0, 0.5), section.number("agedTrickle", 0.02, 0, 0.5),
                (int) section.whole("readAhead", 4_000, 10, 1_000_000), 64L << 20, 100, true);
        List<SimulatedWorker> workers = new ArrayList<>(workers(section, common));
        section.list("others", others -> workers(others, common)).forEach(workers::addAll);
        int usual = Integer.parseInt(TopicSettings.DEFAULT_PARTITIONS);
        return new SimulatedCluster(
                workers, (int) section.whole("partitions", usual, 1, 1_000),
                section.whole("shardSeed", 0, Long.MIN_VALUE, Long.MAX_VALUE), section.millis("stuckAfter", "10s"),
                section.millis("commitInterval", "50ms"), section.millis("restart", "10s"),
                (int) section.whole("killerDeaths", 3, 0, 100), protection);
    }

    /** Workers that differ from the common ones in slots or speed only. */
    private static List<SimulatedWorker> workers(ScenarioSection section, DispatchSettings common) {
        int slots = (int) section.whole("slots", common.slots(), 1, 100_000);
        double slowdown = section.number("slowdown", 1, ScenarioLimits.MIN_FACTOR, ScenarioLimits.MAX_FACTOR);
        return Collections.nCopies((int) section.whole("count", 1, 1, ScenarioLimits.MAX_WORKERS),
                new SimulatedWorker(common.withSlots(slots), slowdown));
    }

    private TenantGroup group(
            ScenarioSection section, PolicySettings defaults, Handling common, List<Disturbance> everywhere) {
        String name = nameOf(section);
        int count = (int) section.whole("count", 1, 1, ScenarioLimits.MAX_TENANTS);
        List<TenantGroup.Workload> workloads = section.list("workloads", workload ->
                new TenantGroup.Workload(nameOf(workload), arrivalsOf(workload)));
        List<Arrivals> arrivals = workloads.isEmpty() || section.has("arrivals") ? arrivalsOf(section) : List.of();
        TenantPolicy policy = TenantPolicy.of(section.policy("policy").over(defaults));
        List<Disturbance> own = new ArrayList<>(everywhere);
        own.addAll(disturbances(section));
        Handling handling = section.has("handler")
                ? section.one("handler", handler -> handling(handler, own))
                : new Handling(common.latency(), common.failureRate(), common.finalRate(), common.poisonRate(),
                        common.kills(), own);
        List<Surge> surges =
                section.list("spikes", spike -> new Surge(window(spike), factor(spike, 0)));
        List<Sweep> sweeps =
                section.list("sweeps", sweep -> new Sweep(sweep.millis("startedAt"), sweep.millis("completedAt")));
        section.end();
        return new TenantGroup(name, count, arrivals, surges, policy, handling, sweeps, workloads);
    }

    private static String nameOf(ScenarioSection section) {
        String name = section.text("name");
        if (!ItemLimits.isName(name)) {
            throw section.wrong("name", "must be " + ItemLimits.NAME_ALLOWED);
        }
        return name;
    }

    private List<Arrivals> arrivalsOf(ScenarioSection section) {
        List<Arrivals> arrivals = section.list("arrivals", this::arrivals);
        if (arrivals.isEmpty()) {
            throw section.wrong("arrivals", "must be a map with a type, or a list of such maps");
        }
        return arrivals;
    }

    private Arrivals arrivals(ScenarioSection section) {
        return switch (section.choice("type", ArrivalType.class)) {
            case CONSTANT -> new Arrivals.Constant(rate(section));
            case POISSON -> new Arrivals.Poisson(rate(section));
            case BURST -> new Arrivals.Burst(section.whole("size", 0, 1, ScenarioLimits.MAX_WAITING),
                    section.millis("at", "0s"), section.millis("every", "0s"));
            case TRACE -> new Arrivals.Recorded(
                    new TraceLoader(directory).load(section.text("file"), section.text("durations", "")),
                    section.number("speed", 1, ScenarioLimits.MIN_FACTOR, ScenarioLimits.MAX_SPEED));
        };
    }

    private static double rate(ScenarioSection section) {
        return section.number("rate", ScenarioLimits.MIN_RATE, ScenarioLimits.MAX_RATE);
    }

    private static Handling handling(ScenarioSection section, List<Disturbance> disturbances) {
        return new Handling(
                section.one("latency", ScenarioLoader::latency), section.number("failureRate", 0, 0, 1),
                section.number("finalRate", 0, 0, 1), section.number("poisonRate", 0, 0, 1), section.flag("kills"),
                disturbances);
    }

    private static Latency latency(ScenarioSection section) {
        return switch (section.choice("type", LatencyType.class)) {
            case CONSTANT -> new Latency.Constant(millis(section, "value"));
            case UNIFORM -> new Latency.Uniform(millis(section, "min"), millis(section, "max"));
            case EXPONENTIAL -> new Latency.Exponential(millis(section, "mean"));
            case NORMAL -> new Latency.Normal(millis(section, "mean"), millis(section, "deviation"));
            case LOGNORMAL -> new Latency.LogNormal(millis(section, "median"), millis(section, "p99"));
        };
    }

    /** Returns a duration in milliseconds; a number without a unit is milliseconds and can have a fraction. */
    private static double millis(ScenarioSection section, String key) {
        return section.text(key).matches("[0-9_.]+")
                ? section.number(key, 0, ScenarioLimits.DAY_MILLIS) : section.millis(key);
    }

    private static List<Disturbance> disturbances(ScenarioSection section) {
        List<Disturbance> all = new ArrayList<>();
        all.addAll(section.list("outages", each -> new Disturbance.Outage(window(each))));
        all.addAll(section.list("hangs", each -> new Disturbance.Hang(window(each))));
        all.addAll(section.list("slowdowns",
                each -> new Disturbance.Slowdown(window(each), factor(each, ScenarioLimits.MIN_FACTOR))));
        return all;
    }

    private static double factor(ScenarioSection section, double least) {
        return section.number("factor", least, ScenarioLimits.MAX_FACTOR);
    }

    private static Window window(ScenarioSection section) {
        return new Window(section.millis("from", "0s"), section.millis("to"));
    }
}
