package io.spillway.handler;

import java.util.Set;

/**
 * Kind of handler that {@code handler.type} selects. A jar on the class path adds one with a file
 * {@code META-INF/services/io.spillway.handler.HandlerType}, which names a public class with a public constructor
 * without parameters.
 *
 * @param <S> record of its settings. Each component has a {@link io.spillway.core.settings.Setting}, with a key that
 *            is {@code handler.} and the name of the type, or begins with that and a dot. The record's constructor
 *            refuses what is not allowed with an {@link io.spillway.core.settings.InvalidSettingException}
 */
public interface HandlerType<S extends Record> {
    /** Settings of a type that has none. */
    record NoSettings() {}

    /** Returns the value of {@code handler.type} that selects it: small letters, digits and dashes. */
    String name();

    /** Returns the class of its settings. */
    Class<S> settings();

    /**
     * Checks the settings as far as this needs no cluster, so that a mistake is reported before anything starts.
     * Default: what the record's constructor checks.
     *
     * @throws RuntimeException as {@link #create} does
     */
    default void check(S settings, HandlerContext context) {}

    /**
     * Returns the topics that the handler produces to. If there are any, it is created when the cluster has answered,
     * and an embedded Kafka creates the missing ones. Default: none.
     */
    default Set<String> topics(S settings) {
        return Set.of();
    }

    /**
     * Creates the handler; the worker closes it. Called once, after {@link #check}.
     *
     * @throws HandlerException if it cannot be created
     */
    Handler create(S settings, HandlerContext context);
}
