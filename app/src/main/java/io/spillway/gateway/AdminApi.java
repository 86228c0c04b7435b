package io.spillway.gateway;

import io.spillway.core.item.Printable;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.operator.OperatorReports;
import java.time.InstantSource;
import java.util.Map;

/** Read-only {@code /admin} API for the operator: the HTTP edge of {@link OperatorReports}. Thread-safe. */
record AdminApi(OperatorReports reports, InstantSource clock) {
    static final String PATH = "/admin";

    /** Answers a read request; the parameters of the query are each given once. */
    GatewayResponse get(String path, Map<String, String> query) {
        try {
            return reports.get(path.substring(PATH.length()), query, clock.millis())
                    .map(report -> GatewayResponse.json(200, report))
                    .orElseGet(() -> GatewayResponse.of(Problem.Kind.NOT_FOUND, "The paths here are in the page "
                            + "docs/gateway.md, such as " + PATH + "/depths."));
        } catch (KafkaFailure e) {
            return GatewayResponse.of(Problem.Kind.NOT_READY, Printable.onOneLine(e.getMessage()));
        }
    }
}
