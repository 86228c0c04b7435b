package io.spillway.operator;

import io.spillway.core.policy.PolicyField;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Change of a subscription that an operator asks for. Throws as {@link OperatorAction} does. */
public sealed interface SubscriptionAction extends OperatorAction {
    /**
     * New subscription of a tenant, or change of one.
     *
     * @param workloads pattern of the workloads whose items it gets; empty for the present one, or all
     * @param values    text of each setting, or {@value OperatorAction.SetPolicy#DEFAULT} to remove it
     */
    record Set(String tenant, String name, Optional<String> workloads, Map<PolicyField, String> values)
            implements SubscriptionAction {
        public Set {
            Inputs.requireName("tenant", tenant);
            Inputs.requireName("name", name);
            values.forEach(OperatorAction.SetPolicy::check);
            values = values.isEmpty() ? Map.of() : Collections.unmodifiableMap(new EnumMap<>(values));
        }

        @Override
        public String label() {
            return "subscribe";
        }

        @Override
        public Map<String, Object> options() {
            Map<String, Object> options = new LinkedHashMap<>(Map.of("name", name));
            workloads.ifPresent(pattern -> options.put("workloads", pattern));
            values.forEach((field, text) -> options.put(field.key(), text));
            return options;
        }
    }

    /** End of a subscription of a tenant. */
    record Remove(String tenant, String name) implements SubscriptionAction {
        public Remove {
            Inputs.requireName("tenant", tenant);
            Inputs.requireName("name", name);
        }

        @Override
        public String label() {
            return "unsubscribe";
        }

        @Override
        public Map<String, Object> options() {
            return Map.of("name", name);
        }
    }
}
