package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.testing.broker.SpillwayExtension;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionTemplate;

/** Items that are written in the transaction of a database. */
@Timeout(900) // Against a hang; nothing is measured.
class OutboxIT {
    @RegisterExtension
    final SpillwayExtension spillway = new SpillwayExtension();

    private ConfigurableApplicationContext application;

    @BeforeEach
    void start() {
        application = new SpringApplication(ShopApplication.class).run("--server.port=0",
                "--spillway.kafka.bootstrap.servers=" + spillway.bootstrapServers(),
                "--spillway.prefix=" + spillway.prefix());
    }

    @AfterEach
    void stop() {
        application.close();
    }

    @Test
    void an_item_of_a_committed_transaction_is_handled_and_one_of_an_aborted_is_not() {
        Outbox outbox = application.getBean(Outbox.class);
        TransactionTemplate transactions = application.getBean(TransactionTemplate.class);
        for (int i = 0; i < 250; i++) {
            String id = "o-" + i;
            boolean isAborted = i % 5 == 0;
            transactions.executeWithoutResult(transaction -> {
                outbox.add("acme", id, "{\"id\":\"" + id + "\",\"sku\":\"apple\",\"count\":1}");
                if (isAborted) {
                    transaction.setRollbackOnly();
                }
            });
        }
        assertThatThrownBy(() -> outbox.add("acme", "o-0", "{}")).isInstanceOf(IllegalTransactionStateException.class);

        spillway.awaitDone(200, Duration.ofMinutes(5));
        assertThat(application.getBean(ShopApplicationIT.BusyWarehouse.class).whileOpen).hasSize(200)
                .doesNotHaveDuplicates().contains("o-1").doesNotContain("o-0");
        JdbcClient database = application.getBean(JdbcClient.class);
        while (database.sql("SELECT COUNT(*) FROM outbox").query(Integer.class).single() > 0) {
            LockSupport.parkNanos(10_000_000);
        }
    }
}
