package io.spillway.core.item;

import java.util.regex.Pattern;

/** Name of a pool of workers. It is also a name in Kubernetes. */
public final class PoolName {
    /** Pool of the workers that handle all partitions which belong to no other pool. */
    public static final String SHARED = "shared";
    /** What is allowed, for messages. */
    public static final String RULE = "1 to 63 of a-z 0-9 -, not - at an end";

    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    private PoolName() {}

    /** Returns whether a pool may have this name. */
    public static boolean isValid(String name) {
        return NAME.matcher(name).matches();
    }
}
