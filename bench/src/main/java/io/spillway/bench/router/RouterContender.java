package io.spillway.bench.router;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.spillway.bench.support.BenchItems;
import io.spillway.bench.support.Scene;
import io.spillway.bench.support.TemporaryDirectory;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ShardAssignments;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.router.Router;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.InstantSource;

/** The product's router, every tenant with a rate that is never reached: the limiter measures, and all goes to hot. */
public final class RouterContender implements Contender {
    /** Tenants have one of a few policies, as in life. */
    private static final int PLANS = 10;
    private static final double MEGABYTE = 1024 * 1024;

    private final Scene scene;
    private final TemporaryDirectory state = new TemporaryDirectory();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final TenantPolicies policies;
    private final Router router;
    private final double heapBeforeMegabytes = heapMegabytes();

    RouterContender(Scene scene, int tenants) {
        this.scene = scene;
        this.policies = new TenantPolicies(scene.configuration().defaults());
        for (int i = 0; i < tenants; i++) {
            policies.put(BenchItems.tenant(i), TenantPolicies.encode(BenchItems.tenant(i), plan(i % PLANS)));
        }
        this.router = new Router(
                scene.configuration(), scene.prefix(), state.path(), policies, new Sweeps(), new ShardAssignments(),
                registry, InstantSource.system(), System::nanoTime);
        router.start(Duration.ofSeconds(60));
    }

    private static PolicySettings plan(int number) {
        return PolicySettings.NONE_SET
                .with(PolicyField.RATE, Integer.toString(1_000_000 + number))
                .with(PolicyField.BURST, "1000000");
    }

    @Override
    public String group() {
        Topics topics = scene.topics();
        return scene.input().equals(topics.ingress()) ? topics.routerGroup() : topics.sourceGroup(Scene.SOURCE);
    }

    @Override
    public String footprint() {
        long series = registry.scrape().lines().filter(line -> !line.startsWith("#")).count();
        long ours = registry.getMeters().stream()
                .filter(meter -> meter.getId().getName().startsWith("spillway."))
                .count();
        double states = registry.get("spillway.router.rate_states").gauge().value();
        return "heap after GC %.1f MB (%.1f before the router and its policies), %d policies, %.0f rate states, %d meters (%d ours), %d series"
                .formatted(
                        heapMegabytes(), heapBeforeMegabytes, policies.size(), states, registry.getMeters().size(),
                        ours, series);
    }

    @Override
    public void close() {
        router.close();
        registry.close();
        state.close();
    }

    private static double heapMegabytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEGABYTE;
    }
}
