package io.spillway.bench.tenants;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.spillway.bench.load.RunningQueue;
import io.spillway.bench.support.Bench;
import io.spillway.bench.support.BenchItems;
import io.spillway.bench.support.Machine;
import io.spillway.bench.support.ProcessFigures;
import io.spillway.bench.support.Scene;
import io.spillway.bench.support.TemporaryDirectory;
import io.spillway.config.Configuration;
import io.spillway.core.item.ItemState;
import io.spillway.handler.Outcome;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.view.CompactedView;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.LaneFlows;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import io.spillway.operator.report.KafkaReads;
import io.spillway.operator.report.OperatorReports;
import io.spillway.router.ledger.DepthMetrics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What many tenants cost. */
@Command(
        name = "tenants", mixinStandardHelpOptions = true, sortOptions = false,
        description = {
            "Many tenants: a policy and a balance for each, all different; every tenth has an item that waits.",
            "With --fold they come from an item of each, which goes through router and worker and is done, and there "
                    + "are no policies.",
            "Otherwise they are written to the topics of policies and of balances. Then the views of a process are "
                    + "started, and the console's reports, the metrics and the commands are asked. A row has time, processor time, "
                    + "and the size of the answer or of the heap that is held.",
        })
public final class TenantsCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final InstantSource CLOCK = InstantSource.system();
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(20);

    @Option(names = "--tenants", defaultValue = "1000000", description = "tenants (default: ${DEFAULT-VALUE})")
    private int tenants;

    @Option(names = "--heap", defaultValue = "2g", description = "of a command's JVM (default: ${DEFAULT-VALUE})")
    private String heap;

    @Option(
            names = "--commands", split = ";",
            defaultValue = "top --once --output json;depth --no-ages --output json;audit",
            description = "commands to run, with semicolons between them (default: ${DEFAULT-VALUE})")
    private List<String> commands;

    @Option(names = "--fold", description = "the router makes the balances")
    private boolean fold;

    private final List<Step> steps = new ArrayList<>();

    @Override
    public Integer call() {
        try (Bench bench = Bench.start();
                TemporaryDirectory directory = new TemporaryDirectory();
                Scene scene = Scene.set(
                        bench.admin(), bench.broker().bootstrapServers(), "tenants", false,
                        Map.of("router.maxTenants", Integer.toString(tenants)))) {
            System.out.printf("%,d tenants; load average %s%n%n| step | s | processor s | bytes | bytes a tenant |%n"
                    + "|---|--:|--:|--:|--:|%n", tenants, Machine.load());
            if (fold) {
                fold(scene);
            } else {
                ManyTenants.write(scene, tenants);
                inProcess(scene);
            }
            commands.forEach(command -> add(
                    SpillwayCommand.run(scene, heap, directory.path(), List.of(command.strip().split(" +")))));
        }
        return steps.stream().anyMatch(step -> step.name().contains("FAILED")) ? 1 : 0;
    }

    /** One item of each tenant through the queue, until its balance is published. */
    private void fold(Scene scene) {
        Depths depths = new Depths();
        KafkaClients clients = new KafkaClients(scene.configuration().queue());
        try (RunningQueue queue = RunningQueue.start(scene, 1, delivery -> Outcome.done(), Map.of(), true);
                CompactedView view = new CompactedView(
                        clients, scene.topics().depths(), depths, tenants, Optional.empty(), CLOCK)) {
            view.start(PATIENCE);
            Step.Measured<Depths> folded = Step.holding("items done and folded; router, worker and a view", () -> {
                ManyTenants.send(scene, tenants);
                awaitFolded(depths);
                return depths;
            });
            add(folded.step());
            System.out.printf("balances %,d, done %,d; series %,d; router state %,d MiB; %s%n", depths.size(),
                    depths.in(ItemState.DONE), queue.series(),
                    ProcessFigures.bytesBelow(queue.stateDirectory()) >> 20, queue.figures());
        }
    }

    private void awaitFolded(Depths depths) {
        long lineNanos = System.nanoTime();
        while (depths.in(ItemState.DONE) < tenants) {
            LockSupport.parkNanos(LOOK_NANOS);
            if (System.nanoTime() - lineNanos > LINE_NANOS) {
                lineNanos = System.nanoTime();
                System.out.printf("%,d of %,d balances, %,d items done%n",
                        depths.size(), tenants, depths.in(ItemState.DONE));
            }
        }
    }

    private void inProcess(Scene scene) {
        Configuration configuration = scene.configuration();
        List<CompactedView> views = new ArrayList<>();
        TenantPolicies policies = follow(
                scene, views, "view of policies", scene.topics().policies(),
                new TenantPolicies(configuration.defaults()));
        Depths depths = follow(scene, views, "view of balances", scene.topics().depths(), new Depths());
        if (policies.size() != tenants || depths.size() != tenants) {
            throw new IllegalStateException("%d policies and %d balances of %d tenants"
                    .formatted(policies.size(), depths.size(), tenants));
        }
        LaneFlows flows = new LaneFlows(depths);
        flows.sample(CLOCK.millis());
        try (OperatorReports reports = new OperatorReports(
                configuration, new OperatorReports.Views(policies, new Sweeps(), depths, flows, tenant -> 1.0),
                new KafkaReads(new KafkaClients(configuration.queue()), CLOCK), "bench", CLOCK)) {
            String last = Integer.toString(Math.max(0, tenants - 50));
            page(reports, "first page", "/depths", Map.of());
            page(reports, "first page again, by another column", "/depths", Map.of("sort", "in"));
            page(reports, "search", "/depths", Map.of("search", "99"));
            page(reports, "last page by name", "/depths", Map.of("sort", "tenant", "from", last, "limit", "50"));
            page(reports, "one tenant", "/tenants/" + BenchItems.tenant(tenants / 2), Map.of());
            page(reports, "one tenant again", "/tenants/" + BenchItems.tenant(tenants / 3), Map.of());
        }
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        DepthMetrics metrics = new DepthMetrics(registry, configuration.metrics().tenants(), depths, policies);
        for (int time = 0; time < 2; time++) {
            add(Step.answering("metrics of balances, measured and scraped", () -> {
                metrics.measure(CLOCK.millis());
                return registry.scrape();
            }));
        }
        byte[] all = TenantPolicies.encode(ViewContent.ALL_TENANTS, ManyTenants.policy(0));
        add(Step.answering("a change of the policy of all tenants, in a view", () -> {
            policies.put(ViewContent.ALL_TENANTS, all);
            return "";
        }));
        views.forEach(CompactedView::close);
    }

    private void page(OperatorReports reports, String name, String path, Map<String, String> query) {
        add(Step.answering("console: " + name, () ->
                reports.get(path, query, CLOCK.millis()).orElseThrow().toString()));
    }

    private <C extends ViewContent<?>> C follow(
            Scene scene, List<CompactedView> views, String name, String topic, C content) {
        CompactedView view = new CompactedView(
                new KafkaClients(scene.configuration().queue()), topic, content,
                scene.configuration().router().maxTenants(), Optional.empty(), CLOCK);
        views.add(view);
        Step.Measured<C> started = Step.holding(name + ", start", () -> {
            view.start(PATIENCE);
            return content;
        });
        add(started.step());
        return started.result();
    }

    private void add(Step step) {
        steps.add(step);
        System.out.println(step.row(tenants));
    }
}
