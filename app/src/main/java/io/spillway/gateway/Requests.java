package io.spillway.gateway;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerRequestHeaders;
import io.helidon.webserver.http.ServerRequest;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Access to header fields of requests, as unchecked text. */
final class Requests {
    private Requests() {}

    static List<String> all(ServerRequest request, HeaderName name) {
        return request.headers().all(name, List::of);
    }

    /** Returns the single value of a field, if present; throws {@link IllegalArgumentException} for several values. */
    static Optional<String> one(ServerRequest request, HeaderName name) {
        List<String> values = all(request, name);
        if (values.size() > 1) {
            throw new IllegalArgumentException("The header field " + name.defaultCase() + " must not be repeated.");
        }
        return values.stream().findFirst();
    }

    /** Returns the announced length of the body, bytes; empty for a chunked one. */
    static OptionalLong length(ServerRequest request) {
        ServerRequestHeaders headers = request.headers();
        if (headers.contains(HeaderNames.TRANSFER_ENCODING)) {
            return OptionalLong.empty();
        }
        return headers.first(HeaderNames.CONTENT_LENGTH).isEmpty() ? OptionalLong.of(0) : headers.contentLength();
    }
}
