package io.spillway.bench.gateway;

import io.spillway.bench.support.Bench;
import io.spillway.bench.support.Median;
import io.spillway.bench.support.Scene;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The gateway beside a bare producer behind the same HTTP server, and a quiet tenant beside one that floods it. */
@Command(
        name = "gateway",
        mixinStandardHelpOptions = true,
        description = "Requests a second and their latency, in turn; callers and broker have processes of their own.")
public final class GatewayCommand implements Callable<Integer> {
    @Option(
            names = "--seconds", defaultValue = "10",
            description = "that count, of each run (default: ${DEFAULT-VALUE})")
    private int seconds;

    @Option(names = "--warmup", defaultValue = "5", description = "seconds before them (default: ${DEFAULT-VALUE})")
    private int warmup;

    @Option(
            names = "--connections", defaultValue = "64",
            description = "of the callers at full speed (default: ${DEFAULT-VALUE})")
    private int connections;

    @Option(names = "--bytes", defaultValue = "200", description = "of a payload (default: ${DEFAULT-VALUE})")
    private int bytes;

    @Option(
            names = "--rounds", defaultValue = "5",
            description = "after one that is discarded (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(
            names = "--rate", defaultValue = "100",
            description = "items a second of the quiet tenant (default: ${DEFAULT-VALUE})")
    private int rate;

    @Option(
            names = "--noisy-rate", defaultValue = "40",
            description = "the limit of the noisy tenant, items a second (default: ${DEFAULT-VALUE})")
    private int noisyRate;

    @Option(
            names = "--times", defaultValue = "50",
            description = "how much more than its rate the noisy tenant sends (default: ${DEFAULT-VALUE})")
    private int times;

    @Option(
            names = "--unlimited",
            description = "the noisy tenant has default settings, so all of the flood is accepted")
    private boolean unlimited;

    /** What one round saw. */
    private record Round(
            HttpLoad.Result gateway,
            HttpLoad.Result bare,
            HttpLoad.Result quiet,
            HttpLoad.Result beside,
            HttpLoad.Result flood) {}

    @Override
    public Integer call() {
        List<Round> results = new ArrayList<>();
        try (Bench bench = Bench.start()) {
            for (int round = 0; round <= rounds; round++) {
                Round result = round(bench, round);
                System.out.printf("round %d%s%n", round, round == 0 ? "  (discarded)" : "");
                print("gateway", result.gateway());
                print("bare producer", result.bare());
                print("quiet tenant alone", result.quiet());
                print("quiet tenant beside the flood", result.beside());
                print("the flood", result.flood());
                if (round > 0) {
                    results.add(result);
                }
            }
        }
        summarize(results);
        return 0;
    }

    /** In turn: whoever comes first meets another machine than whoever comes last. */
    private Round round(Bench bench, int round) {
        HttpLoad.Result first = full(bench, round, round % 2 == 0);
        HttpLoad.Result second = full(bench, round, round % 2 != 0);
        try (Scene scene = scene(bench, "n" + round); FrontDoor door = door(scene)) {
            HttpLoad.Result quiet = quiet(door).await();
            HttpLoad.Running flooding = HttpLoad.start(
                    door.port(), door.keys().get(FrontDoor.NOISY), connections, times * noisyRate, warmup, seconds,
                    bytes);
            HttpLoad.Result beside = quiet(door).await();
            HttpLoad.Result flood = flooding.await();
            return round % 2 == 0
                    ? new Round(first, second, quiet, beside, flood)
                    : new Round(second, first, quiet, beside, flood);
        }
    }

    private HttpLoad.Result full(Bench bench, int round, boolean gateway) {
        try (Scene scene = scene(bench, (gateway ? "g" : "b") + round);
                FrontDoor door = gateway ? door(scene) : FrontDoor.bare(scene)) {
            return HttpLoad.start(
                    door.port(), door.keys().get(FrontDoor.QUIET), connections, 0, warmup, seconds, bytes).await();
        }
    }

    private FrontDoor door(Scene scene) {
        return FrontDoor.gateway(scene, unlimited ? OptionalInt.empty() : OptionalInt.of(noisyRate));
    }

    private HttpLoad.Running quiet(FrontDoor door) {
        return HttpLoad.start(door.port(), door.keys().get(FrontDoor.QUIET), 4, rate, warmup, seconds, bytes);
    }

    private static Scene scene(Bench bench, String prefix) {
        return Scene.set(bench.admin(), bench.broker().bootstrapServers(), prefix, false, Map.of("gateway.port", "0"));
    }

    private static void print(String what, HttpLoad.Result result) {
        System.out.printf(
                "  %-30s %8.0f accepted/s %8.0f refused/s  p50 %7.2f ms  p99 %7.2f ms%n", what, result.perSecond(),
                result.refused() / result.seconds(), result.p50Micros() / 1e3, result.p99Micros() / 1e3);
    }

    private static void summarize(List<Round> results) {
        System.out.printf("%nmedians of %d rounds%n", results.size());
        System.out.printf("  requests/s: gateway %.0f, bare producer %.0f, ratio %.2f (round by round %.2f)%n",
                median(results, r -> r.gateway().perSecond()), median(results, r -> r.bare().perSecond()),
                median(results, r -> r.gateway().perSecond()) / median(results, r -> r.bare().perSecond()),
                median(results, r -> r.gateway().perSecond() / r.bare().perSecond()));
        System.out.printf("  p99 ms at full speed: gateway %.2f, bare producer %.2f%n",
                median(results, r -> r.gateway().p99Micros()) / 1e3, median(results, r -> r.bare().p99Micros()) / 1e3);
        System.out.printf(
                "  p99 ms of the quiet tenant: alone %.2f, beside the flood %.2f, ratio %.2f (round by round %.2f)%n",
                median(results, r -> r.quiet().p99Micros()) / 1e3,
                median(results, r -> r.beside().p99Micros()) / 1e3,
                median(results, r -> r.beside().p99Micros())
                        / median(results, r -> r.quiet().p99Micros()),
                median(results, r -> (double) r.beside().p99Micros() / r.quiet().p99Micros()));
    }

    private static double median(List<Round> results, ToDoubleFunction<Round> figure) {
        return Median.of(results.stream().map(figure::applyAsDouble).toList());
    }
}
