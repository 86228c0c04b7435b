package io.spillway.gateway;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerRequestHeaders;
import io.helidon.webserver.http.ServerRequest;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** Reads header fields of requests as text that is still to be judged. */
final class Requests {
    static final HeaderName IDEMPOTENCY_KEY = HeaderNames.create("Idempotency-Key");
    static final HeaderName WORKLOAD = HeaderNames.create("Spillway-Workload");
    static final HeaderName TENANT = HeaderNames.create("Spillway-Tenant");
    private static final HeaderName TRACEPARENT = HeaderNames.create("traceparent");
    private static final HeaderName TRACESTATE = HeaderNames.create("tracestate");

    private Requests() {}

    /** All values of a field, in their order. */
    static List<String> all(ServerRequest request, HeaderName name) {
        return request.headers().all(name, List::of);
    }

    /**
     * The one value of a field; empty when it is not there.
     *
     * @throws IllegalArgumentException when there are several
     */
    static Optional<String> one(ServerRequest request, HeaderName name) {
        List<String> values = all(request, name);
        if (values.size() > 1) {
            throw new IllegalArgumentException("the header field " + name.defaultCase() + " must be there once");
        }
        return values.stream().findFirst();
    }

    /** The trace that the caller is in, or a new one. */
    static TraceContext trace(ServerRequest request, LongSupplier random) {
        return TraceContext.of(all(request, TRACEPARENT), all(request, TRACESTATE), random);
    }

    /** Bytes of the body where they were announced; empty for a chunked one. */
    static OptionalLong length(ServerRequest request) {
        ServerRequestHeaders headers = request.headers();
        if (headers.contains(HeaderNames.TRANSFER_ENCODING)) {
            return OptionalLong.empty();
        }
        return headers.first(HeaderNames.CONTENT_LENGTH).isEmpty() ? OptionalLong.of(0) : headers.contentLength();
    }
}
