package io.spillway.operator;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.config.Configuration;
import io.spillway.config.DocumentMap;
import io.spillway.deadletter.DeadLetterCursor;
import io.spillway.deadletter.DeadLetterFilter;
import io.spillway.deadletter.DeadLetterPage;
import io.spillway.deadletter.ScanListener;
import io.spillway.deadletter.Survey;
import io.spillway.kafka.topics.Topics;
import io.spillway.kafka.view.Sweeps;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Requests of operators that read dead letters or change the queue, without HTTP. Owner of the runs. Thread-safe.
 *
 * <p>Bound: {@value #MAX_AT_A_TIME} requests that need Kafka at a time, each with clients of its own.
 */
public final class OperatorApi implements AutoCloseable {
    private static final String ACTIONS = "/actions";
    private static final String RUNS = "/runs";
    private static final String DEAD_LETTERS = "/dead-letters";
    private static final String SWEEPS = "/sweeps";
    private static final String CANCEL = ":cancel";
    /** Paths below the root of the API, for messages. */
    public static final List<String> PATHS = List.of(
            ACTIONS, RUNS, RUNS + "/ID", RUNS + "/ID" + CANCEL, DEAD_LETTERS, DEAD_LETTERS + "/POSITION", SWEEPS);

    private static final int MAX_AT_A_TIME = 8;
    private static final int MAX_ROWS = 200;
    private static final int MAX_IDS = 1_000;
    /** A browser waits about so long; the commands have no limit. */
    private static final long MAX_COUNT_MILLIS = 10_000;
    private static final Pattern POSITION = Pattern.compile("([0-9]{1,9})-([0-9]{1,18})");
    private static final Pattern RUN = Pattern.compile(RUNS + "/([0-9a-f]{16})(" + CANCEL + ")?");
    private static final JsonMapper JSON = new JsonMapper();

    private final OperatorQueue queue;
    private final Topics topics;
    private final ActionLog log;
    private final OperatorActions actions;
    private final DisposalRuns runs;
    private final InstantSource clock;
    private final LongSupplier randomBits;
    private final Semaphore slots = new Semaphore(MAX_AT_A_TIME);

    /**
     * Result of a change.
     *
     * @param isStarted whether it goes on after the answer
     */
    public record Answer(ObjectNode json, boolean isStarted) {}

    /**
     * Creates the API.
     *
     * @param log        newest entries of the action log
     * @param randomBits returns 64 random bits; thread-safe
     */
    public OperatorApi(
            OperatorQueue queue, Configuration configuration, ActionLog log, InstantSource clock,
            LongSupplier randomBits) {
        this.queue = queue;
        this.topics = new Topics(configuration.queue());
        this.log = log;
        ActionRecorder recorder = new ActionRecorder(topics.actions(), clock, randomBits);
        this.actions = new OperatorActions(
                queue, configuration, recorder, MAX_COUNT_MILLIS, clock, randomBits::getAsLong);
        this.runs = new DisposalRuns(queue, recorder, randomBits);
        this.clock = clock;
        this.randomBits = randomBits;
    }

    /** Returns whether a path has changes, and whether it can be read. */
    public static Set<String> methods(String path) {
        if (path.equals(ACTIONS) || path.equals(RUNS)) {
            return Set.of("GET", "POST");
        }
        return path.startsWith(RUNS + "/") && path.endsWith(CANCEL) ? Set.of("POST") : Set.of("GET");
    }

    /**
     * Answers a read request; empty if there is nothing at the path.
     *
     * @param query        parameters of the request
     * @param withPayloads whether the reader may see what producers have sent
     * @throws OperatorException if a parameter is not allowed
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster refuses or does not answer
     */
    public Optional<ObjectNode> get(String path, Map<String, String> query, boolean withPayloads) {
        Matcher run = RUN.matcher(path);
        if (path.equals(ACTIONS)) {
            ArrayNode entries = JSON.createArrayNode();
            log.newest(limit(query, ActionLog.MAX, 100)).forEach(entry -> entries.add(entry.json()));
            return Optional.of(JSON.createObjectNode().set("actions", entries));
        } else if (path.equals(RUNS)) {
            return Optional.of(json(Map.of("runs", runs.all())));
        } else if (run.matches() && run.group(2) == null) {
            return runs.get(run.group(1)).map(OperatorApi::json);
        } else if (path.equals(SWEEPS)) {
            return Optional.of(limited(this::sweeps));
        } else if (path.equals(DEAD_LETTERS)) {
            return Optional.of(limited(() -> page(query)));
        }
        return path.startsWith(DEAD_LETTERS + "/")
                ? limited(() -> deadLetter(path.substring(DEAD_LETTERS.length() + 1), withPayloads))
                : Optional.empty();
    }

    private ObjectNode sweeps() {
        try (CompactedStore store = queue.open()) {
            return json(Map.of("sweeps", Marks.inForce(store.read(topics.sweeps(), new Sweeps()), clock.millis())));
        }
    }

    private ObjectNode page(Map<String, String> query) {
        Optional<String> id = Optional.ofNullable(query.get("id"));
        DeadLetterFilter filter = DisposalOrder.filter(
                Optional.ofNullable(query.get("tenant")), Optional.ofNullable(query.get("reason")),
                Optional.ofNullable(query.get("since")), Optional.ofNullable(query.get("until")),
                id.map(Set::of).orElse(Set.of()), clock.millis());
        Optional<DeadLetterCursor> cursor = Optional.ofNullable(query.get("cursor")).map(DeadLetterCursor::parse);
        DeadLetterPage page = queue.page(filter, cursor, limit(query, MAX_ROWS, 50));
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("items", page.rows().stream().map(DeadLetterFields::of).toList());
        fields.put("cursor", page.next().map(DeadLetterCursor::text).orElse(null));
        if (cursor.isEmpty()) {
            fields.put("counts", DeadLetterFields.of(page.counts()));
            fields.put("countsComplete", page.isCountAll());
        }
        return json(fields);
    }

    private Optional<ObjectNode> deadLetter(String position, boolean withPayload) {
        Matcher parts = POSITION.matcher(position);
        return parts.matches()
                ? queue.deadLetter(Integer.parseInt(parts.group(1)), Long.parseLong(parts.group(2)))
                        .map(letter -> json(DeadLetterFields.shown(letter, withPayload)))
                : Optional.empty();
    }

    /**
     * Answers a change; empty if there is none at the path.
     *
     * @param body JSON object with what is asked for; may be empty
     * @param by   name of the user for the action log
     * @throws io.spillway.core.settings.InvalidSettingException if a key or a value in it is not allowed
     * @throws OperatorException if it is refused
     * @throws io.spillway.kafka.topics.KafkaFailure if the cluster refuses or does not answer
     */
    public Optional<Answer> post(String path, byte[] body, String by) {
        Matcher run = RUN.matcher(path);
        if (path.equals(ACTIONS)) {
            return Optional.of(limited(() -> act(DocumentMap.ofJson(body), by)));
        } else if (path.equals(RUNS)) {
            return Optional.of(limited(() -> dispose(DocumentMap.ofJson(body), by)));
        }
        return run.matches() && run.group(2) != null
                ? runs.cancel(run.group(1), by).map(fields -> new Answer(json(fields), false))
                : Optional.empty();
    }

    private Answer act(DocumentMap request, String by) {
        OperatorAction action = OperatorAction.read(
                request, clock.millis(), String.format(Locale.ROOT, "%016x", randomBits.getAsLong()));
        boolean dryRun = request.flag("dryRun");
        request.end();
        ActionResult result = actions.act(action, by, dryRun);
        ObjectNode json = JSON.createObjectNode().put("result", result.sentence());
        json.set("action", ActionEntry.of(clock.millis(), by, action.label(), action.tenant(), action.options(),
                result.sentence()).json());
        json.put("dryRun", dryRun);
        json.set("details", JSON.valueToTree(result.json()));
        return new Answer(json.set("notes", JSON.valueToTree(result.notes())), false);
    }

    private Answer dispose(DocumentMap request, String by) {
        DisposalOrder order = order(request);
        boolean dryRun = request.flag("dryRun");
        boolean all = request.flag("all");
        request.end();
        if (dryRun) {
            return new Answer(plan(order), false);
        }
        if (order.kind() == DisposalOrder.Kind.DISCARD && order.filter().isAll() != all) {
            throw new OperatorException("A discard needs either a filter or \"all\": true.");
        }
        return new Answer(json(Map.of("id", runs.start(order, by))), true);
    }

    private DisposalOrder order(DocumentMap request) {
        DisposalOrder.Kind kind = request.choice("kind", DisposalOrder.Kind.class);
        long nowMillis = clock.millis();
        DeadLetterFilter selected = request.one("filter", filter -> DisposalOrder.filter(
                filter.text("tenant"), filter.text("reason"), filter.text("since"), filter.text("until"),
                filter.texts("ids", MAX_IDS), nowMillis).at(positions(filter)));
        return new DisposalOrder(kind, selected,
                request.number("rate", 0, DisposalOrder.MAX_PER_SECOND).orElse(DisposalOrder.DEFAULT_PER_SECOND),
                request.whole("limit", 1, DisposalOrder.MAX_LIMIT).orElse(Long.MAX_VALUE), nowMillis);
    }

    private static Set<String> positions(DocumentMap filter) {
        Set<String> positions = filter.texts("positions", MAX_IDS);
        if (!positions.stream().allMatch(position -> POSITION.matcher(position).matches())) {
            throw filter.wrong("positions", "must be of a partition and an offset each, such as 3-1207");
        }
        return positions;
    }

    private ObjectNode plan(DisposalOrder order) {
        long endMillis = clock.millis() + MAX_COUNT_MILLIS;
        Survey survey = queue.survey(order, new ScanListener() {
            @Override
            public boolean isStopped() {
                return clock.millis() > endMillis;
            }
        }).orElseThrow(() -> OperatorException.conflict("The dead letters could not be counted within "
                + MAX_COUNT_MILLIS / 1_000 + " s. Use the command: spillway dead-letters " + order.kind().label()));
        order.requireFits(survey);
        Map<String, Object> plan = new LinkedHashMap<>(order.plan(survey));
        plan.put("kind", order.kind().label());
        plan.put("selected", survey.tally().count());
        plan.put("result", order.planned(survey));
        return json(plan);
    }

    private <T> T limited(Supplier<T> request) {
        if (!slots.tryAcquire()) {
            throw OperatorException.conflict("Too many requests of operators at a time. Repeat it.");
        }
        try {
            return request.get();
        } finally {
            slots.release();
        }
    }

    private static int limit(Map<String, String> query, int most, int absent) {
        String limit = query.getOrDefault("limit", "" + absent);
        if (!limit.matches("[0-9]{1,6}") || Integer.parseInt(limit) < 1 || Integer.parseInt(limit) > most) {
            throw new OperatorException("limit: must be 1 to " + most);
        }
        return Integer.parseInt(limit);
    }

    private static ObjectNode json(Map<String, Object> fields) {
        return JSON.valueToTree(fields);
    }

    /** Stops the runs after their current batches. */
    @Override
    public void close() {
        runs.close();
    }
}
