package io.spillway.worker.handlers;

import io.spillway.core.policy.SettingsBinder;
import io.spillway.core.settings.AllowedRange;
import io.spillway.core.settings.InvalidSettingException;
import io.spillway.core.settings.Setting;
import io.spillway.core.text.UrlTemplate;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Settings of handler type http. Secrets are read from files only. */
public record HttpSettings(
        @Setting(key = "handler.http.url", allowed = "http://HOST... or https://HOST...",
                doc = "URL that each item is posted to, for type http. Its path and query may contain {tenant} and"
                        + " {workload}.") String url,
        @Setting(key = "handler.http.connectTimeout", defaultValue = "2s", allowed = "1ms or more",
                doc = "Maximum time to open a connection.") Duration connectTimeout,
        @Setting(key = "handler.http.requestTimeout", defaultValue = "10s", allowed = "1ms or more",
                doc = "Maximum time from the request to the status of the response.") Duration requestTimeout,
        @Setting(key = "handler.http.maxItems", defaultValue = "1", allowed = "1 to 1000",
                doc = "Most items of one request. From 2 on the body of each request is a JSON array of items, and the"
                        + " answer one of outcomes.") int maxItems,
        @Setting(key = "handler.http.headers", doc = "Request headers with fixed values, for type http.")
                Map<String, String> headers,
        @Setting(key = "handler.http.secretHeaders",
                doc = "Request headers with the path of a file that contains the value; the value is never logged.")
                Map<String, String> secretHeaders,
        @Setting(key = "handler.http.attributes", defaultValue = "false", allowed = "true or false",
                doc = "Whether the item's attributes are sent as headers Spillway-Attribute-NAME.") boolean attributes,
        @Setting(key = "handler.http.retryStatuses",
                defaultNote = "1xx, 3xx, 408, 425 and 5xx, except those of unavailableStatuses", allowed = STATUSES,
                doc = "Further statuses that are retried; the item may be the cause.") String retryStatuses,
        @Setting(key = "handler.http.unavailableStatuses",
                defaultNote = "429, 502, 503 and 504, and 401 and 403 of a destination that has worked",
                allowed = STATUSES, doc = "Further statuses that mean that the destination cannot work now. The item is"
                        + " retried, and the failure does not count against it.") String unavailableStatuses,
        @Setting(key = "handler.http.finalStatuses", defaultNote = "4xx, except 408, 425 and 429", allowed = STATUSES,
                doc = "Further statuses that make the item a dead letter at once.") String finalStatuses,
        Tls tls,
        @Setting(key = "handler.http.recordHeaders", defaultNote = "none",
                doc = "Headers of the item's record that are sent as request headers of the same names, separated by"
                        + " commas. Those of a CloudEvent are always sent.") String recordHeaders) {
    private static final String SECTION = "handler.http.";
    private static final String STATUSES = "codes and ranges from 300 to 999, such as 404, 500-599";
    /** Prefix of the headers of attributes. */
    static final String ATTRIBUTE_PREFIX = "spillway-attribute-";
    /** Set by the handler from the item, or by the HTTP client. */
    private static final Set<String> RESERVED = Set.of("content-type", "idempotency-key", "traceparent", "tracestate",
            "connection", "content-length", "expect", "host", "upgrade", "transfer-encoding");
    private static final String TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}";

    public HttpSettings {
        UrlTemplate.problem(url).ifPresent(problem -> {
            if (url.contains("@")) {
                // It may contain a password.
                throw new InvalidSettingException("handler.http.url", "***", problem + ". Use"
                        + " handler.http.secretHeaders for the header Authorization: its value is Basic and"
                        + " USER:PASSWORD in base64");
            }
            throw new InvalidSettingException("handler.http.url", url, problem);
        });
        AllowedRange.check(HttpSettings.class, url, connectTimeout, requestTimeout, maxItems);
        new StatusRules(retryStatuses, unavailableStatuses, finalStatuses);
        headers = Map.copyOf(headers);
        secretHeaders = Map.copyOf(secretHeaders);
        Set<String> names = new HashSet<>();
        new TreeMap<>(headers).keySet().forEach(name -> checkName("handler.http.headers", name, names));
        new TreeMap<>(secretHeaders).keySet().forEach(name -> checkName("handler.http.secretHeaders", name, names));
        headers.forEach((name, value) -> {
            if (!isValue(value)) {
                throw new InvalidSettingException("handler.http.headers." + name, "***", "must be printable ASCII");
            }
        });
        namesIn(recordHeaders).forEach(name -> checkName("handler.http.recordHeaders", name, names));
    }

    /**
     * Returns settings with the defaults for what is not given.
     *
     * @param values by key, without {@code handler.http.} before it: {@code url}, {@code tls.trustFile}
     * @throws InvalidSettingException if a key is unknown or a value is not allowed
     */
    public static HttpSettings of(Map<String, String> values) {
        Map<String, String> byKey = new TreeMap<>();
        values.forEach((key, value) -> byKey.put(SECTION + key, value));
        SettingsBinder binder = new SettingsBinder(byKey);
        HttpSettings settings = binder.bind(HttpSettings.class);
        for (String key : binder.unused()) {
            throw new InvalidSettingException(key, byKey.get(key), "unknown key; see docs/configuration.md");
        }
        return settings;
    }

    StatusRules rules() {
        return new StatusRules(retryStatuses, unavailableStatuses, finalStatuses);
    }

    /** Returns the names of the record headers to send, in lower case. */
    Set<String> sentRecordHeaders() {
        return namesIn(recordHeaders).map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
    }

    private static Stream<String> namesIn(String list) {
        return list.isBlank() ? Stream.empty() : Stream.of(list.split(",")).map(String::strip);
    }

    /** Returns the files that the settings name, and empty texts for those that are not set. */
    List<String> files() {
        return Stream.concat(secretHeaders.values().stream(), Stream.of(tls.trustFile, tls.trustPasswordFile,
                tls.certificateFile, tls.keyFile, tls.keystoreFile, tls.keystorePasswordFile)).toList();
    }

    /** Returns whether text is printable ASCII, which a header can carry unchanged. */
    static boolean isValue(String text) {
        return text.chars().allMatch(c -> c >= ' ' && c <= '~');
    }

    private static void checkName(String key, String name, Set<String> names) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (!name.matches(TOKEN)) {
            throw new InvalidSettingException(key, name, "must be the name of an HTTP header");
        }
        if (RESERVED.contains(lower) || lower.startsWith("spillway-")) {
            throw new InvalidSettingException(key, name, "must not be a header that Spillway or the HTTP client sets");
        }
        if (!names.add(lower)) {
            throw new InvalidSettingException(key, name, "must be set once; case does not matter");
        }
    }

    /** Returns a text without the values of headers. */
    @Override
    public String toString() {
        return "HttpSettings[headers=" + headers.keySet() + ", secretHeaders=" + secretHeaders.keySet() + ", " + tls
                + "]";
    }

    /** Trusted certificates and the client's certificate; neither for the trust store of Java and no certificate. */
    public record Tls(
            @Setting(key = "handler.http.tls.trustFile",
                    doc = "PEM file with the certificates to trust, or a PKCS #12 store (.p12 or .pfx), instead of"
                            + " those of Java.") String trustFile,
            @Setting(key = "handler.http.tls.trustPasswordFile",
                    doc = "File that contains the password of a PKCS #12 trust store.") String trustPasswordFile,
            @Setting(key = "handler.http.tls.certificateFile",
                    doc = "PEM file with the client's certificate and its chain. It needs keyFile too.")
                    String certificateFile,
            @Setting(key = "handler.http.tls.keyFile", doc = "PEM file with the client's private key (PKCS #8).")
                    String keyFile,
            @Setting(key = "handler.http.tls.keystoreFile",
                    doc = "PKCS #12 store with both, instead of the two PEM files.") String keystoreFile,
            @Setting(key = "handler.http.tls.keystorePasswordFile",
                    doc = "File that contains the password of the PKCS #12 store.") String keystorePasswordFile) {
        public Tls {
            if (certificateFile.isEmpty() != keyFile.isEmpty()) {
                throw new InvalidSettingException(
                        certificateFile.isEmpty() ? "handler.http.tls.certificateFile" : "handler.http.tls.keyFile",
                        "", "must be a PEM file, because the other of the two is set");
            }
            if (!keystoreFile.isEmpty() && !certificateFile.isEmpty()) {
                throw new InvalidSettingException("handler.http.tls.keystoreFile", keystoreFile,
                        "must be empty, because handler.http.tls.certificateFile is set");
            }
        }

        /** Returns whether any of it is set. */
        boolean isOn() {
            return !trustFile.isEmpty() || !certificateFile.isEmpty() || !keystoreFile.isEmpty();
        }
    }
}
