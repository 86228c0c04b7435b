package io.spillway.core.sharding;

/** What the book says when a tenant wants a shard. */
public sealed interface ShardResult {
    /** What the search for it took. */
    Effort effort();

    /**
     * The tenant has this shard from now on.
     *
     * @param shard  of the size asked for
     * @param effort not null
     */
    record Assigned(Shard shard, Effort effort) implements ShardResult {}

    /**
     * There is none, and nothing has changed.
     *
     * @param reason not null
     * @param effort not null
     */
    record Refused(Reason reason, Effort effort) implements ShardResult {}

    /**
     * How much was tried; the same for the same book, tenant, size and seed.
     *
     * @param draws random shards tried
     * @param steps slots and sets of slots tried by the systematic search, 0 when a draw was taken
     */
    record Effort(int draws, int steps) {
        /** Nothing had to be searched for. */
        public static final Effort NONE = new Effort(0, 0);
    }

    /** Why there is no shard. */
    enum Reason {
        /** By counting alone: fewer sets of m+1 slots are unused than a shard has. */
        FULL("the packing bound is reached"),
        /** All shards were searched: none keeps the bound on overlap with each slot on another partition. */
        NONE_LEFT("no shard is left that keeps the bounds"),
        /** The search was given up; there may be one. */
        GAVE_UP("no shard was found within the bound on search steps"),
        /** The book holds as much as it may. */
        BOOK_FULL("the book of shards is at its bound");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        /** The reason for a person, without full stop. */
        public String text() {
            return text;
        }
    }
}
