package io.spillway.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Method of a bean that handles the items of one workload.
 *
 * <p>It has one or both of two parameters, in any order: {@link io.spillway.handler.Delivery}, and the payload. The
 * payload is {@code byte[]}, {@code String} (UTF-8), a class that Avro generated (single-object encoding), a type that
 * a {@link PayloadConverter} of the application reads, or any other type, which is read as JSON. A payload that cannot
 * be read is a dead letter.
 *
 * <p>It returns an {@link io.spillway.handler.Outcome}, or nothing, which means that the item is done. An exception
 * counts as a failed attempt. It is called from many threads at once.
 *
 * <p>With {@link #maxItems} above 1 it gets the items of a call as lists, of which one element is an item's:
 * {@code List<Delivery>}, {@code List<Order>}, or both. It returns a {@code List<Outcome>} with one for each item, or
 * nothing, which means that all are done. {@link io.spillway.handler.BatchHandler} has the rules. An item whose
 * payload cannot be read is a dead letter, and not in the lists.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface SpillwayHandler {
    /**
     * Workload of the items, or what a {@link HandlerSelector} of the application returns for them. Default: all items
     * without a method of their own.
     */
    String workload() default "";

    /**
     * Where the work of these items goes, such as a host: items with one destination are put off together while it
     * cannot work. May contain placeholders of properties ({@code ${mail.host}}). Default: one for all methods without.
     */
    String destination() default "";

    /**
     * Most items of one call, 1 to 1,000. Above 1 the parameters are lists, and no {@link HandlerSelector} may be
     * there, because the items of a call are those of one workload. Default: 1.
     */
    int maxItems() default 1;
}
