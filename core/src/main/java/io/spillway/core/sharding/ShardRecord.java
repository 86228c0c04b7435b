package io.spillway.core.sharding;

/** What the book says of a stored assignment that it takes in. */
public sealed interface ShardRecord {
    /** It keeps the bounds with all that was taken in before. */
    record Kept() implements ShardRecord {}

    /**
     * It is taken in as it is stored, but shares more slots with others than it may; {@link ShardRegistry#conflicts} names the
     * pairs when all is read.
     */
    record Conflicting() implements ShardRecord {}

    /**
     * It cannot be an assignment of this book, and is not taken in: the tenant has none.
     *
     * @param detail for a person, not null
     */
    record Unfit(String detail) implements ShardRecord {}
}
