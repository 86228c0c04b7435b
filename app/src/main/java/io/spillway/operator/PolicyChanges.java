package io.spillway.operator;

import io.spillway.config.Configuration;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.policy.WorkloadPolicy;
import io.spillway.kafka.advice.SuggestedCommands;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.ShardRequest;
import io.spillway.kafka.view.TenantPolicies;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Changes of one action to the policies topic. If two change a tenant at the same time, the last one wins. */
record PolicyChanges(CompactedStore store, Configuration configuration, boolean dryRun) {
    ActionResult pause(OperatorAction.Pause action) {
        TenantPolicies policies = policies();
        PolicySettings settings = changed(policies, action);
        boolean isPaused = isPaused(policies, action, settings);
        Optional<RecordMetadata> stored = settings.equals(PolicySettings.NONE_SET)
                ? remove(action.tenant()) : write(action.tenant(), settings);
        String tenant = action.tenant();
        Map<String, Object> json = new LinkedHashMap<>(Map.of("tenant", tenant, "paused", isPaused));
        action.workload().ifPresent(workload -> json.put("workload", workload));
        String name = tenant + action.workload().map(workload -> " workload " + workload).orElse("");
        String arguments = SuggestedCommands.quoted(tenant) + action.workload()
                .map(workload -> " --workload " + SuggestedCommands.quoted(workload)).orElse("");
        return result(name + (action.pause() ? " is paused. To undo it: spillway tenants resume " + arguments
                : isPaused ? " is still paused, by its tenant or by the settings of all tenants. See: spillway tenants "
                        + "get " + SuggestedCommands.quoted(tenant)
                : " is not paused."), json, stored);
    }

    private static PolicySettings changed(TenantPolicies policies, OperatorAction.Pause action) {
        String tenant = action.tenant();
        PolicySettings before = policies.own(tenant);
        if (action.workload().isPresent()) {
            String workload = action.workload().get();
            WorkloadPolicy limits = before.workloads().getOrDefault(workload, WorkloadPolicy.DEFAULT);
            try {
                return before.withWorkload(workload, limits.with(PolicyField.PAUSED, action.pause()));
            } catch (IllegalArgumentException e) {
                throw OperatorException.conflict(tenant + ": " + e.getMessage() + ". Resume another, or pause the "
                        + "tenant: spillway tenants pause " + SuggestedCommands.quoted(tenant));
            }
        }
        PolicySettings unset = before.without(PolicyField.PAUSED);
        return isPaused(policies, action, unset) == action.pause() ? unset
                : unset.with(PolicyField.PAUSED, Boolean.toString(action.pause()));
    }

    /** Returns whether it is paused with these settings of the tenant. */
    private static boolean isPaused(TenantPolicies policies, OperatorAction.Pause action, PolicySettings settings) {
        policies.put(action.tenant(), TenantPolicies.encode(action.tenant(), settings));
        TenantPolicy policy = policies.of(action.tenant());
        return action.workload().map(policy::isPaused).orElseGet(policy::paused);
    }

    ActionResult isolate(OperatorAction.Isolate action) {
        String tenant = action.tenant();
        TenantPolicies policies = policies();
        PolicySettings settings =
                policies.own(tenant).with(PolicyField.DEDICATED, Integer.toString(action.partitions()));
        Map<String, byte[]> change = Map.of(tenant, TenantPolicies.encode(tenant, settings));
        List<Integer> own = DedicationCheck.planned(configuration, policies, change).dedication().of(tenant);
        Optional<RecordMetadata> stored = write(tenant, settings);
        return result(
                tenant + " has the dedicated partitions " + own + ". To undo it: spillway tenants release "
                        + SuggestedCommands.quoted(tenant),
                Map.of("tenant", tenant, "dedicated", action.partitions(), "partitions", own), stored);
    }

    ActionResult release(OperatorAction.Release action) {
        String tenant = action.tenant();
        if (action.shard() && !names().assignsShards()) {
            throw new OperatorException(
                    "--shard: needs shards.overlap, because without it no shards are assigned");
        }
        PolicySettings settings = policies().own(tenant);
        boolean isIsolated = settings.get(PolicyField.DEDICATED).filter(count -> (Long) count > 0).isPresent();
        if (!isIsolated && !action.shard()) {
            throw OperatorException.conflict(
                    tenant + " has no dedicated partitions. See: spillway explain --tenant "
                            + SuggestedCommands.quoted(tenant));
        }
        PolicySettings rest = settings.without(PolicyField.DEDICATED);
        Optional<RecordMetadata> stored = !isIsolated ? Optional.empty()
                : rest.equals(PolicySettings.NONE_SET) ? remove(tenant) : write(tenant, rest);
        if (action.shard() && !dryRun) {
            store.write(names().shardRequests(), tenant, ShardRequest.RELEASE.encode());
        }
        return result(tenant + (isIsolated ? " uses its shard again." : ": its shard is released."),
                Map.of("tenant", tenant, "released", isIsolated, "shardReleased", action.shard()), stored);
    }

    ActionResult set(OperatorAction.SetPolicy action) {
        PolicySettings settings = changed(policies().own(action.tenant()), action);
        Optional<RecordMetadata> stored = write(action.tenant(), settings);
        return result(action.tenant() + ": " + settings.inOneLine(),
                Map.of("tenant", action.tenant(), "set", settings.json()), stored);
    }

    private static PolicySettings changed(PolicySettings before, OperatorAction.SetPolicy action) {
        if (action.workload().isPresent()) {
            String workload = action.workload().get();
            WorkloadPolicy limits = before.workloads().getOrDefault(workload, WorkloadPolicy.DEFAULT);
            for (Map.Entry<PolicyField, String> change : action.values().entrySet()) {
                limits = limits.with(
                        change.getKey(), OperatorAction.SetPolicy.parsed(change.getKey(), change.getValue()));
            }
            try {
                return before.withWorkload(workload, limits);
            } catch (IllegalArgumentException e) {
                String tenant = action.tenant();
                throw OperatorException.conflict(tenant + ": " + e.getMessage() + ". Remove the limits of another: "
                        + "spillway tenants set " + SuggestedCommands.quoted(tenant)
                        + " --workload W --weight default --concurrency default");
            }
        }
        PolicySettings settings = before;
        for (Map.Entry<PolicyField, String> change : action.values().entrySet()) {
            settings = change.getValue().equals(OperatorAction.SetPolicy.DEFAULT) ? settings.without(change.getKey())
                    : settings.with(change.getKey(), change.getValue());
        }
        return settings;
    }

    private TenantPolicies policies() {
        return store.read(names().policies(), new TenantPolicies(configuration.defaults()));
    }

    private Optional<RecordMetadata> write(String tenant, PolicySettings settings) {
        return dryRun ? Optional.empty()
                : Optional.of(store.write(names().policies(), tenant, TenantPolicies.encode(tenant, settings)));
    }

    private Optional<RecordMetadata> remove(String tenant) {
        return dryRun ? Optional.empty() : Optional.of(store.write(names().policies(), tenant, null));
    }

    private Topics names() {
        return new Topics(configuration.queue());
    }

    private ActionResult result(String sentence, Map<String, Object> json, Optional<RecordMetadata> stored) {
        return new ActionResult((dryRun ? "Nothing is changed. It would be: " : "") + sentence, json, List.of(),
                stored);
    }
}
