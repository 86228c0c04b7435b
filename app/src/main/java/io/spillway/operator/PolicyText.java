package io.spillway.operator;

import io.spillway.core.policy.PolicySettings;
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
}
