package io.spillway.core.sharding;

/** Result of a request for a shard. */
public sealed interface ShardResult {
    /** Returns the cost of the search. */
    Effort effort();

    /** The shard, of the requested size, is now assigned to the tenant. */
    record Assigned(Shard shard, Effort effort) implements ShardResult {}

    /** No shard was found; nothing has changed. */
    record Refused(Reason reason, Effort effort) implements ShardResult {}

    /**
     * Cost of a search. It is the same for the same assignments, tenant, size and seed.
     *
     * @param draws random shards tried
     * @param steps slots and sets of slots tried by the systematic search, 0 when a draw was taken
     */
    record Effort(int draws, int steps) {
        /** No search was needed. */
        public static final Effort NONE = new Effort(0, 0);
    }

    /** Reason why no shard was found. */
    enum Reason {
        /** Fewer sets of m+1 slots are unused than a shard has. */
        FULL("the packing bound is reached"),
        /** The search was complete: no shard keeps the bound on overlap with each slot on another partition. */
        NONE_LEFT("no free shard keeps the bound on overlap"),
        /** The search reached its step limit; a shard may exist. */
        GAVE_UP("the search reached its step limit without a shard"),
        /** The registry holds the maximum number of subsets or tenants. */
        REGISTRY_FULL("the shard registry is full");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        /** Returns a description without a full stop. */
        public String text() {
            return text;
        }
    }
}
