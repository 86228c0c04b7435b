package io.spillway.kafka.view;

import java.util.Optional;

/**
 * Metadata with which a running instance commits its progress in a view. It shows that the instance is alive, and which
 * version it runs.
 *
 * @param atMillis time of the commit by the clock of the instance, epoch milliseconds
 * @param version  version of Spillway; empty if the instance does not name it
 */
public record ProgressMark(long atMillis, String version) {
    private static final String OWN_VERSION =
            Optional.ofNullable(ProgressMark.class.getPackage().getImplementationVersion()).orElse("development");

    /** Returns the mark of this process at a time. */
    public static ProgressMark at(long nowMillis) {
        return new ProgressMark(nowMillis, OWN_VERSION);
    }

    /** Returns the mark in the metadata of a commit; empty if it is none. */
    public static Optional<ProgressMark> parse(String metadata) {
        String[] parts = metadata.split(" ", 2);
        try {
            return Optional.of(new ProgressMark(Long.parseLong(parts[0]), parts.length == 2 ? parts[1] : ""));
        } catch (NumberFormatException notOurs) {
            return Optional.empty();
        }
    }

    /** Returns the metadata of a commit. */
    public String text() {
        return atMillis + " " + version;
    }
}
