package io.spillway.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * {@code /console}: a page that shows what {@code /admin} knows, as it lies on the class path. It changes nothing, and it is
 * whole: the browser is told to load nothing from elsewhere. Immutable.
 */
final class Console {
    static final String PATH = "/console";

    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

    private final Map<String, GatewayResponse> answers = Map.of(
            PATH, resource("console.html", "text/html; charset=utf-8"),
            PATH + "/console.css", resource("console.css", "text/css; charset=utf-8"),
            PATH + "/console.js", resource("console.js", "text/javascript; charset=utf-8"));

    /** The answer to a GET of {@link #PATH} or of what is below it. The caller has been recognised as the operator. */
    GatewayResponse get(String path) {
        return Optional.ofNullable(answers.get(path))
                .orElseGet(() -> GatewayResponse.of(Problem.of(Problem.Kind.NOT_FOUND, "there is " + PATH)));
    }

    private static GatewayResponse resource(String name, String type) {
        Map<String, String> headers = new TreeMap<>();
        headers.put("Content-Security-Policy", POLICY);
        headers.put("Referrer-Policy", "no-referrer");
        try (InputStream in = Console.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is not beside this class");
            }
            return new GatewayResponse(200, type, headers, in.readAllBytes(), false);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
