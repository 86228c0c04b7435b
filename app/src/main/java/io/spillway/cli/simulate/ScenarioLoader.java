package io.spillway.cli.simulate;

import io.spillway.cli.terminal.CommandFailure;
import io.spillway.config.DocumentMap;
import io.spillway.config.YamlDocument;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.routing.Sweep;
import io.spillway.core.scheduling.DispatchSettings;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.Printable;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reader of scenarios from YAML files, or from the jar. */
public final class ScenarioLoader {
    /** Names of the scenarios in the jar. */
    static final List<String> SHIPPED = List.of(
            "noisy-neighbour", "outage-one-hour", "spike-30-minutes", "slow-destination", "retry-storm", "poison-pill",
            "noisy-workload");

    private static final int MAX_FILE_BYTES = 1024 * 1024;

    private final Path directory;
    private final double stretch;
    private final Map<String, PolicySettings> policies = new HashMap<>();

    private ScenarioLoader(Path directory, double stretch) {
        this.directory = directory;
        this.stretch = stretch;
    }

    /** Scenario, and the settings of its tenants that are not the product's defaults, by group. */
    public record Loaded(Scenario scenario, Map<String, PolicySettings> policies) {}

    private enum ArrivalType { CONSTANT, POISSON, BURST, TRACE }

    private enum LatencyType { CONSTANT, UNIFORM, EXPONENTIAL, NORMAL, LOGNORMAL }

    /**
     * Loads a scenario.
     *
     * @param file a file, or if no such file exists, the name of a shipped scenario
     * @throws CommandFailure as wrong usage if there is neither, or a key or value in it is invalid
     */
    static Scenario load(String file) {
        boolean isFile = Files.isRegularFile(Path.of(file));
        if (!isFile && !SHIPPED.contains(file)) {
            throw CommandFailure.usage(
                    Printable.of(file) + ": must be a scenario file, or one of " + String.join(", ", SHIPPED));
        }
        return load(file, isFile, 1).scenario();
    }

    /** Loads a scenario of the jar with all its times stretched by a factor, except for handling times. */
    public static Loaded shipped(String name, double stretch) {
        return load(name, false, stretch);
    }

    private static Loaded load(String file, boolean isFile, double stretch) {
        Path path = Path.of(file);
        try (InputStream in = isFile ? Files.newInputStream(path)
                : ScenarioLoader.class.getResourceAsStream("/scenarios/" + file + ".yml")) {
            ScenarioLoader loader = new ScenarioLoader(path.toAbsolutePath().getParent(), stretch);
            Scenario scenario = DocumentMap.read(Printable.of(file),
                    YamlDocument.parse(Printable.of(file), in, MAX_FILE_BYTES),
                    root -> loader.scenario(root, path.getFileName().toString()));
            return new Loaded(scenario, loader.policies);
        } catch (InvalidSettingException e) {
            throw CommandFailure.usage(e.getMessage());
        } catch (IOException e) {
            throw CommandFailure.usage(Printable.of(file) + ": cannot be read: " + YamlDocument.problemOf(e));
        } catch (CommandFailure e) {
            throw CommandFailure.usage(Printable.of(file) + ": " + e.getMessage());
        }
    }

    private Scenario scenario(DocumentMap root, String file) {
        String name = root.text("name").orElse(file);
        String description = root.text("description").orElse("");
        long durationMillis = time(root, "duration");
        long drainMillis = millis(root, "drain", ScenarioLimits.DAY_MILLIS);
        SimulatedCluster cluster = root.one("workers", workers -> cluster(workers,
                root.one("router", router -> router.one("protection", ScenarioLoader::protection))));
        PolicySettings defaults = root.one("defaults", ScenarioLoader::policy);
        List<Disturbance> everywhere = disturbances(root);
        List<Scenario.Phase> phases = root.list("phases",
                phase -> new Scenario.Phase(Printable.of(phase.required("name")), window(phase)));
        Handling handler = root.one("handler", common ->
                common.has("latency") || !common.isEmpty()
                        ? handling(common, everywhere)
                        : Handling.of(new Latency.Constant(20)));
        List<TenantGroup> groups = root.list("tenants", tenants -> group(tenants, defaults, handler, everywhere));
        root.end();
        return new Scenario(
                Printable.of(name), Printable.of(description), durationMillis, drainMillis, cluster, groups, phases);
    }

    private static ProtectionSettings protection(DocumentMap section) {
        ProtectionSettings usual = ProtectionSettings.DEFAULT;
        return new ProtectionSettings(
                section.number("multiple", 0, ProtectionSettings.MOST_MULTIPLE).orElse(usual.multiple()),
                millis(section, "target", usual.targetMillis()));
    }

    private static SimulatedCluster cluster(DocumentMap section, ProtectionSettings protection) {
        DispatchSettings common = new DispatchSettings(
                whole(section, "slots", 50, 1, 100_000), section.number("reserve", 0, 0.9).orElse(0.2),
                section.number("overflowTrickle", 0, 0.5).orElse(0.05),
                section.number("agedTrickle", 0, 0.5).orElse(0.02),
                whole(section, "readAhead", 4_000, 10, 1_000_000), 64L << 20, 100, true);
        List<SimulatedWorker> workers = new ArrayList<>(workers(section, common));
        section.list("others", others -> workers(others, common)).forEach(workers::addAll);
        int usual = Integer.parseInt(TopicSettings.DEFAULT_PARTITIONS);
        return new SimulatedCluster(
                workers, whole(section, "partitions", usual, 1, 1_000),
                section.whole("shardSeed", Long.MIN_VALUE, Long.MAX_VALUE).orElse(0L),
                millis(section, "stuckAfter", 10_000),
                millis(section, "commitInterval", SimulatedCluster.USUAL_COMMIT_MILLIS),
                millis(section, "restart", SimulatedCluster.USUAL_RESTART_MILLIS), whole(section, "killerDeaths", 3, 0, 100), protection);
    }

    /** Workers that differ from the common ones in slots or speed only. */
    private static List<SimulatedWorker> workers(DocumentMap section, DispatchSettings common) {
        int slots = whole(section, "slots", common.slots(), 1, 100_000);
        double slowdown =
                section.number("slowdown", ScenarioLimits.MIN_FACTOR, ScenarioLimits.MAX_FACTOR).orElse(1.0);
        return Collections.nCopies(whole(section, "count", 1, 1, ScenarioLimits.MAX_WORKERS),
                new SimulatedWorker(common.withSlots(slots), slowdown));
    }

    private TenantGroup group(
            DocumentMap section, PolicySettings defaults, Handling common, List<Disturbance> everywhere) {
        String name = nameOf(section);
        int count = whole(section, "count", 1, 1, ScenarioLimits.MAX_TENANTS);
        List<TenantGroup.Workload> workloads = section.list("workloads", workload ->
                new TenantGroup.Workload(nameOf(workload), arrivalsOf(workload)));
        List<Arrivals> arrivals = workloads.isEmpty() || section.has("arrivals") ? arrivalsOf(section) : List.of();
        PolicySettings policy = section.one("policy", ScenarioLoader::policy).over(defaults);
        policies.put(name, policy);
        List<Disturbance> own = new ArrayList<>(everywhere);
        own.addAll(disturbances(section));
        Handling handling = section.has("handler")
                ? section.one("handler", handler -> handling(handler, own))
                : new Handling(common.latency(), common.failureRate(), common.finalRate(), common.poisonRate(),
                        common.kills(), own);
        List<Surge> surges =
                section.list("spikes", spike -> new Surge(window(spike), factor(spike, 0)));
        List<Sweep> sweeps =
                section.list("sweeps", sweep -> new Sweep(time(sweep, "startedAt"), time(sweep, "completedAt")));
        boolean isBehindGateway = section.flag("gateway");
        section.end();
        return new TenantGroup(name, count, arrivals, surges, TenantPolicy.of(policy), handling, sweeps, workloads,
                isBehindGateway);
    }

    private static PolicySettings policy(DocumentMap section) {
        PolicySettings settings = new PolicySettings(section.policy(List.of(PolicyField.values())));
        String growth = PolicyField.GROWTH.key();
        if (!section.text(growth).orElse("none").equals("none")) {
            throw section.wrong(growth, "must be none: limits that grow are not simulated");
        }
        if (section.flag(PolicyField.PAUSED.key())) {
            throw section.wrong(PolicyField.PAUSED.key(), "must be false: pauses are not simulated");
        }
        return settings;
    }

    private static String nameOf(DocumentMap section) {
        String name = section.required("name");
        if (!ItemLimits.isName(name)) {
            throw section.wrong("name", "must be " + ItemLimits.NAME_ALLOWED);
        }
        return name;
    }

    private List<Arrivals> arrivalsOf(DocumentMap section) {
        List<Arrivals> arrivals = section.list("arrivals", this::arrivals);
        if (arrivals.isEmpty()) {
            throw section.wrong("arrivals", "must be a map with a type, or a list of such maps");
        }
        return arrivals;
    }

    private Arrivals arrivals(DocumentMap section) {
        return switch (section.choice("type", ArrivalType.class)) {
            case CONSTANT -> new Arrivals.Constant(rate(section));
            case POISSON -> new Arrivals.Poisson(rate(section));
            case BURST -> new Arrivals.Burst(
                    section.whole("size", 1, ScenarioLimits.MAX_WAITING).orElseThrow(() -> section.absent("size")),
                    time(section, "at", 0), time(section, "every", 0));
            case TRACE -> new Arrivals.Recorded(
                    new TraceLoader(directory).load(section.required("file"), section.text("durations").orElse("")),
                    section.number("speed", ScenarioLimits.MIN_FACTOR, ScenarioLimits.MAX_SPEED).orElse(1.0));
        };
    }

    private static double rate(DocumentMap section) {
        return section.number("rate", ScenarioLimits.MIN_RATE, ScenarioLimits.MAX_RATE)
                .orElseThrow(() -> section.absent("rate"));
    }

    private static Handling handling(DocumentMap section, List<Disturbance> disturbances) {
        return new Handling(
                section.one("latency", ScenarioLoader::latency), share(section, "failureRate"),
                share(section, "finalRate"), share(section, "poisonRate"), section.flag("kills"), disturbances);
    }

    private static double share(DocumentMap section, String key) {
        return section.number(key, 0, 1).orElse(0.0);
    }

    private static Latency latency(DocumentMap section) {
        return switch (section.choice("type", LatencyType.class)) {
            case CONSTANT -> new Latency.Constant(decimalMillis(section, "value"));
            case UNIFORM -> new Latency.Uniform(decimalMillis(section, "min"), decimalMillis(section, "max"));
            case EXPONENTIAL -> new Latency.Exponential(decimalMillis(section, "mean"));
            case NORMAL -> new Latency.Normal(decimalMillis(section, "mean"), decimalMillis(section, "deviation"));
            case LOGNORMAL -> new Latency.LogNormal(decimalMillis(section, "median"), decimalMillis(section, "p99"));
        };
    }

    /** Returns a duration in milliseconds; a number without a unit is milliseconds and can have a fraction. */
    private static double decimalMillis(DocumentMap section, String key) {
        return section.required(key).matches("[0-9_.]+")
                ? section.number(key, 0, ScenarioLimits.DAY_MILLIS).orElseThrow() : millis(section, key);
    }

    private List<Disturbance> disturbances(DocumentMap section) {
        List<Disturbance> all = new ArrayList<>();
        all.addAll(section.list("outages", outage -> new Disturbance.Outage(window(outage))));
        all.addAll(section.list("hangs", hang -> new Disturbance.Hang(window(hang))));
        all.addAll(section.list("slowdowns",
                slowdown -> new Disturbance.Slowdown(window(slowdown), factor(slowdown, ScenarioLimits.MIN_FACTOR))));
        return all;
    }

    private static double factor(DocumentMap section, double least) {
        return section.number("factor", least, ScenarioLimits.MAX_FACTOR).orElseThrow(() -> section.absent("factor"));
    }

    private Window window(DocumentMap section) {
        return new Window(time(section, "from", 0), time(section, "to"));
    }

    private static int whole(DocumentMap section, String key, long absent, long least, long most) {
        return section.whole(key, least, most).orElse(absent).intValue();
    }

    /** Returns a time since the start of the run. */
    private long time(DocumentMap section, String key) {
        return Math.round(stretch * millis(section, key));
    }

    private long time(DocumentMap section, String key, long absentMillis) {
        return Math.round(stretch * millis(section, key, absentMillis));
    }

    private static long millis(DocumentMap section, String key) {
        return section.millis(key, ScenarioLimits.MAX_RUN_MILLIS).orElseThrow(() -> section.absent(key));
    }

    private static long millis(DocumentMap section, String key, long absentMillis) {
        return section.millis(key, ScenarioLimits.MAX_RUN_MILLIS).orElse(absentMillis);
    }
}
