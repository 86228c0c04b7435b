package io.spillway.bench;

/** One way to bring records from the input to the output exactly once. Closing it ends its threads. */
interface Contender extends AutoCloseable {
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
        PASS_THROUGH("pass-through"),
        LOOP("loop");

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
                case ROUTER -> new RouterContender(scene, tenants);
                case PASS_THROUGH -> new PassThrough(scene);
                case LOOP -> new TransactionalLoop(scene);
            };
        }
    }
}
