package io.spillway.core.sharding;

/** Result of restoring a stored assignment. */
public sealed interface ShardRecord {
    /** It is restored and keeps the bound with all assignments restored before. */
    record Kept() implements ShardRecord {}

    /**
     * It is restored, but shares more slots with others than allowed. {@link ShardRegistry#conflicts} lists the pairs
     * after all records are restored.
     */
    record Conflicting() implements ShardRecord {}

    /**
     * It is not valid in this registry and is not restored, for a cause that people read: the tenant has no assignment.
     */
    record Unfit(String detail) implements ShardRecord {}
}
