package io.spillway.operator;

import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.ViewContent;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Policy settings as text, in the form in which they are set. */
public final class PolicyText {
    private PolicyText() {}

    /** Returns the settings as {@code key=value}, separated by spaces. */
    public static String inOneLine(PolicySettings settings) {
        Stream<String> fields = settings.values().entrySet().stream()
                .map(each -> each.getKey().key() + "=" + each.getKey().format(each.getValue()));
        Stream<String> workloads = settings.workloads().entrySet().stream()
                .map(each -> "workload " + each.getKey() + ": " + each.getValue().format());
        String text = Stream.concat(fields, workloads).collect(Collectors.joining(" "));
        return text.isEmpty() ? "nothing set" : text;
    }

    /** Returns a row for each field of the policy in force, and each workload: key, value and where it is set. */
    public static Stream<List<String>> rows(String tenant, TenantPolicies policies, PolicySettings configured) {
        PolicySettings own = policies.own(tenant);
        PolicySettings shared = policies.own(ViewContent.ALL_TENANTS);
        PolicySettings inForce = policies.inForce(tenant);
        Stream<List<String>> workloads = inForce.workloads().entrySet().stream().map(each -> List.of(
                "workload " + each.getKey(), each.getValue().format(),
                "set for " + (own.workloads().containsKey(each.getKey()) ? tenant : ViewContent.ALL_TENANTS)));
        Stream<List<String>> fields = inForce.values().entrySet().stream().map(each -> List.of(
                each.getKey().key(), each.getKey().format(each.getValue()),
                own.get(each.getKey()).isPresent() ? "set for " + tenant
                        : shared.get(each.getKey()).isPresent() ? "set for *"
                        : configured.get(each.getKey()).isPresent() ? "configuration" : "default"));
        return Stream.concat(fields, workloads);
    }
}
