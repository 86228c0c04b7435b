package io.spillway.operator;

import io.spillway.config.DocumentMap;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.routing.Sweep;
import io.spillway.core.settings.Durations;
import io.spillway.core.text.Printable;
import io.spillway.kafka.view.StoredKey;
import io.spillway.kafka.view.SweepTarget;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Change that an operator asks for. Each constructor throws {@link OperatorException} for a value that is never
 * allowed, and names the option of the command.
 */
public sealed interface OperatorAction
        permits OperatorAction.SetPolicy, OperatorAction.ReleaseShard, OperatorAction.CreateKey,
                OperatorAction.RevokeKeys, OperatorAction.Cancel, OperatorAction.RecordSweep, SubscriptionAction {
    /** Returns the name of the action, which is that of its command. */
    String label();

    /** Returns the tenant, or {@code *}. */
    String tenant();

    /** Returns the other options of the command, in camel case, with their values. */
    Map<String, Object> options();

    /** Returns the action that a request asks for; a sweep that is given no id gets the new one. */
    static OperatorAction read(DocumentMap request, long nowMillis, String newId) {
        String action = request.required("action");
        String tenant = request.required("tenant");
        return switch (action) {
            case "pause", "resume" -> SetPolicy.pause(tenant, request.text("workload"), action.equals("pause"));
            case "isolate" -> SetPolicy.isolate(
                    tenant, request.whole("partitions", 1, Integer.MAX_VALUE).orElse(1L).intValue(),
                    request.text("pool"), request.flag("moveBacklog"));
            case "release" -> request.flag("shard") ? new ReleaseShard(tenant) : SetPolicy.release(tenant);
            case "set" -> SetPolicy.set(
                    tenant, request.text("workload"), settings(request, List.of(PolicyField.values())));
            case "subscribe" -> new SubscriptionAction.Set(tenant, request.required("name"), request.text("workloads"),
                    settings(request, PolicyField.OF_SUBSCRIPTIONS));
            case "unsubscribe" -> new SubscriptionAction.Remove(tenant, request.required("name"));
            case "cancel" -> Cancel.of(
                    tenant, request.text("workload"), request.text("id"), request.text("before"), nowMillis);
            case "sweep" -> RecordSweep.of(
                    tenant, request.text("workload"), request.required("startedAt"), request.text("completedAt"),
                    request.text("id").orElse(newId), nowMillis);
            case "create-key" -> CreateKey.of(tenant, request.text("expiresIn"));
            case "revoke-keys" -> new RevokeKeys(tenant, request.text("keyId").stream().toList());
            default -> throw request.wrong("action",
                    "must be pause, resume, isolate, release, set, subscribe, unsubscribe, cancel, sweep, create-key or "
                            + "revoke-keys");
        };
    }

    private static Map<PolicyField, String> settings(DocumentMap request, List<PolicyField> fields) {
        Map<PolicyField, String> settings = new EnumMap<>(PolicyField.class);
        fields.forEach(field -> request.text(field.key()).ifPresent(text -> settings.put(field, text)));
        return settings;
    }

    /**
     * Change of settings of a tenant, of a workload of it, of {@code *}, or of a destination.
     *
     * @param tenant  may be the {@link io.spillway.kafka.view.TenantPolicies#destinationKey} of a destination
     * @param command command that asks for it
     * @param values  text of each setting, or {@value #DEFAULT} to remove it; one or more
     */
    record SetPolicy(Command command, String tenant, Optional<String> workload, Map<PolicyField, String> values)
            implements OperatorAction {
        static final String DEFAULT = "default";

        enum Command {
            SET,
            PAUSE,
            RESUME,
            ISOLATE,
            RELEASE
        }

        public SetPolicy {
            Inputs.requireOwnerOf(values.keySet(), tenant);
            values.forEach(SetPolicy::check);
            if (values.isEmpty()) {
                throw new OperatorException(
                        "There is nothing to set. Give at least one of --" + String.join(", --", PolicyField.flags()));
            }
            values = Collections.unmodifiableMap(new EnumMap<>(values));
            if (workload.isPresent()) {
                Inputs.requireNameOrAll("tenant", tenant);
                Inputs.requireName("--workload", workload.get());
                List<PolicyField> allowed = PolicyField.OF_WORKLOADS;
                values.keySet().stream().filter(field -> !allowed.contains(field)).findFirst().ifPresent(field -> {
                    throw new OperatorException("--" + field.flag() + ": cannot be used with --workload, which has only"
                            + " --weight, --concurrency, --attempt-rate and --paused");
                });
            }
        }

        /** Returns a change of any settings. */
        public static SetPolicy set(String tenant, Optional<String> workload, Map<PolicyField, String> values) {
            return new SetPolicy(Command.SET, tenant, workload, values);
        }

        /** Returns the pause of a tenant or of one of its workloads, or its end. */
        public static SetPolicy pause(String tenant, Optional<String> workload, boolean pause) {
            Inputs.requireNameOrAll("tenant", tenant);
            return new SetPolicy(pause ? Command.PAUSE : Command.RESUME, tenant, workload,
                    Map.of(PolicyField.PAUSED, Boolean.toString(pause)));
        }

        /**
         * Returns the dedication of partitions to a tenant.
         *
         * @param pool         pool of the workers that handle them; empty for the shared one
         * @param movesBacklog whether what waits elsewhere moves there
         */
        public static SetPolicy isolate(
                String tenant, int partitions, Optional<String> pool, boolean movesBacklog) {
            Inputs.requireOneTenant(tenant);
            if (partitions < 1 || !PolicyField.DEDICATED.isValid((long) partitions)) {
                throw new OperatorException("--partitions " + partitions + ": must be "
                        + (partitions < 1 ? "1 or more" : PolicyField.DEDICATED.allowed()));
            }
            return new SetPolicy(Command.ISOLATE, tenant, Optional.empty(), Map.of(
                    PolicyField.DEDICATED, Integer.toString(partitions),
                    PolicyField.POOL, pool.orElse(DEFAULT),
                    PolicyField.MOVE_BACKLOG, movesBacklog ? Boolean.toString(true) : DEFAULT));
        }

        /** Returns the end of the isolation of a tenant. */
        public static SetPolicy release(String tenant) {
            Inputs.requireOneTenant(tenant);
            return new SetPolicy(Command.RELEASE, tenant, Optional.empty(), Map.of(
                    PolicyField.DEDICATED, DEFAULT, PolicyField.POOL, DEFAULT, PolicyField.MOVE_BACKLOG, DEFAULT));
        }

        static void check(PolicyField field, String text) {
            try {
                if (!text.equals(DEFAULT)) {
                    field.parse(text);
                }
            } catch (IllegalArgumentException e) {
                throw new OperatorException("--" + field.flag() + ": " + e.getMessage() + ", or default");
            }
        }

        /** Returns the value that is stored for a workload. */
        static Object parsed(PolicyField field, String text) {
            return text.equals(DEFAULT) ? PolicySettings.DEFAULTS.get(field).orElseThrow() : field.parse(text);
        }

        @Override
        public String label() {
            return command.name().toLowerCase(Locale.ROOT);
        }

        @Override
        public Map<String, Object> options() {
            Map<String, Object> options = new LinkedHashMap<>();
            workload.ifPresent(name -> options.put("workload", name));
            if (command == Command.SET) {
                values.forEach((field, text) -> options.put(field.key(), text));
            } else if (command == Command.ISOLATE) {
                options.put("partitions", Integer.valueOf(values.get(PolicyField.DEDICATED)));
                Stream.of(PolicyField.POOL, PolicyField.MOVE_BACKLOG)
                        .filter(field -> !values.get(field).equals(DEFAULT))
                        .forEach(field -> options.put(field.key(), values.get(field)));
            }
            return options;
        }
    }

    /** Release of the assigned shard of a tenant, and of its dedicated partitions if it has some. */
    record ReleaseShard(String tenant) implements OperatorAction {
        public ReleaseShard {
            Inputs.requireOneTenant(tenant);
        }

        @Override
        public String label() {
            return "release";
        }

        @Override
        public Map<String, Object> options() {
            return Map.of("shard", true);
        }
    }

    /**
     * New API key.
     *
     * @param tenant         tenant, or tenants of a service, as in {@link StoredKey}
     * @param lifetimeMillis time until it ends; 0 for never
     */
    record CreateKey(String tenant, long lifetimeMillis) implements OperatorAction {
        private static final long MOST_MILLIS = TimeUnit.DAYS.toMillis(3_650);

        public CreateKey {
            Inputs.requireTenants("tenant", tenant);
        }

        /** Creates the action with a lifetime such as {@code 90d}; empty for never. */
        public static CreateKey of(String tenant, Optional<String> expiresIn) {
            return new CreateKey(tenant, expiresIn
                    .map(text -> Inputs.durationMillis("--expires-in", text, MOST_MILLIS)).orElse(0L));
        }

        @Override
        public String label() {
            return "key create";
        }

        @Override
        public Map<String, Object> options() {
            return lifetimeMillis == 0 ? Map.of() : Map.of("expiresIn", Durations.format(lifetimeMillis));
        }
    }

    /**
     * End of API keys.
     *
     * @param keyIds ids; empty for all of the tenant or service
     */
    record RevokeKeys(String tenant, List<String> keyIds) implements OperatorAction {
        public RevokeKeys {
            Inputs.requireTenants("tenant", tenant);
            keyIds = keyIds.stream().distinct().toList();
        }

        @Override
        public String label() {
            return "key revoke";
        }

        @Override
        public Map<String, Object> options() {
            return Map.of();
        }
    }

    /**
     * Drop of waiting items.
     *
     * @param beforeMillis time before which they entered, epoch milliseconds
     */
    record Cancel(SweepTarget target, long beforeMillis) implements OperatorAction {
        /**
         * Creates a cancel.
         *
         * @param before point in time as text, or empty for now
         */
        public static Cancel of(
                String tenant, Optional<String> workload, Optional<String> id, Optional<String> before,
                long nowMillis) {
            Inputs.requireName("--tenant", tenant);
            SweepTarget target = Marks.target(true, tenant, workload, id);
            long beforeMillis = before.map(time -> Inputs.millisOf("--before", time, nowMillis)).orElse(nowMillis);
            if (beforeMillis > nowMillis) {
                throw new OperatorException(
                        "--before " + Printable.of(before.orElse("")) + ": must not be in the future");
            }
            return new Cancel(target, beforeMillis);
        }

        @Override
        public String label() {
            return "cancel";
        }

        @Override
        public String tenant() {
            return target.tenant();
        }

        @Override
        public Map<String, Object> options() {
            Map<String, Object> options = new LinkedHashMap<>(Marks.options(target));
            options.put("before", Inputs.iso(beforeMillis));
            return options;
        }
    }

    /** Record of a completed anti-entropy sweep. */
    record RecordSweep(SweepTarget target, String sweepId, Sweep times) implements OperatorAction {
        /**
         * Creates the record of a sweep.
         *
         * @param completedAt point in time as text, or empty for now
         */
        public static RecordSweep of(
                String tenant, Optional<String> workload, String startedAt, Optional<String> completedAt,
                String sweepId, long nowMillis) {
            Inputs.requireNameOrAll("--tenant", tenant);
            SweepTarget target = Marks.target(false, tenant, workload, Optional.empty());
            Sweep times = times(startedAt, completedAt, nowMillis);
            Inputs.requireId("--id", sweepId);
            return new RecordSweep(target, sweepId, times);
        }

        private static Sweep times(String startedAt, Optional<String> completedAt, long nowMillis) {
            long startedAtMillis = Inputs.millisOf("--started-at", startedAt, nowMillis);
            long completedAtMillis =
                    completedAt.map(time -> Inputs.millisOf("--completed-at", time, nowMillis)).orElse(nowMillis);
            String completed = "--completed-at " + Printable.of(completedAt.orElse("now"));
            if (startedAtMillis > nowMillis) {
                throw new OperatorException(
                        "--started-at " + Printable.of(startedAt) + ": must not be in the future");
            }
            if (completedAtMillis > nowMillis) {
                throw new OperatorException(
                        completed + ": must not be in the future. Record a sweep after it has completed.");
            }
            if (completedAtMillis < startedAtMillis) {
                throw new OperatorException(
                        completed + ": must not be before --started-at " + Printable.of(startedAt));
            }
            return new Sweep(startedAtMillis, completedAtMillis);
        }

        @Override
        public String label() {
            return "sweep";
        }

        @Override
        public String tenant() {
            return target.tenant();
        }

        @Override
        public Map<String, Object> options() {
            Map<String, Object> options = new LinkedHashMap<>(Marks.options(target));
            options.put("id", sweepId);
            options.put("startedAt", Inputs.iso(times.startedAtMillis()));
            options.put("completedAt", Inputs.iso(times.completedAtMillis()));
            return options;
        }
    }
}
