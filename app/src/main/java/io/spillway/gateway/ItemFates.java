package io.spillway.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.core.item.ItemState;
import io.spillway.core.item.LaneReason;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.kafka.view.TrackedItems;
import io.spillway.kafka.view.TrackedItems.Fate;
import java.time.Instant;
import java.util.Optional;

/**
 * Answers to what became of an item. Thread-safe.
 *
 * @param items empty if there is no trail
 */
record ItemFates(TenantPolicies policies, Optional<TrackedItems> items) {
    private static final String UNKNOWN = "No item with this id is known. Either none was accepted, or it was so before"
            + " the tenant was tracked or longer ago than what is kept, or a moment ago.";

    /** Returns the state of a tenant's newest item with an id, or why it is not known. */
    GatewayResponse of(String tenant, String id) {
        if (items.isEmpty() || !policies.of(tenant).isTracked()) {
            return GatewayResponse.of(Problem.Kind.CONFLICT, items.isEmpty()
                    ? "States of items are not kept. The operator can set topics.trail."
                    : "The tenant's items are not tracked. The operator can set its policy tracked.");
        }
        return known(tenant, id)
                .map(fate -> {
                    ObjectNode json = GatewayResponse.JSON.createObjectNode().put("id", id).put("tenant", tenant);
                    return GatewayResponse.json(200, json.setAll(fate));
                })
                .orElseGet(() -> GatewayResponse.of(items.get().isComplete()
                        ? Problem.of(Problem.Kind.UNKNOWN_ITEM, UNKNOWN)
                        : Problem.of(Problem.Kind.NOT_READY, "The gateway still reads the states of items.", 1_000)));
    }

    /** Returns the state of a tenant's newest item with an id as JSON; empty if it is not known. */
    Optional<ObjectNode> known(String tenant, String id) {
        // What is remembered of a tenant that is not tracked any more is not followed.
        return items.filter(known -> policies.of(tenant).isTracked())
                .flatMap(known -> known.of(tenant, id)).map(ItemFates::json);
    }

    private static ObjectNode json(Fate fate) {
        ObjectNode json = GatewayResponse.JSON.createObjectNode().put("state", stateOf(fate));
        if (ItemState.WAITING.contains(fate.state())) {
            json.put("lane", fate.state().label());
        }
        if (!fate.reason().isEmpty()) {
            json.put("reason", fate.reason());
        }
        return json.put("attempts", fate.attempts()).put("since", Instant.ofEpochMilli(fate.atMillis()).toString());
    }

    private static String stateOf(Fate fate) {
        return switch (fate.state()) {
            case HOT, OVERFLOW, AGED, OUTSIDE -> "waiting";
            case DELAY -> fate.reason().equals(LaneReason.CLAIMED.label()) ? "running" : "waiting";
            case DEAD_LETTER -> "dead";
            case DONE -> "done";
            case DROPPED -> "dropped";
        };
    }
}
