package com.example.shop;

import io.spillway.producer.ItemBuilder;
import io.spillway.spring.SpillwayTemplate;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Items that are written in the transaction of a database and sent after it, so that there is neither an order without
 * its item nor an item without its order. Instances of the application share the work.
 */
@Component
class Outbox {
    private static final int BATCH = 100;

    private final JdbcClient database;
    private final TransactionTemplate transactions;
    private final SpillwayTemplate spillway;

    Outbox(JdbcClient database, TransactionTemplate transactions, SpillwayTemplate spillway) {
        this.database = database;
        this.transactions = transactions;
        this.spillway = spillway;
    }

    record Entry(long number, String tenant, String id, String payload) {}

    /** Adds an item in the transaction of the caller; throws without one. */
    @Transactional(propagation = Propagation.MANDATORY)
    void add(String tenant, String id, String json) {
        database.sql("INSERT INTO outbox (tenant, id, payload) VALUES (?, ?, ?)").params(tenant, id, json).update();
    }

    /** Sends what was added. */
    @Scheduled(fixedDelay = 200)
    void relay() {
        while (relayed() == BATCH) {
            // There may be more.
        }
    }

    /** Sends the oldest entries, and removes them once Kafka has all. After a crash in between they are sent again. */
    private int relayed() {
        return transactions.execute(transaction -> {
            List<Entry> entries = database.sql("SELECT number, tenant, id, payload FROM outbox ORDER BY number"
                    + " FETCH FIRST " + BATCH + " ROWS ONLY FOR UPDATE SKIP LOCKED").query(Entry.class).list();
            CompletableFuture.allOf(entries.stream().map(entry -> spillway.send(ItemBuilder.of(entry.tenant())
                    .id(entry.id()).contentType("application/json")
                    .payload(entry.payload().getBytes(StandardCharsets.UTF_8)))).toArray(CompletableFuture[]::new))
                    .join();
            entries.forEach(entry ->
                    database.sql("DELETE FROM outbox WHERE number = ?").param(entry.number()).update());
            return entries.size();
        });
    }
}
