package io.spillway.worker;

import io.spillway.config.HandlerSettings;
import io.spillway.policy.Printable;
import io.spillway.topic.KafkaClients;

/** Makes the handler that is configured. */
public final class Handlers {
    private Handlers() {}

    /**
     * Makes it.
     *
     * @param settings which
     * @param clients  for a handler that produces to Kafka
     * @throws HandlerException when it cannot be made
     */
    public static Handler make(HandlerSettings settings, KafkaClients clients) {
        return switch (settings.type()) {
            case LOG -> new LogHandler();
            case HTTP -> new HttpHandler(settings);
            case KAFKA -> new KafkaHandler(clients, settings.kafkaTopic());
            case CLASS -> instance(settings.className());
        };
    }

    private static Handler instance(String className) {
        String key = "handler.class = " + Printable.of(className);
        try {
            if (Class.forName(className).getDeclaredConstructor().newInstance() instanceof Handler handler) {
                return handler;
            }
            throw new HandlerException(key + ": does not implement " + Handler.class.getName());
        } catch (ClassNotFoundException e) {
            throw new HandlerException(key + ": not on the class path (the launcher adds SPILLWAY_CLASSPATH to it)");
        } catch (ReflectiveOperationException e) {
            throw new HandlerException(key + ": cannot be made, it needs a public constructor without parameters: "
                    + Printable.of(String.valueOf(e.getCause() == null ? e : e.getCause())));
        }
    }
}
