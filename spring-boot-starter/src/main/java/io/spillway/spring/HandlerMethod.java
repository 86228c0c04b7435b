package io.spillway.spring;

import io.spillway.handler.BatchHandler;
import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** One method with {@link SpillwayHandler}, and how its parameters follow from a delivery. Immutable. */
final class HandlerMethod {
    private final Object bean;
    private final Method method;
    private final String destination;
    private final int maxItems;
    private final List<Converter> parameters = new ArrayList<>();

    /** Value of one parameter. */
    private interface Converter {
        Object of(Delivery delivery) throws Exception;
    }

    /** A payload that the method's parameter cannot be read from. */
    private static final class UnreadableException extends Exception {
        private static final long serialVersionUID = 1;

        UnreadableException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** @throws IllegalStateException if the method cannot be a handler, with what it must have */
    HandlerMethod(
            Object bean, Method method, String destination, int maxItems, List<PayloadConverter> converters,
            JsonMapper json) {
        this.bean = bean;
        this.method = method;
        this.destination = destination;
        this.maxItems = maxItems;
        if (maxItems < 1 || maxItems > BatchHandler.MOST_ITEMS) {
            throw invalid("must have a maxItems from 1 to " + BatchHandler.MOST_ITEMS);
        }
        boolean returnsOutcome = isForMany() ? elementOf(method.getGenericReturnType()) == Outcome.class
                : Outcome.class.isAssignableFrom(method.getReturnType());
        if (!returnsOutcome && method.getReturnType() != void.class) {
            throw invalid("must return void or " + (isForMany() ? "List<Outcome>" : "Outcome"));
        }
        int payloads = 0;
        for (Type declared : method.getGenericParameterTypes()) {
            Type type = isForMany() ? elementOf(declared) : declared;
            if (type == null) {
                throw invalid("and maxItems above 1 must have lists as parameters");
            }
            boolean isDelivery = type == Delivery.class;
            payloads += isDelivery ? 0 : 1;
            parameters.add(isDelivery ? delivery -> delivery : payload(type, converters, json));
        }
        if (parameters.isEmpty() || payloads > 1 || parameters.size() - payloads > 1) {
            throw invalid("must have a payload, a Delivery, or one of each as parameters");
        }
        method.setAccessible(true);
    }

    /** Returns the type of the elements of a list; null for another type. */
    private static Type elementOf(Type type) {
        return type instanceof ParameterizedType list && list.getRawType() == List.class
                ? list.getActualTypeArguments()[0] : null;
    }

    private IllegalStateException invalid(String rule) {
        return new IllegalStateException("Method " + method + " with @SpillwayHandler " + rule + ".");
    }

    private static Converter payload(Type type, List<PayloadConverter> converters, JsonMapper json) {
        for (PayloadConverter converter : converters) {
            if (converter.reads(type)) {
                return readable(delivery -> converter.read(delivery, type));
            }
        }
        if (type == byte[].class) {
            return Delivery::payload;
        }
        if (type == String.class) {
            return delivery -> new String(delivery.payload(), StandardCharsets.UTF_8);
        }
        if (type instanceof Class<?> record && SpecificRecord.class.isAssignableFrom(record)) {
            // Avro's decoder is safe for concurrent use.
            BinaryMessageDecoder<Object> decoder =
                    new BinaryMessageDecoder<>(SpecificData.getForClass(record), SpecificData.get().getSchema(record));
            return readable(delivery -> decoder.decode(delivery.payload()));
        }
        return readable(delivery -> json.readValue(delivery.payload(), json.constructType(type)));
    }

    private static Converter readable(Converter converter) {
        return delivery -> {
            try {
                return converter.of(delivery);
            } catch (IOException | AvroRuntimeException | JacksonException e) {
                throw new UnreadableException("The payload cannot be read: " + e.getMessage(), e);
            }
        };
    }

    String destination() {
        return destination;
    }

    int maxItems() {
        return maxItems;
    }

    boolean isForMany() {
        return maxItems > 1;
    }

    /** Calls the method for one item. Throws what it throws. */
    Outcome call(Delivery delivery) throws Exception {
        try {
            Object returned = invoke(arguments(delivery));
            return method.getReturnType() == void.class ? Outcome.done() : (Outcome) returned;
        } catch (UnreadableException e) {
            return Outcome.dead(e.getMessage());
        }
    }

    /** Calls the method for several items, and returns an outcome for each. Throws what it throws. */
    List<Outcome> callAll(List<Delivery> deliveries) throws Exception {
        List<Outcome> outcomes = new ArrayList<>(Collections.nCopies(deliveries.size(), Outcome.done()));
        List<Integer> readable = new ArrayList<>();
        List<List<Object>> lists = new ArrayList<>();
        parameters.forEach(parameter -> lists.add(new ArrayList<>()));
        for (int i = 0; i < deliveries.size(); i++) {
            try {
                Object[] arguments = arguments(deliveries.get(i));
                for (int j = 0; j < arguments.length; j++) {
                    lists.get(j).add(arguments[j]);
                }
                readable.add(i);
            } catch (UnreadableException e) {
                outcomes.set(i, Outcome.dead(e.getMessage()));
            }
        }
        Object returned = readable.isEmpty() ? List.of() : invoke(lists.toArray());
        if (method.getReturnType() == void.class) {
            return outcomes;
        }
        List<?> results = returned == null ? List.of() : (List<?>) returned;
        if (results.size() != readable.size()) {
            throw new IllegalStateException("Method " + method + " returned " + results.size() + " outcomes for "
                    + readable.size() + " items. It must return one for each, in their order.");
        }
        for (int i = 0; i < results.size(); i++) {
            outcomes.set(readable.get(i), (Outcome) results.get(i));
        }
        return outcomes;
    }

    private Object[] arguments(Delivery delivery) throws Exception {
        Object[] arguments = new Object[parameters.size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = parameters.get(i).of(delivery);
        }
        return arguments;
    }

    private Object invoke(Object[] arguments) throws Exception {
        try {
            return method.invoke(bean, arguments);
        } catch (InvocationTargetException e) {
            switch (e.getCause()) {
                case Exception failure -> throw failure;
                case Error failure -> throw failure;
                default -> throw e;
            }
        }
    }
}
