package io.spillway.gateway;

import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.text.Printable;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.operator.AdminRole;
import io.spillway.operator.OperatorApi;
import io.spillway.operator.OperatorException;
import io.spillway.operator.report.OperatorReports;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The {@code /admin} API of operators and viewers: the HTTP edge of what operators see and
 * change. Thread-safe.
 *
 * @param reports        figures
 * @param operator       dead letters, actions and runs
 * @param prefix         of all topic names, which tells several queues apart
 * @param viewerPayloads whether viewers see payloads
 */
record AdminApi(
        OperatorReports reports, OperatorApi operator, String prefix, boolean viewerPayloads, InstantSource clock) {
    static final String PATH = "/admin";
    private static final String SESSION = PATH + "/session";

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
        if (path.equals(SESSION)) {
            return session(caller);
        }
        String below = path.substring(PATH.length());
        return answer(() -> reports.get(below, query, clock.millis())
                .or(() -> operator.get(below, query, seesPayloads(caller)))
                .map(json -> GatewayResponse.json(200, json)))
                .orElseGet(AdminApi::unknown);
    }

    /** Answers a change, whose sender may make it. */
    GatewayResponse post(String path, byte[] body, Caller.Admin caller) {
        return answer(() -> operator.post(path.substring(PATH.length()), body, caller.user())
                .map(answer -> GatewayResponse.json(answer.isStarted() ? 202 : 200, answer.json())))
                .orElseGet(AdminApi::unknown);
    }

    /** Returns the answer, or the problem with which the request was refused. */
    private static Optional<GatewayResponse> answer(Supplier<Optional<GatewayResponse>> request) {
        try {
            return request.get();
        } catch (OperatorException e) {
            return Optional.of(GatewayResponse.of(
                    e.isConflict() ? Problem.Kind.CONFLICT : Problem.Kind.BAD_REQUEST, inJson(e.getMessage())));
        } catch (InvalidSettingException e) {
            return Optional.of(GatewayResponse.of(Problem.Kind.BAD_REQUEST, e.getMessage()));
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
        return GatewayResponse.json(200, GatewayResponse.JSON.createObjectNode()
                .put("role", caller.role().label())
                .put("user", caller.user())
                .put("payloads", seesPayloads(caller))
                .put("prefix", prefix)
                .put("version", Gateway.version()));
    }

    private boolean seesPayloads(Caller.Admin caller) {
        return caller.role() == AdminRole.OPERATOR || viewerPayloads;
    }

    private static GatewayResponse unknown() {
        return GatewayResponse.of(Problem.Kind.NOT_FOUND, "The paths here are " + SESSION + ", "
                + Stream.concat(OperatorReports.PATHS.stream(), OperatorApi.PATHS.stream())
                        .map(path -> PATH + path).collect(Collectors.joining(", ")) + ".");
    }
}
