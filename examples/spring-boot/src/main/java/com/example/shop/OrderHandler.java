package com.example.shop;

import io.spillway.handler.Delivery;
import io.spillway.handler.Outcome;
import io.spillway.spring.SpillwayHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Handles orders. Fifty at the same time, so what it calls must be thread-safe. */
@Component
final class OrderHandler {
    private static final Logger LOG = LoggerFactory.getLogger(OrderHandler.class);

    private final Warehouse warehouse;

    OrderHandler(Warehouse warehouse) {
        this.warehouse = warehouse;
    }

    /** What the warehouse throws is a failed attempt, and the order comes again later. */
    @SpillwayHandler
    Outcome order(Order order, Delivery delivery) throws InterruptedException {
        if (order.count() < 1) {
            return Outcome.dead("count is " + order.count() + " and must be 1 or more");
        }
        // An order may come more than once: the id lets the warehouse ship it only once.
        warehouse.ship(delivery.tenant(), delivery.id(), order);
        LOG.info("Shipped {} of customer {}, attempt {}", delivery.id(), delivery.tenant(), delivery.attempt());
        return Outcome.done();
    }
}
