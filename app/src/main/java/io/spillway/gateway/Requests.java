package io.spillway.gateway;

import io.helidon.http.Header;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerRequestHeaders;
import io.helidon.webserver.http.ServerRequest;
import io.spillway.kafka.codec.ItemHeaders;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Access to parts of requests, as unchecked text. */
public final class Requests {
    private static final Pattern ABSOLUTE = Pattern.compile("(?i)^https?://[^/?#]+(?=/|$)");
    private static final Pattern COLON = Pattern.compile("(?i)%3a");
    private static final Pattern EVENT = Pattern.compile("ce-[a-z0-9]{1,64}");
    private static final Set<String> GZIP = Set.of("gzip", "x-gzip");

    private Requests() {}

    /** Returns the path as the API names it: without the origin that a proxy may send, and with plain colons. */
    public static String path(ServerRequest request) {
        return COLON.matcher(ABSOLUTE.matcher(request.path().rawPath()).replaceFirst("")).replaceAll(":");
    }

    static boolean isMethod(ServerRequest request, String method) {
        return request.prologue().method().text().equals(method);
    }

    /** Returns whether the request is a GET, or the HEAD that asks for the same answer without its body. */
    public static boolean isRead(ServerRequest request) {
        return isMethod(request, "GET") || isMethod(request, "HEAD");
    }

    static boolean isGzip(ServerRequest request) {
        return GZIP.contains(encoding(request));
    }

    /** Returns the problem of a body whose encoding cannot be undone; empty for gzip and none. */
    static Optional<Problem> unknownEncoding(ServerRequest request) {
        String encoding = encoding(request);
        return encoding.isEmpty() || encoding.equals("identity") || GZIP.contains(encoding)
                ? Optional.empty()
                : Optional.of(Problem.of(Problem.Kind.UNSUPPORTED_ENCODING,
                        "The Content-Encoding of a body must be gzip, or absent."));
    }

    private static String encoding(ServerRequest request) {
        return String.join(",", all(request, HeaderNames.CONTENT_ENCODING)).strip().toLowerCase(Locale.ROOT);
    }

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

    /**
     * Returns the attributes of a CloudEvent in binary mode as headers of a record; empty for a request without any.
     *
     * @throws IllegalArgumentException if one of the request cannot be an attribute
     */
    static Map<String, byte[]> cloudEvent(ServerRequest request) {
        Map<String, byte[]> attributes = new TreeMap<>();
        for (Header header : request.headers()) {
            String name = header.headerName().lowerCase();
            if (name.startsWith("ce-")) {
                JsonItems.require(EVENT.matcher(name).matches() && header.valueCount() == 1,
                        "A header of a CloudEvent (ce-NAME) must have a name of a-z 0-9, and not be repeated.");
                attributes.put(ItemHeaders.CLOUD_EVENT + name.substring(3), decoded(header.get()));
            }
        }
        return attributes;
    }

    /** Returns the UTF-8 bytes of a value, in which others than printable ASCII are percent-encoded. */
    private static byte[] decoded(String value) {
        ByteBuffer bytes = ByteBuffer.allocate(value.length());
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            JsonItems.require(c >= ' ' && c <= '~',
                    "A header of a CloudEvent (ce-NAME) must be printable ASCII; other characters are percent-encoded.");
            if (c != '%') {
                bytes.put((byte) c);
                continue;
            }
            JsonItems.require(i + 2 < value.length() && HexFormat.isHexDigit(value.charAt(i + 1))
                    && HexFormat.isHexDigit(value.charAt(i + 2)),
                    "A percent sign in a header of a CloudEvent (ce-NAME) must be followed by two hexadecimal digits.");
            bytes.put((byte) HexFormat.fromHexDigits(value, i + 1, i + 3));
            i += 2;
        }
        byte[] decoded = new byte[bytes.flip().remaining()];
        bytes.get(decoded);
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(decoded));
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("A header of a CloudEvent (ce-NAME) must be UTF-8 after its percent-"
                    + "encoding is undone.");
        }
        return decoded;
    }
}
