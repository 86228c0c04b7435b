package io.spillway.core.policy;

import io.spillway.core.item.PoolName;
import io.spillway.core.settings.Durations;
import io.spillway.core.settings.Numbers;
import io.spillway.core.text.Printable;
import io.spillway.core.text.UrlTemplate;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Fields of a tenant's policy: key, product default, type, range and description of each. This is the only declaration
 * of a field: configuration, its reference page, policy files, flags of commands, JSON and the records of the policies
 * topic follow it, and {@link TenantPolicy} has its value in force.
 *
 * <p>A stored value is a {@link Double}, {@link Long}, {@link Boolean} or {@link String} according to {@link Type};
 * {@link #NONE} means "none" where a field allows it, and {@link #AUTO} "auto".
 */
public enum PolicyField {
    RATE("rate", "none", Type.NUMBER, 0.001, 10_000_000, true,
            "rate limit of the lanes, items a second: excess items are accepted and go to the overflow lane"),
    BURST("burst", "none", Type.COUNT, 1, 1_000_000_000, true,
            "items that may arrive at once; none: as many as one second of the rate"),
    ADMISSION_RATE("admissionRate", "none", Type.NUMBER, 0.001, 10_000_000, true,
            "rate limit of the gateways, items a second: excess items are refused with 429"),
    ADMISSION_BURST("admissionBurst", "none", Type.COUNT, 1, 1_000_000_000, true,
            "items that may arrive at once; none: as many as one second of the admissionRate"),
    CONCURRENCY("concurrency", "none", Type.COUNT, 1, 100_000, true,
            "maximum number of handler calls at the same time, over all workers"),
    ATTEMPT_RATE("attemptRate", "none", Type.NUMBER, 0.001, 1_000_000, true,
            "maximum number of handler calls that start in a second, over all workers; further items wait"),
    AGED_AFTER("agedAfter", "5m", Type.DURATION, 1, Limits.YEAR_MILLIS, true,
            "age above which items go to the aged lane"),
    TTL("ttl", "none", Type.DURATION, 1, Limits.YEAR_MILLIS, true, "time to live: older items are dropped"),
    SWEEPABLE("sweepable", "false", Type.FLAG, 0, 1, false, "whether items that a completed sweep covers are dropped"),
    SWEEP_MARGIN("sweepMargin", "1m", Type.DURATION, 0, Limits.DAY_MILLIS, false,
            "a sweep covers only items from before its start less this time; set it above the clock differences of "
                    + "producers, brokers and those who start sweeps"),
    ATTEMPTS("attempts", "5", Type.COUNT, 1, 1_000, false,
            "failures that count against the item, after which it becomes a dead letter; a failure counts less, or "
                    + "not at all, while the destination fails for other items too"),
    RETRY_FOR("retryFor", "6h", Type.DURATION, 1_000, Limits.YEAR_MILLIS, true,
            "how long an item that keeps failing is retried, from when it was enqueued or replayed; then it becomes a "
                    + "dead letter"),
    EXPIRE_AFTER("expireAfter", "14d", Type.DURATION, 1_000, Limits.YEAR_MILLIS, true,
            "how long an item may wait for its first attempt; then it becomes a dead letter"),
    ORDER_HOLD("orderHold", "0ms", Type.DURATION, 0, 30 * Limits.DAY_MILLIS, false,
            "how long a dead letter holds the later items of its order key, unless it is replayed or discarded before; "
                    + "0ms: they go on"),
    DEDUPE_WINDOW("dedupeWindow", "1d", Type.DURATION, 0, 7 * Limits.DAY_MILLIS, false,
            "how long the id of an item with dedupe is remembered, whose duplicates are dropped; 0ms: they are not"),
    RETRY_TOKENS("retryTokens", "16", Type.COUNT, 1, 1_000_000, false,
            "retries that the tenant may save up for times when few attempts succeed"),
    RETRY_EARNED("retryEarned", "1", Type.NUMBER, 0, 1, false, "retries that one successful attempt earns"),
    BACKOFF_BASE("backoffBase", "1s", Type.DURATION, 1, Limits.DAY_MILLIS, false, "first wait before a retry"),
    BACKOFF_CAP("backoffCap", "5m", Type.DURATION, 1, Limits.DAY_MILLIS, false, "maximum wait before a retry"),
    JITTER("jitter", "full", Type.CHOICE, List.of("full", "equal", "decorrelated", "none"),
            "randomization of the waits before retries"),
    TIMEOUT("timeout", "30s", Type.DURATION, 1, Limits.DAY_MILLIS, "auto",
            "deadline of one attempt of the handler; auto: from the measured durations, and 30s until there are some"),
    TIMEOUT_MIN("timeoutMin", "1s", Type.DURATION, 1, Limits.DAY_MILLIS, false, "minimum of an automatic timeout"),
    TIMEOUT_MAX("timeoutMax", "10m", Type.DURATION, 1, Limits.DAY_MILLIS, false, "maximum of an automatic timeout"),
    WEIGHT("weight", "1", Type.NUMBER, 0.01, 1_000, false, "share of a worker's slots, relative to other tenants"),
    SHARD_SIZE("shardSize", "4", Type.COUNT, 1, 10_000, false, "partitions of each lane for this tenant"),
    DEDICATED("dedicated", "0", Type.COUNT, 0, 10_000, false,
            "partitions reserved for this tenant; ignored in the defaults"),
    POOL("pool", PoolName.SHARED, Type.NAME, 0, 0, false,
            "pool of the workers that handle the dedicated partitions, as in worker.pool; ignored without any"),
    MOVE_BACKLOG("moveBacklog", "false", Type.FLAG, 0, 1, false,
            "whether waiting items move to the tenant's partitions when these change, as they always do to those of "
                    + "another pool"),
    BACK_PRESSURE("backPressure", "shed", Type.CHOICE, List.of("shed", "accept"),
            "whether the gateways refuse items because of maxDrain, maxDepth and growth; admissionRate holds anyway"),
    MAX_DRAIN("maxDrain", "1h", Type.DURATION, 1_000, Limits.YEAR_MILLIS, true,
            "longest time that the backlog may need at the tenant's rate of completion; above it the gateways "
                    + "refuse a part of the items"),
    MAX_DEPTH("maxDepth", "none", Type.COUNT, 1, Long.MAX_VALUE / 2, true,
            "number of waiting items above which the gateways refuse a part of the items"),
    GROWTH("growth", "none", Type.NUMBER, 1.1, 1_000, true,
            "limit of a tenant without a rate, as a multiple of its long-term use"),
    GROWTH_FLOOR("growthFloor", "10", Type.NUMBER, 0.001, 10_000_000, false,
            "minimum of a growing limit, items a second"),
    GROWTH_CEILING("growthCeiling", "none", Type.NUMBER, 0.001, 10_000_000, true,
            "maximum of a growing limit, items a second"),
    GROWTH_PER_DAY("growthPerDay", "1.5", Type.NUMBER, 1.01, 100, false,
            "maximum factor by which a growing limit rises in a day"),
    PAUSED("paused", "false", Type.FLAG, 0, 1, false, "whether items are accepted but held in delay, without attempts"),
    PAUSE_WHEN_DOWN("pauseWhenDown", "false", Type.FLAG, 0, 1, false,
            "whether a subscription is paused when a delivery's retryFor is over and its receiver does not work"),
    DONE_WITHIN("doneWithin", "none", Type.DURATION, 1, Limits.YEAR_MILLIS, true,
            "objective: how soon after it was enqueued, or was due, an item is to be done; counted, and alerted"),
    TRACKED("tracked", "false", Type.FLAG, 0, 1, false,
            "whether the trail follows each move of its items, so that its producers can ask the gateways for their state"),
    URL("url", "none", Type.URL, 0, 0, true,
            "where a handler of the type webhook posts items; may contain {tenant} and {workload} in its path or query"),
    SIGNING_KEY("signingKey", "none", Type.NAME, 0, 0, true,
            "file in handler.webhook.keys with the secrets that sign the requests, and with headers of the receiver"),
    DESTINATION("destination", "none", Type.NAME, 0, 0, true,
            "destination that its handler calls, with settings and limits that all who name it share");

    /** Fields that a workload can have too. */
    public static final List<PolicyField> OF_WORKLOADS = List.of(WEIGHT, CONCURRENCY, ATTEMPT_RATE, PAUSED);

    /** Fields that a subscription can have: those of a workload, and those of an attempt and of an item's end. */
    public static final List<PolicyField> OF_SUBSCRIPTIONS = List.of(WEIGHT, CONCURRENCY, ATTEMPT_RATE, PAUSED,
            ATTEMPTS, RETRY_FOR, EXPIRE_AFTER, BACKOFF_BASE, BACKOFF_CAP, JITTER, TIMEOUT, TIMEOUT_MIN, TIMEOUT_MAX,
            PAUSE_WHEN_DOWN, URL, SIGNING_KEY, DESTINATION);

    /**
     * Fields that a destination can have: concurrency and rate are limits of all together who name it, and each of them
     * has the others where it sets nothing itself.
     */
    public static final List<PolicyField> OF_DESTINATIONS = List.of(CONCURRENCY, ATTEMPT_RATE, PAUSED, ATTEMPTS,
            RETRY_FOR, BACKOFF_BASE, BACKOFF_CAP, JITTER, TIMEOUT, TIMEOUT_MIN, TIMEOUT_MAX, URL, SIGNING_KEY);

    /** Type of a field's value. */
    public enum Type {
        NUMBER,
        COUNT,
        DURATION,
        FLAG,
        CHOICE,
        NAME,
        URL
    }

    /** Stored value for "none": -1 as a {@link Long}, or -1.0 for a {@link Type#NUMBER}. */
    public static final long NONE = -1;
    /** Stored value for "auto", of {@link #TIMEOUT} alone: no field can be both none and automatic. */
    public static final long AUTO = NONE;

    /** Longer ones are refused by common servers. */
    public static final int MAX_URL_LENGTH = 2_000;

    private static final String NONE_TEXT = "none";

    private final String key;
    /** Product default, as text. */
    private final String preset;
    private final String flag;
    private final Type type;
    private final double min;
    private final double max;
    /** What {@link #NONE} stands for; empty for a field whose value is always of its type. */
    private final Optional<String> word;
    private final List<String> choices;
    private final String help;

    PolicyField(
            String key, String preset, Type type, double min, double max, boolean canBeNone, String help) {
        this(key, preset, type, min, max, canBeNone ? Optional.of(NONE_TEXT) : Optional.empty(), List.of(), help);
    }

    PolicyField(String key, String preset, Type type, double min, double max, String word, String help) {
        this(key, preset, type, min, max, Optional.of(word), List.of(), help);
    }

    PolicyField(String key, String preset, Type type, List<String> choices, String help) {
        this(key, preset, type, 0, 0, Optional.empty(), choices, help);
    }

    PolicyField(
            String key, String preset, Type type, double min, double max, Optional<String> word, List<String> choices,
            String help) {
        this.key = key;
        this.preset = preset;
        this.flag = key.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        this.type = type;
        this.min = min;
        this.max = max;
        this.word = word;
        this.choices = choices;
        this.help = help;
    }

    /** Returns the key in configuration and schema, for example {@code agedAfter}. */
    public String key() {
        return key;
    }

    /** Returns the flag of {@code tenants set} without dashes, for example {@code aged-after}. */
    public String flag() {
        return flag;
    }

    public Type type() {
        return type;
    }

    String preset() {
        return preset;
    }

    /** Returns a short description. */
    public String help() {
        return help;
    }

    /** Returns the allowed values for help texts and errors, for example {@code 1ms to 365d, or none}. */
    public String allowed() {
        String range = switch (type) {
            case FLAG -> "true or false";
            case CHOICE -> String.join(", ", choices);
            case NAME -> PoolName.RULE;
            case URL -> "http://HOST... or https://HOST..., at most " + MAX_URL_LENGTH + " characters";
            case DURATION -> Durations.format((long) min) + " to " + Durations.format((long) max);
            case COUNT -> (long) min + " to " + (max > 1e15 ? "2^62" : Long.toString((long) max));
            case NUMBER -> plain(min) + " to " + plain(max);
        };
        return range + word.map(", or "::concat).orElse("");
    }

    /**
     * Parses a value to its stored form.
     *
     * @throws IllegalArgumentException when it is not allowed; the message has the key, the value and what is allowed
     */
    public Object parse(String text) {
        String trimmed = text.strip();
        if (word.isPresent() && trimmed.equals(word.get())) {
            return wordValue();
        }
        try {
            Object value = switch (type) {
                case NUMBER -> Numbers.decimal(trimmed);
                case COUNT -> Numbers.whole(trimmed);
                case DURATION -> Durations.parseMillis(trimmed);
                case FLAG -> parseFlag(trimmed);
                case CHOICE, NAME, URL -> trimmed;
            };
            // -1 is only a stored form; it is not valid as text.
            if (isValid(value) && !wordValue().equals(value)) {
                return value;
            }
        } catch (IllegalArgumentException wrongType) {
            // The message below covers it.
        }
        if (type == Type.URL) {
            // It may contain a password.
            throw new IllegalArgumentException(key + " = " + (text.contains("@") ? "***" : Printable.of(text)) + ": "
                    + UrlTemplate.problem(trimmed).filter(problem -> problem.startsWith("must not"))
                            .orElse("must be " + allowed()));
        }
        throw new IllegalArgumentException(key + " = " + Printable.of(text) + ": must be " + allowed()
                + Numbers.hint(text) + (type == Type.DURATION ? " (" + Durations.UNITS_TEXT + ")" : ""));
    }

    /**
     * Returns a valid stored value as 64 bits: {@link Long#MAX_VALUE} for none, the bits of a {@link Double}, 0 or 1
     * for a flag, the number of a choice, and a hash of a name or URL, which is read from the settings.
     */
    long bits(Object stored) {
        return switch (type) {
            case NUMBER -> Double.doubleToLongBits((Double) stored);
            case COUNT, DURATION -> isWord(stored) ? Long.MAX_VALUE : (Long) stored;
            case FLAG -> (Boolean) stored ? 1 : 0;
            case CHOICE -> choices.indexOf(stored);
            case NAME, URL -> isWord(stored) ? Long.MAX_VALUE : stored.hashCode();
        };
    }

    /** Returns whether a stored value of any origin is one that {@link #parse} can return. */
    public boolean isValid(Object value) {
        return switch (type) {
            case NUMBER -> value instanceof Double d && (inRange(d) || word.isPresent() && d == NONE);
            case COUNT, DURATION -> value instanceof Long n && (inRange(n) || word.isPresent() && n == NONE);
            case FLAG -> value instanceof Boolean;
            case CHOICE -> value instanceof String s && choices.contains(s);
            case NAME -> value instanceof String s && PoolName.isValid(s) || isWord(value);
            case URL -> value instanceof String s && s.length() <= MAX_URL_LENGTH && UrlTemplate.problem(s).isEmpty()
                    || isWord(value);
        };
    }

    /** Formats a stored value as {@link #parse} reads it. */
    public String format(Object value) {
        if (isWord(value)) {
            return word.orElseThrow();
        }
        return switch (value) {
            case Long millis when type == Type.DURATION -> Durations.format(millis);
            case Double number -> plain(number);
            default -> value.toString();
        };
    }

    /** Returns the key in JSON, which ends with the unit: {@code ttlMillis}, {@code ratePerSecond}. */
    public String jsonKey() {
        if (this == RATE || this == ADMISSION_RATE || this == ATTEMPT_RATE) {
            return key + "PerSecond";
        }
        return type == Type.DURATION ? key + "Millis" : key;
    }

    /** Returns a stored value as JSON has it: a number, a flag or text; null for none. */
    public Object jsonValue(Object value) {
        return !isWord(value) ? value : word.orElseThrow().equals(NONE_TEXT) ? null : word.get();
    }

    /** Returns all flags. */
    public static List<String> flags() {
        return Arrays.stream(values()).map(PolicyField::flag).toList();
    }

    private boolean isWord(Object value) {
        return word.isPresent() && wordValue().equals(value);
    }

    private Object wordValue() {
        return type == Type.NUMBER ? (Object) (double) NONE : (Object) NONE;
    }

    private boolean inRange(double value) {
        return value >= min && value <= max;
    }

    private static Boolean parseFlag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("not a flag");
        };
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }

    /** Nested, because enum arguments cannot refer to constants of the enum. */
    private static final class Limits {
        static final long DAY_MILLIS = 86_400_000L;
        static final long YEAR_MILLIS = 365 * DAY_MILLIS;
    }
}
