package io.spillway.operator;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.core.item.Printable;
import io.spillway.core.policy.PolicyField;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Reader of a JSON object by name, which refuses keys that nothing has read. Owned by the thread of its request. */
final class ActionRequest {
    private final JsonNode json;
    private final String path;
    private final Set<String> known = new HashSet<>();

    /** @param path names the object in messages; empty for the body itself */
    ActionRequest(JsonNode json, String path) {
        if (!json.isObject()) {
            throw new OperatorException((path.isEmpty() ? "The body" : path) + " must be a JSON object");
        }
        this.json = json;
        this.path = path.isEmpty() ? "" : path + ".";
    }

    /** Returns the text of a value; a number and a boolean have that of JSON. A null is refused: it widens a change. */
    Optional<String> text(String name) {
        JsonNode value = node(name);
        if (value.isMissingNode()) {
            return Optional.empty();
        } else if (value.isNull()) {
            throw new OperatorException(path + name + ": must not be null. Leave the key out.");
        } else if (value.isContainerNode()) {
            throw new OperatorException(path + name + ": must be one value");
        }
        return Optional.of(value.asText());
    }

    String required(String name) {
        return text(name).orElseThrow(() -> new OperatorException(path + name + ": must be given"));
    }

    boolean flag(String name) {
        return text(name).map(text -> {
            if (!text.equals("true") && !text.equals("false")) {
                throw new OperatorException(path + name + " " + Printable.of(text) + ": must be true or false");
            }
            return text.equals("true");
        }).orElse(false);
    }

    Optional<Double> number(String name) {
        return text(name).map(text -> {
            try {
                return Double.parseDouble(text);
            } catch (NumberFormatException e) {
                throw new OperatorException(path + name + " " + Printable.of(text) + ": must be a number");
            }
        });
    }

    Optional<Long> integer(String name) {
        return text(name).map(text -> {
            try {
                return Long.parseLong(text);
            } catch (NumberFormatException e) {
                throw new OperatorException(path + name + " " + Printable.of(text) + ": must be an integer");
            }
        });
    }

    /** Returns the value as it is; missing if absent. */
    JsonNode node(String name) {
        known.add(name);
        return json.path(name);
    }

    /** Returns the texts of an array, 1 to {@code most}; none if it is absent. */
    Set<String> texts(String name, int most) {
        JsonNode array = node(name);
        Set<String> texts = new HashSet<>();
        for (JsonNode each : array) {
            texts.add(each.isTextual() ? each.textValue() : "");
        }
        if (!array.isMissingNode()
                && (!array.isArray() || texts.isEmpty() || array.size() > most || texts.contains(""))) {
            throw new OperatorException(path + name + ": must be an array of 1 to " + most + " texts");
        }
        return texts;
    }

    /** Refuses what was not read, so that a misspelt key never widens a change. */
    void requireNothingElse() {
        json.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                throw new OperatorException(Printable.of(path + name) + ": unknown key; known here: "
                        + String.join(", ", new TreeSet<>(known)));
            }
        });
    }

    /**
     * Returns the action that a body asks for.
     *
     * @param newId id of a sweep that is given none
     */
    OperatorAction action(long nowMillis, String newId) {
        String action = required("action");
        flag("dryRun");
        String tenant = required("tenant");
        OperatorAction asked = switch (action) {
            case "pause", "resume" -> new OperatorAction.Pause(tenant, text("workload"), action.equals("pause"));
            case "isolate" -> new OperatorAction.Isolate(
                    tenant, Math.toIntExact(Math.clamp(integer("partitions").orElse(1L), -1, Integer.MAX_VALUE)));
            case "release" -> new OperatorAction.Release(tenant, flag("shard"));
            case "set" -> new OperatorAction.SetPolicy(tenant, text("workload"), settings());
            case "cancel" -> OperatorAction.Cancel.of(
                    tenant, text("workload"), text("id"), text("before"), nowMillis);
            case "sweep" -> OperatorAction.RecordSweep.of(
                    tenant, text("workload"), required("startedAt"), text("completedAt"), text("id").orElse(newId),
                    nowMillis);
            default -> throw new OperatorException("action " + Printable.of(action)
                    + ": must be pause, resume, isolate, release, set, cancel or sweep");
        };
        requireNothingElse();
        return asked;
    }

    private Map<PolicyField, String> settings() {
        Map<PolicyField, String> settings = new EnumMap<>(PolicyField.class);
        for (PolicyField field : PolicyField.values()) {
            text(field.key()).ifPresent(text -> settings.put(field, text));
        }
        return settings;
    }
}
