package io.spillway.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Web console {@code /console}: a page, a style sheet and modules of JavaScript on the {@code /admin} API, served from
 * the class path. Its content security policy forbids loading anything from other origins. Immutable.
 */
final class Console {
    static final String PATH = "/console";
    /** Names of the modules, which import each other. */
    static final List<String> MODULES = List.of(
            "api", "changes", "chart", "console", "deadletters", "dom", "format", "lists", "overview", "runs", "tenant",
            "tenants");

    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

    private final Map<String, GatewayResponse> responses = new HashMap<>();

    Console() {
        responses.put(PATH, resource("console.html", "text/html; charset=utf-8"));
        responses.put(PATH + "/console.css", resource("console.css", "text/css; charset=utf-8"));
        MODULES.forEach(name -> responses.put(
                PATH + "/" + name + ".js", resource(name + ".js", "text/javascript; charset=utf-8")));
    }

    GatewayResponse get(String path) {
        return Optional.ofNullable(responses.get(path)).orElseGet(() ->
                GatewayResponse.of(Problem.Kind.NOT_FOUND, "The console is at " + PATH + "."));
    }

    private static GatewayResponse resource(String name, String type) {
        Map<String, String> headers = Map.of("Content-Security-Policy", POLICY, "Referrer-Policy", "no-referrer");
        try (InputStream in = Console.class.getResourceAsStream("console/" + name)) {
            if (in == null) {
                throw new IllegalStateException("console/" + name + " is missing from the package of this class");
            }
            return new GatewayResponse(200, type, headers, in.readAllBytes(), false);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
