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

/** Makes the handler that is configured. */
public final class Handlers {
    private static final String CLASS_KEY = "handler.class";

    private Handlers() {}

    /**
     * Checks what can be known before there is a cluster, so that a slip of the pen is told at once.
     *
     * @param settings its handler
     * @param queue    whose topics a handler must not produce to, and the cluster
     * @throws InvalidSettingException when the class is missing or is no handler, or the topic is Spillway's own
     */
    public static void check(HandlerSettings settings, QueueSettings queue) {
        switch (settings.type()) {
            case LOG, HTTP -> { }
            case KAFKA -> requireForeign(settings.kafkaTopic(), new Topics(queue));
            case CLASS -> classOf(settings.className());
        }
    }

    /**
     * Makes it.
     *
     * @param settings its handler, and the cluster for one that produces to Kafka
     * @param queue    whose topics a handler must not produce to, and the cluster
     * @param clock         now
     * @throws InvalidSettingException as {@link #check} does
     * @throws HandlerException        when it cannot be made
     */
    public static Handler make(HandlerSettings settings, QueueSettings queue, InstantSource clock) {
        check(settings, queue);
        return switch (settings.type()) {
            case LOG -> new LogHandler();
            case HTTP -> new HttpHandler(settings, clock);
            case KAFKA -> KafkaHandler.open(new KafkaClients(queue), settings.kafkaTopic());
            case CLASS -> instance(settings.className());
        };
    }

    /** Into ingress or a lane an item would come again and again. */
    private static void requireForeign(String topic, Topics topics) {
        if (topics.all().stream().map(TopicSpec::name).anyMatch(topic::equals)) {
            throw new InvalidSettingException("handler.kafka.topic", topic, "must not be a topic of Spillway's own");
        }
    }

    private static Class<? extends Handler> classOf(String className) {
        try {
            // Not initialized yet: what the class does then may need the system.
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
            throw invalid(className, "must be loadable with all that it needs on the class path: " + Printable.of(e.toString()));
        }
    }

    private static InvalidSettingException invalid(String className, String allowed) {
        return new InvalidSettingException(CLASS_KEY, className, allowed);
    }

    private static Handler instance(String className) {
        try {
            return classOf(className).getConstructor().newInstance();
        } catch (InvocationTargetException | ExceptionInInitializerError e) {
            throw cannotMake(className, e.getCause());
        } catch (ReflectiveOperationException | LinkageError e) {
            throw cannotMake(className, e);
        }
    }

    private static HandlerException cannotMake(String className, Throwable cause) {
        return new HandlerException(CLASS_KEY + " = " + Printable.of(className) + ": cannot be made: "
                + Printable.of(cause.toString()), cause);
    }
}
