package io.spillway.spring;

import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
            Object bean, Method method, String destination, List<PayloadConverter> converters, JsonMapper json) {
        this.bean = bean;
        this.method = method;
        this.destination = destination;
        boolean returnsOutcome = Outcome.class.isAssignableFrom(method.getReturnType());
        if (!returnsOutcome && method.getReturnType() != void.class) {
            throw invalid("must return void or Outcome");
        }
        int payloads = 0;
        for (Type type : method.getGenericParameterTypes()) {
            boolean isDelivery = type == Delivery.class;
            payloads += isDelivery ? 0 : 1;
            parameters.add(isDelivery ? delivery -> delivery : payload(type, converters, json));
        }
        if (parameters.isEmpty() || payloads > 1 || parameters.size() - payloads > 1) {
            throw invalid("must have a payload, a Delivery, or one of each as parameters");
        }
        method.setAccessible(true);
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

    /** Calls the method. Throws what it throws. */
    Outcome call(Delivery delivery) throws Exception {
        Object[] arguments = new Object[parameters.size()];
        try {
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = parameters.get(i).of(delivery);
            }
        } catch (UnreadableException e) {
            return Outcome.dead(e.getMessage());
        }
        try {
            Object returned = method.invoke(bean, arguments);
            return method.getReturnType() == void.class ? Outcome.done() : (Outcome) returned;
        } catch (InvocationTargetException e) {
            switch (e.getCause()) {
                case Exception failure -> throw failure;
                case Error failure -> throw failure;
                default -> throw e;
            }
        }
    }
}
