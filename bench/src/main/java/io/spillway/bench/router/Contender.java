package io.spillway.bench.router;

import io.spillway.bench.support.Scene;

/** One way to bring records from the input to the output exactly once. Closing it ends its threads. */
public interface Contender extends AutoCloseable {
    /** The consumer group that its progress is committed to. */
    String group();

    /** Its end state, for example its memory; asked for when everything is through, before it is closed. */
    default String footprint() {
        return "";
    }

    @Override
    void close();

    /** What there is to compare. */
    enum Kind {
        ROUTER("router"),
        /** The router, whose input is a topic of others. */
        SOURCE("source"),
        PASS_THROUGH("pass-through"),
        LOOP("loop"),
        /** Pass-throughs that write headers of the router's size, to tell what the headers alone cost. */
        PASS_ORIGIN("pass+origin"),
        PASS_REASON("pass+reason"),
        PASS_BOTH("pass+both");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }

        /** Starts it; it reads nothing yet, for nothing in the input is committed. */
        Contender start(Scene scene, int tenants) {
            return switch (this) {
                case ROUTER, SOURCE -> new RouterContender(scene, tenants);
                case PASS_THROUGH -> new PassThrough(scene, false, false);
                case LOOP -> new TransactionalLoop(scene);
                case PASS_ORIGIN -> new PassThrough(scene, true, false);
                case PASS_REASON -> new PassThrough(scene, false, true);
                case PASS_BOTH -> new PassThrough(scene, true, true);
            };
        }
    }
}
