package io.spillway.guarantee;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Runs a share of the classes with tests of the tag {@code long}: with {@code -Dspillway.test.share=1/2} every second
 * one, and the others with {@code 0/2}. CI takes turns by the day. Without the property all run.
 */
public final class LongTestShare implements ExecutionCondition {
    private static final String PROPERTY = "spillway.test.share";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        boolean isOthers = context.getTags().contains("long") && context.getTestClass()
                .filter(type -> !isIn(System.getProperty(PROPERTY, ""), type.getName())).isPresent();
        return isOthers
                ? ConditionEvaluationResult.disabled("not in the share " + System.getProperty(PROPERTY))
                : ConditionEvaluationResult.enabled("in the share");
    }

    /** @param share which and of how many, such as 1/2; empty for all */
    static boolean isIn(String share, String name) {
        String[] parts = share.split("/", -1);
        return share.isEmpty()
                || Math.floorMod(name.hashCode(), Integer.parseInt(parts[1])) == Integer.parseInt(parts[0]);
    }
}
