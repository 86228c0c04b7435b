package io.spillway.testing;

import io.spillway.core.item.ItemState;
import io.spillway.core.overload.ProtectionSettings;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.retry.AttemptRules;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.Delivery;
import io.spillway.handler.DeliveryBuilder;
import io.spillway.handler.Handler;
import io.spillway.handler.Outcome;
import io.spillway.kafka.topics.ShardSettings;
import io.spillway.kafka.topics.TopicSettings;
import io.spillway.kafka.view.ViewContent;
import io.spillway.sim.HandlerSimulation;
import io.spillway.sim.scenario.SimulatedCluster;
import io.spillway.sim.scenario.SimulatedTime;
import io.spillway.sim.scenario.SimulatedWorker;
import io.spillway.worker.WorkerSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Queue in virtual time for the test of a handler: no broker, no threads and no waiting. Router, lanes, retries and
 * workers decide as in the product, with the settings that ship. An hour of virtual time takes less than a second, and
 * the same items and answers give the same run.
 *
 * <pre>{@code
 * VirtualQueue queue = new VirtualQueue();
 * queue.outage("mail", Duration.ZERO, Duration.ofMinutes(10));
 * queue.send(Duration.ofSeconds(1), DeliveryBuilder.of("acme", "m-1"));
 * VirtualRun run = queue.run(new MailHandler(() -> queue.isDown("mail")));
 * assertEquals(1, run.done().size());
 * }</pre>
 *
 * <p>The handler is called when an attempt begins, on the thread of {@link #run}, and its result counts when the
 * attempt ends: after the time of {@link #handlingTime}, or at the end of the lease as a timeout. All times count from
 * the start of the run. No argument may be null. Not thread-safe.
 */
public final class VirtualQueue {
    private static final Duration DEFAULT_LIMIT = Duration.ofDays(1);
    /** As in the simulator: about what a worker needs to commit, and to be restarted. */

    private final Map<String, String> settings = new TreeMap<>();
    private final Map<String, PolicySettings> policies = new HashMap<>();
    private final List<HandlerSimulation.Arrival> arrivals = new ArrayList<>();
    private final List<DeliveryBuilder> items = new ArrayList<>();
    private final List<Delivery> sent = new ArrayList<>();
    private final List<HandlerSimulation.Kill> kills = new ArrayList<>();
    private final List<Outage> outages = new ArrayList<>();
    private Function<Delivery, Duration> handlingTime = delivery -> Duration.ofMillis(20);
    private Duration limit = DEFAULT_LIMIT;
    private int workers = 1;
    private long seed = 1;
    private long nowMillis = SimulatedTime.epochMillis(0);

    private record Outage(String name, Duration from, Duration to) {}

    /** Lease in virtual time, which the handler may extend to the limit. */
    private static final class VirtualLease implements Delivery.Lease {
        private final Instant startedAt;
        private final Instant latest;
        private Instant endsAt;

        VirtualLease(Instant startedAt, Duration timeout, Duration most) {
            this.startedAt = startedAt;
            this.endsAt = startedAt.plus(timeout);
            this.latest = startedAt.plus(most);
        }

        @Override
        public Instant endsAt() {
            return endsAt;
        }

        @Override
        public Instant renew(Duration time) {
            Instant wanted = startedAt.plus(time);
            Instant granted = wanted.isAfter(latest) ? latest : wanted;
            endsAt = granted.isAfter(endsAt) ? granted : endsAt;
            return endsAt;
        }
    }

    /** Returns the clock of the run. Give it to the handler and its doubles. */
    public InstantSource clock() {
        return () -> Instant.ofEpochMilli(nowMillis);
    }

    /**
     * Sets a setting of the workers by its key in {@code docs/configuration.md}, for example {@code worker.slots}.
     * Known are those below {@code worker} and {@code killer}, and {@code topics.partitions}.
     */
    public VirtualQueue setting(String key, String value) {
        settings.put(Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Sets a field of a tenant's policy, as {@code tenants set} does, for example {@code rate} or {@code attempts}.
     *
     * @param tenant {@code *} for all tenants without their own value
     * @throws IllegalArgumentException if there is no such field, or its value is not allowed
     */
    public VirtualQueue policy(String tenant, String field, String value) {
        PolicyField known = Arrays.stream(PolicyField.values())
                .filter(candidate -> candidate.key().equals(field)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No field of a policy is called " + field + ". Known: "
                        + Arrays.stream(PolicyField.values()).map(PolicyField::key).toList()));
        policies.put(tenant, policies.getOrDefault(tenant, PolicySettings.NONE_SET).with(known, value));
        return this;
    }

    /** Sets the number of workers, which share the partitions: 1 or more, at most the partitions. Default: 1. */
    public VirtualQueue workers(int count) {
        workers = count;
        return this;
    }

    /** Sets how long a call takes in virtual time, 0 or more. Default: 20 ms for each. */
    public VirtualQueue handlingTime(Function<Delivery, Duration> ofCall) {
        handlingTime = Objects.requireNonNull(ofCall, "handlingTime");
        return this;
    }

    /** Sets when the run ends at the latest. Default: 1 day. */
    public VirtualQueue limit(Duration time) {
        limit = Objects.requireNonNull(time, "limit");
        return this;
    }

    /** Sets the seed of the waits before retries. Default: 1. */
    public VirtualQueue seed(long number) {
        seed = number;
        return this;
    }

    /**
     * Sends an item at a time. Its lane, attempt, lease and creation time are set by the queue.
     *
     * @param time zero or more
     */
    public VirtualQueue send(Duration time, DeliveryBuilder item) {
        Delivery built = item.build();
        arrivals.add(new HandlerSimulation.Arrival(time.toMillis(), built.tenant(), built.workload()));
        items.add(item);
        sent.add(built);
        return this;
    }

    /**
     * Sends items of one tenant at a constant rate, with the ids {@code TENANT-flood-0} and so on.
     *
     * @param perSecond more than 0
     */
    public VirtualQueue flood(String tenant, Duration from, Duration to, double perSecond) {
        long count = (long) (to.minus(from).toMillis() * perSecond / 1_000);
        for (int i = 0; i < count; i++) {
            send(from.plusMillis((long) (i * 1_000 / perSecond)), DeliveryBuilder.of(tenant, tenant + "-flood-" + i));
        }
        return this;
    }

    /** Sets a time during which {@link #isDown} is true. The handler's double of that system asks for it. */
    public VirtualQueue outage(String name, Duration from, Duration to) {
        outages.add(new Outage(Objects.requireNonNull(name, "name"), from, to));
        return this;
    }

    /** Returns whether a system has an outage now: from its start, and before its end. */
    public boolean isDown(String name) {
        Duration now = Duration.ofMillis(nowMillis - SimulatedTime.epochMillis(0));
        return outages.stream().anyMatch(outage -> outage.name().equals(name)
                && now.compareTo(outage.from()) >= 0 && now.compareTo(outage.to()) < 0);
    }

    /**
     * Kills a worker at a time, with what it has not committed. Another takes over after ten seconds. A handler that
     * throws {@link WorkerDeath} kills the worker that calls it.
     *
     * @param worker number of the worker, 0 or more
     */
    public VirtualQueue kill(Duration time, int worker) {
        kills.add(new HandlerSimulation.Kill(time.toMillis(), worker));
        return this;
    }

    /**
     * Runs until every item is done, dropped or a dead letter, or the limit is reached. Does not close the handler.
     *
     * @throws InvalidSettingException if a setting is unknown or its value is not allowed
     */
    public VirtualRun run(Handler handler) {
        SettingsBinder binder = new SettingsBinder(settings);
        WorkerSettings worker = binder.bind(WorkerSettings.class);
        TopicSettings topics = binder.bind(TopicSettings.class);
        binder.unused().forEach(key -> {
            throw new InvalidSettingException(key, settings.get(key), "unknown to a virtual queue");
        });
        ShardSettings shards = new SettingsBinder(Map.of()).bind(ShardSettings.class);
        SimulatedCluster cluster = new SimulatedCluster(
                Collections.nCopies(workers, new SimulatedWorker(worker.dispatch(), 1)), topics.partitions(),
                shards.seed(), shards.stuckAfter().toMillis(), SimulatedCluster.USUAL_COMMIT_MILLIS,
                SimulatedCluster.USUAL_RESTART_MILLIS, worker.killerDeaths(),
                ProtectionSettings.DEFAULT);
        HandlerCalls calls = new HandlerCalls(handler, worker.leaseMax());
        List<HandlerSimulation.End> ends = HandlerSimulation.run(
                cluster, this::policyOf, arrivals, kills, calls, limit.toMillis(), seed);
        List<ItemResult> results = new ArrayList<>();
        for (int i = 0; i < ends.size(); i++) {
            results.add(result(sent.get(i), ends.get(i)));
        }
        return new VirtualRun(results);
    }

    private TenantPolicy policyOf(String tenant) {
        return TenantPolicy.of(own(tenant).over(own(ViewContent.ALL_TENANTS)));
    }

    private PolicySettings own(String tenant) {
        return policies.getOrDefault(tenant, PolicySettings.NONE_SET);
    }

    private static ItemResult result(Delivery item, HandlerSimulation.End end) {
        ItemResult.State state = switch (end.state()) {
            case DONE -> ItemResult.State.DONE;
            case DEAD_LETTER -> ItemResult.State.DEAD;
            case DROPPED -> ItemResult.State.DROPPED;
            default -> ItemResult.State.WAITING;
        };
        return new ItemResult(item.tenant(), item.id(), state, end.attempts(), age(end.firstAttemptMillis()),
                age(end.endMillis()), end.reason(), end.detail());
    }

    private static Optional<Duration> age(long millis) {
        return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }

    /** Calls of one handler at the times of the run. */
    private final class HandlerCalls implements HandlerSimulation.Calls {
        private final Handler handler;
        private final Duration leaseMax;

        HandlerCalls(Handler handler, Duration leaseMax) {
            this.handler = Objects.requireNonNull(handler, "handler");
            this.leaseMax = leaseMax;
        }

        @Override
        public HandlerSimulation.Call attempt(
                int item, int attempt, ItemState lane, long timeoutMillis, long atMillis) {
            nowMillis = atMillis;
            VirtualLease lease = new VirtualLease(
                    Instant.ofEpochMilli(atMillis), Duration.ofMillis(timeoutMillis), leaseMax);
            Delivery delivery = items.get(item)
                    .enqueuedAt(Instant.ofEpochMilli(SimulatedTime.epochMillis(0) + arrivals.get(item).atMillis()))
                    .attempt(attempt).lane(lane.label()).lease(lease).build();
            String destination = "";
            Outcome result;
            boolean kills = false;
            try {
                destination = handler.destination(delivery);
                result = AttemptRules.ofHandler(handler.handle(delivery));
            } catch (WorkerDeath e) {
                kills = true;
                result = new Outcome.Interrupted();
            } catch (Exception | StackOverflowError e) {
                result = Outcome.retry(String.valueOf(e));
            }
            long tookMillis = handlingTime.apply(delivery).toMillis();
            long leaseMillis = lease.endsAt().toEpochMilli() - atMillis;
            return tookMillis > leaseMillis && !kills
                    ? new HandlerSimulation.Call(
                            leaseMillis, new Outcome.TimedOut(Duration.ofMillis(leaseMillis)), destination, false)
                    : new HandlerSimulation.Call(tookMillis, result, destination, kills);
        }
    }
}
