package io.spillway.operator;

import io.spillway.config.Configuration;
import io.spillway.core.item.PoolName;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.Subscription;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.kafka.advice.SuggestedCommands;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ShardRequest;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.operator.OperatorAction.SetPolicy;
import io.spillway.operator.OperatorAction.SetPolicy.Command;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Changes of one action to the policies topic. If two change a tenant at the same time, the last one wins. */
record PolicyChanges(CompactedStore store, Configuration configuration, boolean dryRun) {
    ActionResult set(SetPolicy action) {
        String tenant = action.tenant();
        TenantPolicies policies = policies();
        if (action.command() == Command.RELEASE && !policies.dedicated().containsKey(tenant)) {
            throw OperatorException.conflict(tenant + " has no dedicated partitions. See: spillway explain --tenant "
                    + SuggestedCommands.quoted(tenant));
        }
        requireDestination(policies, action.values());
        PolicySettings settings = changed(policies, action);
        byte[] value = settings.equals(PolicySettings.NONE_SET) ? null : TenantPolicies.encode(tenant, settings);
        List<Integer> own = action.values().containsKey(PolicyField.DEDICATED)
                ? DedicationCheck.planned(configuration, policies, Collections.singletonMap(tenant, value))
                        .dedication().of(tenant)
                : List.of();
        boolean isPaused = action.values().containsKey(PolicyField.PAUSED) && isPaused(policies, action, settings);
        Map<String, Object> json = new LinkedHashMap<>(Map.of("tenant", tenant));
        action.workload().ifPresent(workload -> json.put("workload", workload));
        json.putAll(switch (action.command()) {
            case SET -> Map.of("set", settings.json());
            case PAUSE, RESUME -> Map.of("paused", isPaused);
            case ISOLATE -> Map.of("dedicated", own.size(), "partitions", own, "pool", pool(settings));
            case RELEASE -> Map.of("released", true);
        });
        return ActionResult.of(dryRun, sentence(action, settings, own, isPaused), json,
                write(names().policies(), tenant, value));
    }

    private static String sentence(
            SetPolicy action, PolicySettings settings, List<Integer> own, boolean isPaused) {
        String tenant = action.tenant();
        String quoted = SuggestedCommands.quoted(tenant);
        String name = tenant + action.workload().map(" workload "::concat).orElse("");
        return switch (action.command()) {
            case SET -> (TenantPolicies.isDestination(tenant) ? "Destination " + TenantPolicies.nameOf(tenant) : tenant)
                    + ": " + settings.inOneLine();
            case PAUSE -> name + " is paused. To undo it: spillway tenants resume " + quoted + action.workload()
                    .map(workload -> " --workload " + SuggestedCommands.quoted(workload)).orElse("");
            case RESUME -> name + (isPaused
                    ? " is still paused, by its tenant or by the settings of all tenants. See: spillway tenants get "
                            + quoted
                    : " is not paused.");
            case ISOLATE -> tenant + " has the dedicated partitions " + own + handledBy(pool(settings))
                    + ". To undo it: spillway tenants release " + quoted;
            case RELEASE -> tenant + " uses its shard again.";
        };
    }

    /** A name without settings would be a limit that nothing keeps. */
    private static void requireDestination(TenantPolicies policies, Map<PolicyField, String> values) {
        Optional.ofNullable(values.get(PolicyField.DESTINATION))
                .filter(name -> !name.equals(SetPolicy.DEFAULT) && PolicyField.DESTINATION.parse(name) instanceof String
                        && !policies.destinations().containsKey(name))
                .ifPresent(name -> {
                    throw OperatorException.conflict("There is no destination " + name
                            + ". Set it first, for example: spillway destinations set " + name + " --attempt-rate 100");
                });
    }

    private static String pool(PolicySettings settings) {
        return (String) settings.get(PolicyField.POOL).orElse(PoolName.SHARED);
    }

    private static String handledBy(String pool) {
        return pool.equals(PoolName.SHARED) ? ""
                : ", which only workers with worker.pool = " + pool + " handle";
    }

    private static PolicySettings changed(TenantPolicies policies, SetPolicy action) {
        String tenant = action.tenant();
        PolicySettings settings = policies.own(tenant);
        if (action.workload().isPresent()) {
            String workload = action.workload().get();
            boolean isSet = action.command() == Command.SET;
            WorkloadPolicy below = inForce(policies, tenant, settings.withoutWorkload(workload)).workload(workload);
            WorkloadPolicy limits = settings.workloads().getOrDefault(workload, isSet ? WorkloadPolicy.DEFAULT : below);
            for (Map.Entry<PolicyField, String> change : action.values().entrySet()) {
                limits = limits.with(
                        change.getKey(), SetPolicy.parsed(change.getKey(), change.getValue()));
            }
            boolean isUnset = isSet ? limits.equals(WorkloadPolicy.DEFAULT)
                            && action.values().values().stream().allMatch(SetPolicy.DEFAULT::equals)
                    : action.command() == Command.RESUME && limits.equals(below);
            try {
                return isUnset ? settings.withoutWorkload(workload) : settings.withWorkload(workload, limits);
            } catch (IllegalArgumentException e) {
                throw OperatorException.conflict(tenant + ": " + e.getMessage() + ". Remove the limits of another: "
                        + "spillway tenants set " + SuggestedCommands.quoted(tenant)
                        + " --workload W --weight default --concurrency default --attempt-rate default"
                        + " --paused default");
            }
        }
        for (Map.Entry<PolicyField, String> change : action.values().entrySet()) {
            PolicySettings unset = settings.without(change.getKey());
            boolean isUnset = switch (action.command()) {
                // Another pause may end before this one does.
                case PAUSE -> false;
                case RESUME -> !isPaused(policies, action, unset);
                default -> change.getValue().equals(SetPolicy.DEFAULT);
            };
            settings = isUnset ? unset : settings.with(change.getKey(), change.getValue());
        }
        return settings;
    }

    /** Returns whether it is paused with these settings of the tenant. */
    private static boolean isPaused(
            TenantPolicies policies, SetPolicy action, PolicySettings settings) {
        TenantPolicy policy = inForce(policies, action.tenant(), settings);
        return action.workload().map(policy::isPaused).orElseGet(policy::paused);
    }

    private static TenantPolicy inForce(TenantPolicies policies, String tenant, PolicySettings settings) {
        policies.put(tenant, TenantPolicies.encode(tenant, settings));
        return policies.of(tenant);
    }

    ActionResult releaseShard(OperatorAction.ReleaseShard action) {
        String tenant = action.tenant();
        if (!names().assignsShards()) {
            throw new OperatorException(
                    "--shard: needs shards.overlap, because without it no shards are assigned");
        }
        ActionResult released = policies().dedicated().containsKey(tenant)
                ? set(SetPolicy.release(tenant))
                : ActionResult.of(
                        dryRun, tenant + ": its shard is released.", Map.of("tenant", tenant), Optional.empty());
        write(names().shardRequests(), tenant, ShardRequest.RELEASE.encode());
        return released;
    }

    ActionResult subscribe(SubscriptionAction.Set action) {
        String tenant = action.tenant();
        TenantPolicies policies = policies();
        requireDestination(policies, action.values());
        Optional<Subscription> present = policies.subscription(tenant, action.name());
        PolicySettings settings = present.map(Subscription::settings).orElse(PolicySettings.NONE_SET);
        for (Map.Entry<PolicyField, String> change : action.values().entrySet()) {
            settings = change.getValue().equals(SetPolicy.DEFAULT) ? settings.without(change.getKey())
                    : settings.with(change.getKey(), change.getValue());
        }
        Subscription subscription;
        try {
            subscription = new Subscription(action.name(), action.workloads()
                    .or(() -> present.map(Subscription::pattern)).orElse(Subscription.ANY), settings);
        } catch (IllegalArgumentException e) {
            throw new OperatorException(e.getMessage());
        }
        return ActionResult.of(dryRun, tenant + ": the subscription " + subscription.name() + " gets the items of "
                        + (subscription.pattern().equals(Subscription.ANY) ? "all workloads" : subscription.pattern())
                        + (settings.values().isEmpty() ? "." : ": " + settings.inOneLine()),
                Map.of("tenant", tenant, "name", subscription.name(), "workloads", subscription.pattern(),
                        "set", settings.json()),
                write(names().policies(), TenantPolicies.key(tenant, subscription.name()),
                        TenantPolicies.encode(tenant, subscription)));
    }

    ActionResult unsubscribe(SubscriptionAction.Remove action) {
        String tenant = action.tenant();
        Subscription present = policies().subscription(tenant, action.name()).orElseThrow(() ->
                OperatorException.conflict(tenant + " has no subscription " + action.name()
                        + ". See: spillway subscriptions list " + SuggestedCommands.quoted(tenant)));
        return ActionResult.of(dryRun, tenant + ": the subscription " + present.name() + " is removed. What waits for "
                        + "it is delivered; to drop that: spillway cancel --tenant " + SuggestedCommands.quoted(tenant)
                        + " --workload " + SuggestedCommands.quoted(present.workload()),
                Map.of("tenant", tenant, "name", present.name(), "removed", true),
                write(names().policies(), TenantPolicies.key(tenant, present.name()), null));
    }

    private TenantPolicies policies() {
        return store.read(names().policies(), new TenantPolicies(configuration.defaults()));
    }

    private Optional<RecordMetadata> write(String topic, String key, byte[] value) {
        return dryRun ? Optional.empty() : Optional.of(store.write(topic, key, value));
    }

    private Topics names() {
        return new Topics(configuration.queue());
    }
}
