package io.spillway.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.core.item.ItemLimits;
import io.spillway.core.item.Printable;
import io.spillway.core.policy.PolicyField;
import io.spillway.core.policy.PolicySettings;
import io.spillway.core.policy.RateLimit;
import io.spillway.core.policy.TenantPolicy;
import io.spillway.core.ratelimit.LoadShedder;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.view.Depths;
import io.spillway.kafka.view.TenantPolicies;
import io.spillway.operator.AdminRole;
import io.spillway.operator.CsrfTokens;
import io.spillway.operator.OperatorApi;
import io.spillway.operator.OperatorException;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The {@code /admin} API of operators and viewers: the backlog of all tenants, and one tenant's policy. Thread-safe.
 *
 * @param operator       dead letters, actions and runs
 * @param tokens         issuer of the tokens that changes with HTTP Basic need
 * @param prefix         of all topic names, which tells several queues apart
 * @param viewerPayloads whether viewers see payloads
 */
record AdminApi(
        TenantPolicies policies, Depths depths, Backlogs backlogs, DepthsReport report, OperatorApi operator,
        CsrfTokens tokens,
        String prefix, boolean viewerPayloads, InstantSource clock) {
    static final String PATH = "/admin";
    private static final String SESSION = PATH + "/session";
    private static final String DEPTHS = PATH + "/depths";
    private static final String TENANTS = PATH + "/tenants/";

    /** A name of an option, as the messages of the commands begin with it. */
    private static final Pattern OPTION = Pattern.compile("^--([a-z]+(?:-[a-z]+)*)");

    /** Returns the methods of a path; an unknown one has those of a page that only shows something. */
    static Set<String> methods(String path) {
        return OperatorApi.methods(path.substring(PATH.length()));
    }

    /**
     * Answers a read request.
     *
     * @param query parameters of the request, each once
     */
    GatewayResponse get(String path, Map<String, String> query, Caller.Admin caller) {
        if (path.equals(DEPTHS)) {
            return report.at(clock.millis());
        }
        if (path.equals(SESSION)) {
            return session(caller);
        }
        Optional<GatewayResponse> shown = answer(() -> operator
                .get(path.substring(PATH.length()), query, seesPayloads(caller))
                .map(json -> GatewayResponse.json(200, json)));
        if (shown.isPresent()) {
            return shown.get();
        }
        String tenant = path.startsWith(TENANTS) ? path.substring(TENANTS.length()) : "";
        if (!ItemLimits.isName(tenant)) {
            return unknown();
        }
        TenantPolicy policy = policies.of(tenant);
        OptionalLong waiting = depths.waiting(tenant);
        ObjectNode json = GatewayResponse.JSON.createObjectNode();
        json.put("tenant", tenant);
        json.set("policy", jsonOf(policies.inForce(tenant), policy));
        json.put("waiting", waiting.isPresent() ? (Long) waiting.getAsLong() : null);
        json.put("admittedShare", LoadShedder.share(policy, backlogs.of(tenant)));
        return GatewayResponse.json(200, json);
    }

    /** Answers a change, whose sender may make it. */
    GatewayResponse post(String path, byte[] body, Caller.Admin caller) {
        return answer(() -> operator.post(path.substring(PATH.length()), json(body), caller.user())
                .map(answer -> GatewayResponse.json(answer.isStarted() ? 202 : 200, answer.json())))
                .orElseGet(AdminApi::unknown);
    }

    /** Returns the object of a body; an empty body is an empty object, because some changes need none. */
    private static JsonNode json(byte[] body) {
        try {
            return body.length == 0 ? GatewayResponse.JSON.createObjectNode() : GatewayResponse.JSON.readTree(body);
        } catch (IOException e) {
            throw new OperatorException("The body is not JSON.");
        }
    }

    /** Returns the answer, or the problem with which the request was refused. */
    private static Optional<GatewayResponse> answer(Supplier<Optional<GatewayResponse>> request) {
        try {
            return request.get();
        } catch (OperatorException e) {
            return Optional.of(GatewayResponse.of(
                    e.isConflict() ? Problem.Kind.CONFLICT : Problem.Kind.BAD_REQUEST, inJson(e.getMessage())));
        } catch (KafkaFailure e) {
            return Optional.of(GatewayResponse.of(
                    Problem.of(Problem.Kind.NOT_CONFIRMED, Printable.onOneLine(e.getMessage()), 1_000)));
        }
    }

    /** Returns a message of a command with the key of the JSON in place of the option. */
    private static String inJson(String message) {
        Matcher option = OPTION.matcher(message);
        if (!option.find()) {
            return message;
        }
        String[] words = option.group(1).split("-");
        StringBuilder key = new StringBuilder(words[0]);
        Arrays.stream(words).skip(1).forEach(
                word -> key.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1)));
        return key + message.substring(option.end());
    }

    private GatewayResponse session(Caller.Admin caller) {
        String version = AdminApi.class.getPackage().getImplementationVersion();
        return GatewayResponse.json(200, GatewayResponse.JSON.createObjectNode()
                .put("role", caller.role().label())
                .put("user", caller.user())
                .put("csrf", tokens.issue(caller.role(), caller.user()))
                .put("payloads", seesPayloads(caller))
                .put("prefix", prefix)
                .put("version", version == null ? "development" : version));
    }

    private boolean seesPayloads(Caller.Admin caller) {
        return caller.role() == AdminRole.OPERATOR || viewerPayloads;
    }

    private static GatewayResponse unknown() {
        return GatewayResponse.of(Problem.Kind.NOT_FOUND,
                "The paths here are " + SESSION + ", " + DEPTHS + ", " + OperatorApi.PATHS.stream()
                        .map(path -> PATH + path).collect(Collectors.joining(", ")) + " and " + TENANTS + "TENANT.");
    }

    /** Returns the policy for programs; the bursts are those in force, also where none are set. */
    private static ObjectNode jsonOf(PolicySettings settings, TenantPolicy policy) {
        ObjectNode json = GatewayResponse.JSON.valueToTree(settings.json());
        json.put(PolicyField.BURST.jsonKey(), burst(policy.rateLimit()));
        json.put(PolicyField.ADMISSION_BURST.jsonKey(), burst(policy.admissionLimit()));
        return json;
    }

    private static Long burst(Optional<RateLimit> rate) {
        return rate.map(limit -> limit.toleranceNanos() / limit.intervalNanos()).orElse(null);
    }
}
