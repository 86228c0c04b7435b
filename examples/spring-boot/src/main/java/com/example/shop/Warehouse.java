package com.example.shop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** Stands for a slow dependency. Thread-safe. Keeps what it ships in memory, as only an example may. */
@Component
class Warehouse {
    private final Map<String, Order> shipped = new ConcurrentHashMap<>();

    /** Ships an order unless it has been shipped before. */
    void ship(String customer, String orderId, Order order) throws InterruptedException {
        Thread.sleep(20);
        shipped.putIfAbsent(customer + "/" + orderId, order);
    }

    Map<String, Order> shipped() {
        return Map.copyOf(shipped);
    }
}
