package com.example.shop;

import io.spillway.producer.ItemBuilder;
import io.spillway.spring.SpillwayTemplate;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Takes orders: {@code POST /customers/CUSTOMER/orders}. A customer is a tenant. */
@RestController
final class OrdersApi {
    private final SpillwayTemplate spillway;

    OrdersApi(SpillwayTemplate spillway) {
        this.spillway = spillway;
    }

    /** Answers 202 when every in-sync replica has the order. */
    @PostMapping("/customers/{customer}/orders")
    @ResponseStatus(HttpStatus.ACCEPTED)
    CompletableFuture<Void> order(@PathVariable String customer, @RequestBody Order order) {
        return spillway.sendJson(ItemBuilder.of(customer).id(order.id()), order).thenApply(stored -> null);
    }
}
