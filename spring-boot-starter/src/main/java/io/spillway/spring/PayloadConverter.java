package io.spillway.spring;

import io.spillway.handler.Delivery;
import java.io.IOException;
import java.lang.reflect.Type;

/**
 * Reads payloads for the parameters of methods with {@link SpillwayHandler}. Beans of this type are asked, in their
 * order, before the types that the starter reads by itself. Called from many threads at once.
 */
public interface PayloadConverter {
    /** Returns whether it reads parameters of this type. Asked once for each parameter, at the start. */
    boolean reads(Type type);

    /**
     * Returns the payload of a delivery as a value of this type.
     *
     * @throws IOException if the payload cannot be read, now or ever: the item becomes a dead letter
     */
    Object read(Delivery delivery, Type type) throws IOException;
}
