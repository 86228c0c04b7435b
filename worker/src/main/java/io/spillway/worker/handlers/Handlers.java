package io.spillway.worker.handlers;

import io.spillway.core.item.Printable;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.handler.Handler;
import io.spillway.handler.HandlerException;
import io.spillway.kafka.topics.KafkaClients;
import io.spillway.kafka.topics.QueueSettings;
import io.spillway.kafka.topics.TopicSpec;
import io.spillway.kafka.topics.Topics;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.time.InstantSource;

/** Factory of the configured handler. */
public final class Handlers {
    private static final String CLASS_KEY = "handler.class";

    private Handlers() {}

    /**
     * Checks the settings as far as this needs no cluster, so that a mistake is reported early.
     *
     * @param queue the queue whose topics a handler must not produce to
     * @throws InvalidSettingException when the class is missing or not a handler, the topic belongs to Spillway, or a
     *                                 file that a setting names cannot be used
     */
    public static void check(HandlerSettings settings, QueueSettings queue) {
        switch (settings.type()) {
            case LOG, PULL -> { }
            case HTTP -> HttpHandler.check(settings);
            case KAFKA -> requireForeign(settings.kafkaTopic(), new Topics(queue));
            case CLASS -> classOf(settings.className());
        }
    }

    /**
     * Creates the handler.
     *
     * @param queue the queue whose topics a handler must not produce to, and its cluster
     * @throws InvalidSettingException as {@link #check}
     * @throws HandlerException        when the handler cannot be created
     */
    public static Handler create(HandlerSettings settings, QueueSettings queue, InstantSource clock) {
        check(settings, queue);
        return switch (settings.type()) {
            case LOG -> new LogHandler();
            case HTTP -> new HttpHandler(settings, clock);
            case KAFKA -> KafkaHandler.open(new KafkaClients(queue), settings.kafkaTopic());
            case CLASS -> instance(settings.className());
            case PULL -> throw new HandlerException(
                    "handler.type = pull needs the HTTP server of spillway run. Set another type.", null);
        };
    }

    /** An item that is produced to ingress or a lane would be delivered in an endless loop. */
    private static void requireForeign(String topic, Topics topics) {
        if (topics.all().stream().map(TopicSpec::name).anyMatch(topic::equals)) {
            throw new InvalidSettingException("handler.kafka.topic", topic, "must not be one of Spillway's topics");
        }
    }

    private static Class<? extends Handler> classOf(String className) {
        try {
            // Without initialization, because a static initializer may need the system.
            Class<?> found = Class.forName(className, false, Handlers.class.getClassLoader());
            Class<? extends Handler> handler = found.asSubclass(Handler.class);
            handler.getConstructor();
            if (Modifier.isAbstract(handler.getModifiers()) || !Modifier.isPublic(handler.getModifiers())) {
                throw invalid(className, "must be a public class that is not abstract");
            }
            return handler;
        } catch (ClassNotFoundException e) {
            throw invalid(className, "must be on the class path (the launcher adds SPILLWAY_CLASSPATH to it)");
        } catch (ClassCastException e) {
            throw invalid(className, "must implement " + Handler.class.getName());
        } catch (NoSuchMethodException e) {
            throw invalid(className, "must have a public constructor without parameters");
        } catch (LinkageError e) {
            throw invalid(className, "must be on the class path with its dependencies: " + Printable.of(e.toString()));
        }
    }

    private static InvalidSettingException invalid(String className, String allowed) {
        return new InvalidSettingException(CLASS_KEY, className, allowed);
    }

    private static Handler instance(String className) {
        try {
            return classOf(className).getConstructor().newInstance();
        } catch (InvocationTargetException | ExceptionInInitializerError e) {
            throw cannotCreate(className, e.getCause());
        } catch (ReflectiveOperationException | LinkageError e) {
            throw cannotCreate(className, e);
        }
    }

    private static HandlerException cannotCreate(String className, Throwable cause) {
        return new HandlerException(CLASS_KEY + " = " + Printable.of(className) + ": cannot be created: "
                + Printable.of(cause.toString()), cause);
    }
}
