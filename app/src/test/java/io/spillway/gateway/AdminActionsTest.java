package io.spillway.gateway;

import static io.spillway.gateway.GatewayUnderTest.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.core.policy.PolicySettings;
import io.spillway.kafka.topics.KafkaFailure;
import io.spillway.kafka.view.ApiKey;
import io.spillway.kafka.view.ApiKeys;
import io.spillway.kafka.view.SweepTarget;
import io.spillway.kafka.view.Sweeps;
import io.spillway.kafka.view.TenantPolicies;
import java.net.http.HttpResponse;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What operators change over HTTP, and what of it is refused. */
@Timeout(120) // Against a hang; nothing is measured.
class AdminActionsTest {
    private static final String ADMIN = GatewayUnderTest.ADMIN_KEY;

    private final GatewayUnderTest gateway = new GatewayUnderTest(true);

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void a_pause_is_stored_and_in_the_log_with_who_and_what() {
        JsonNode answer = json(act("{\"action\":\"pause\",\"tenant\":\"acme\",\"workload\":\"mail\"}"), 200);
        assertThat(answer.get("result").textValue()).startsWith("acme workload mail is paused.");
        assertThat(answer.at("/action/by").textValue()).isEqualTo("operator");
        assertThat(answer.at("/details/paused").booleanValue()).isTrue();
        assertThat(policies().of("acme").isPaused("mail")).isTrue();
        assertThat(policies().of("acme").paused()).isFalse();

        gateway.nowMillis.addAndGet(1);
        act("{\"action\":\"resume\",\"tenant\":\"acme\",\"workload\":\"mail\"}");
        assertThat(policies().of("acme").isPaused("mail")).isFalse();
        JsonNode log = json(get("/admin/actions"), 200).get("actions");
        assertThat(log).hasSize(2);
        JsonNode first = log.get(1);
        assertThat(first.get("action").textValue()).isEqualTo("pause");
        assertThat(first.get("tenant").textValue()).isEqualTo("acme");
        assertThat(first.at("/options/workload").textValue()).isEqualTo("mail");
        assertThat(first.get("by").textValue()).isEqualTo("operator");
        assertThat(first.get("at").textValue()).isEqualTo("2027-01-15T08:00:00Z");
        assertThat(first.get("result").textValue()).startsWith("acme workload mail is paused.");
        assertThat(json(get("/admin/actions?limit=1"), 200).get("actions")).hasSize(1);
    }

    @Test
    void a_key_that_is_made_over_http_opens_the_gateway_until_it_is_revoked() {
        JsonNode made = json(act("{\"action\":\"create-key\",\"tenant\":\"shop-*\",\"expiresIn\":\"1h\"}"), 200);
        String key = made.at("/details/key").textValue();
        assertThat(made.get("result").textValue()).matches("Created the key [0-9a-f]{16} of shop-\\*\\.");
        assertThat(made.at("/action/options/expiresIn").textValue()).isEqualTo("1h");
        assertThat(get("/admin/actions").body()).as("the log").contains("key create").doesNotContain(key);
        ApiKey presented = ApiKey.parse(key).orElseThrow();
        long nowMillis = gateway.nowMillis.get();
        assertThat(keys().of(presented, nowMillis + 3_599_999)).isPresent();
        assertThat(keys().of(presented, nowMillis + 3_600_000)).isEmpty();

        assertThat(json(act("{\"action\":\"revoke-keys\",\"tenant\":\"shop-*\",\"keyId\":\"00\"}"), 409)
                .get("detail").textValue()).startsWith("Nothing is revoked: shop-* has no key 00.");
        json(act("{\"action\":\"revoke-keys\",\"tenant\":\"shop-*\"}"), 200);
        assertThat(keys().size()).isZero();
        assertThat(act("{\"action\":\"create-key\",\"tenant\":\"a*b\"}").statusCode()).isEqualTo(400);
        assertThat(act("{\"action\":\"create-key\",\"tenant\":\"a\",\"expiresIn\":\"soon\"}").body())
                .contains("expiresIn soon: must be a duration such as 90d");
    }

    @Test
    void every_action_does_what_its_command_does() {
        json(act("{\"action\":\"set\",\"tenant\":\"acme\",\"rate\":5,\"agedAfter\":\"1m\"}"), 200);
        assertThat(policies().own("acme").json()).containsEntry("ratePerSecond", 5.0);
        json(act("{\"action\":\"isolate\",\"tenant\":\"acme\",\"partitions\":2}"), 200);
        assertThat(policies().of("acme").dedicated()).isEqualTo(2);
        json(act("{\"action\":\"release\",\"tenant\":\"acme\"}"), 200);
        assertThat(policies().of("acme").dedicated()).isZero();
        json(act("{\"action\":\"set\",\"tenant\":\"acme\",\"rate\":\"default\",\"agedAfter\":\"default\"}"), 200);
        assertThat(policies().own("acme")).isEqualTo(PolicySettings.NONE_SET);

        JsonNode cancelled = json(act("{\"action\":\"cancel\",\"tenant\":\"acme\",\"before\":\"2h\"}"), 200);
        assertThat(cancelled.get("result").textValue()).startsWith("Cancelled 3 waiting items of acme that entered");
        assertThat(cancelled.get("notes").toString())
                .contains("1 of them waits in delay. It is dropped when it is due, and counts as waiting until then.");
        json(act("{\"action\":\"sweep\",\"tenant\":\"*\",\"startedAt\":\"1h\"}"), 200);
        assertThat(sweeps().all()).hasSize(2).containsKey("!acme").containsKey("*");
        JsonNode listed = json(get("/admin/sweeps"), 200).get("sweeps");
        assertThat(listed).hasSize(2);
        assertThat(listed.get(0).get("kind").textValue()).isEqualTo("cancel");
        assertThat(listed.get(1).get("sweepId").textValue()).matches("[0-9a-f]{16}");
        assertThat(json(get("/admin/actions"), 200).get("actions")).hasSize(6);
    }

    @Test
    void a_later_cancel_of_an_earlier_time_leaves_the_first_in_force() {
        long now = gateway.nowMillis.get();
        json(act("{\"action\":\"cancel\",\"tenant\":\"acme\"}"), 200);
        json(act("{\"action\":\"sweep\",\"tenant\":\"acme\",\"startedAt\":\"1h\",\"id\":\"first\"}"), 200);
        gateway.nowMillis.addAndGet(60_000);
        String cancel = "{\"action\":\"cancel\",\"tenant\":\"acme\",\"before\":\"2h\"}";
        assertThat(json(act(cancel), 200).get("notes").toString())
                .contains("An earlier cancel stays in force. It covers items that entered before 2027-01-15T08:00:00Z.");
        String sweep = "{\"action\":\"sweep\",\"tenant\":\"acme\",\"startedAt\":\"3h\"}";
        assertThat(json(act(sweep), 200).get("notes").toString())
                .contains("An earlier sweep stays in force. It covers items that entered before 2027-01-15T07:00:00Z.");
        // The topic keeps the last record of a key only, as the queue of this test does.
        assertThat(sweeps().isCancelled("acme", "", now - 1, now + 60_000, () -> "a")).isTrue();
        assertThat(sweeps().isCancelled("acme", "", now, now + 60_000, () -> "a")).isFalse();
        assertThat(sweeps().of(new SweepTarget(true, "acme", "", "")).orElseThrow().times().completedAtMillis())
                .as("in force from the later one").isEqualTo(now + 60_000);
        assertThat(sweeps().all().get("acme").id()).isEqualTo("first");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "{'action':'pause','tenant':'acme','dryRun':true}                           | Nothing is changed.",
        "{'action':'set','tenant':'acme','rate':'5','dryRun':true}                  | Nothing is changed.",
        "{'action':'isolate','tenant':'acme','dryRun':true}                         | Nothing is changed.",
        "{'action':'cancel','tenant':'acme','dryRun':true}                          | 3 waiting items of acme",
        "{'action':'sweep','tenant':'acme','startedAt':'1h','id':'s','dryRun':true} | Would record sweep s",
    })
    void a_dry_run_stores_and_records_nothing(String body, String result) {
        assertThat(json(act(body.replace('\'', '"')), 200).get("result").textValue()).startsWith(result);
        assertThat(gateway.queue.stored(gateway.queue.topics.policies())).isEmpty();
        assertThat(gateway.queue.stored(gateway.queue.topics.sweeps())).isEmpty();
        assertThat(gateway.queue.stored(gateway.queue.topics.actions())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "{                                                              | 400 | not JSON",
        "[]                                                             | 400 | must be a JSON object",
        "{}                                                             | 400 | action = (absent): must be set",
        "{'action':'pause'}                                             | 400 | tenant = (absent): must be set",
        "{'action':'explode','tenant':'acme'}                           | 400 | action = explode: must be pause",
        "{'action':'pause','tenant':'a b'}                              | 400 | tenant a b: must be * or 1 to",
        "{'action':'pause','tenant':'acme','wrokload':'mail'}           | 400 | wrokload = mail: unknown key",
        "{'action':'pause','tenant':'acme','workload':['mail']}         | 400 | workload = [...]: must be one value",
        "{'action':'pause','tenant':'acme','workload':null}             | 400 | workload = null: must not be null",
        "{'action':'cancel','tenant':'acme','id':null}                  | 400 | id = null: must not be null",
        "{'action':'pause','tenant':'acme','dryRun':'maybe'}            | 400 | dryRun = maybe: must be true or false",
        "{'action':'isolate','tenant':'*'}                              | 400 | must be one tenant",
        "{'action':'isolate','tenant':'acme','partitions':0}            | 400 | partitions = 0: must be a whole number",
        "{'action':'isolate','tenant':'acme','partitions':99999999999}  | 400 | partitions = 99999999999: must be",
        "{'action':'isolate','tenant':'acme','partitions':13}           | 409 | Nothing is changed",
        "{'action':'isolate','tenant':'acme','partitions':'x'}          | 400 | partitions = x: must be a whole number",
        "{'action':'release','tenant':'acme'}                           | 409 | has no dedicated partitions",
        "{'action':'release','tenant':'acme','shard':true}              | 400 | shard: needs shards.overlap",
        "{'action':'set','tenant':'acme'}                               | 400 | nothing to set",
        "{'action':'set','tenant':'acme','agedAfter':'soon'}            | 400 | agedAfter: ",
        "{'action':'set','tenant':'acme','dedicated':13}                | 409 | Nothing is changed",
        "{'action':'set','tenant':'acme','workload':'w','rate':'1'}     | 400 | cannot be used",
        "{'action':'cancel','tenant':'*'}                               | 400 | tenant *: must be",
        "{'action':'cancel','tenant':'acme','before':'2100-01-01T00:00:00Z'} | 400 | before 2100",
        "{'action':'sweep','tenant':'acme'}                             | 400 | startedAt = (absent): must be set",
        "{'action':'sweep','tenant':'acme','startedAt':'1h','completedAt':'2h'} | 400 | completedAt 2h: must not",
    })
    void a_refused_action_says_why_and_changes_nothing(String body, int status, String why) {
        HttpResponse<String> answer = act(body.replace('\'', '"'));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.body()).contains(why);
        assertThat(gateway.queue.stored(gateway.queue.topics.policies())).isEmpty();
        assertThat(gateway.queue.stored(gateway.queue.topics.sweeps())).isEmpty();
        // Who tried what is of interest, but not every slip of a pen.
        assertThat(json(get("/admin/actions"), 200).get("actions").size())
                .isEqualTo(status == 409 || body.contains("release") ? 1 : 0);
    }

    @Test
    void an_action_that_cannot_be_recorded_is_done_and_says_so() {
        gateway.queue.readOnly.add(gateway.queue.topics.actions());
        JsonNode answer = json(act("{\"action\":\"pause\",\"tenant\":\"acme\"}"), 200);
        assertThat(answer.get("notes").get(0).textValue()).contains("not in the action log", "Not authorized");
        assertThat(policies().of("acme").paused()).isTrue();
    }

    @Test
    void a_failure_of_kafka_is_not_a_refusal() {
        gateway.queue.failure = Optional.of(new KafkaFailure("Topic spillway.policies: no leader\n\u001b[31m"));
        HttpResponse<String> answer = act("{\"action\":\"pause\",\"tenant\":\"acme\"}");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("no leader").doesNotContain("\u001b");
    }

    @Test
    void a_body_may_have_sixty_four_kibibytes() {
        String action = "{\"action\":\"pause\",\"tenant\":\"acme\"}";
        assertThat(act(action + " ".repeat(64 * 1024 - action.length())).statusCode()).isEqualTo(200);
        assertThat(act(action + " ".repeat(64 * 1024 - action.length() + 1)).statusCode()).isEqualTo(413);
    }

    @Test
    void dead_letters_are_listed_and_payloads_are_hidden_from_viewers() {
        JsonNode page = json(get("/admin/dead-letters?tenant=acme"), 200);
        assertThat(page.get("items")).hasSize(1);
        assertThat(page.at("/items/0/position").textValue()).isEqualTo("0-7");
        assertThat(page.at("/items/0/workload").textValue()).isEqualTo("mail");
        assertThat(page.at("/items/0/bytes").intValue()).isPositive();
        assertThat(page.at("/counts/0/count").intValue()).isEqualTo(1);
        assertThat(json(get("/admin/dead-letters?tenant=bolt"), 200).get("items")).isEmpty();

        JsonNode whole = json(get("/admin/dead-letters/0-7"), 200);
        assertThat(whole.get("kind").textValue()).isEqualTo("text");
        assertThat(whole.get("payload").textValue()).isEqualTo("hello");
        assertThat(whole.get("headers").toString()).contains("secret of the producer");
        HttpResponse<String> hidden = gateway.send("GET", "/admin/dead-letters/0-7", GatewayUnderTest.VIEWER_KEY, "");
        assertThat(hidden.statusCode()).isEqualTo(200);
        assertThat(hidden.body()).contains("order-1", "attempts-used-up", "payloadBytes")
                .doesNotContain("hello", "secret", "no luck", "\"payload\"");
        try (GatewayUnderTest open = new GatewayUnderTest(true, "gateway.viewerPayloads", "true")) {
            assertThat(open.send("GET", "/admin/dead-letters/0-7", GatewayUnderTest.VIEWER_KEY, "").body())
                    .contains("hello");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "tenant=a%20b        | tenant a b: must be",
        "reason=X            | reason X: must be one of",
        "since=yesterday     | since yesterday: must be a time",
        "since=1h&until=2h   | until 2h: must be after",
        "limit=0             | limit: must be 1 to 200",
        "limit=201           | limit: must be 1 to 200",
        "cursor=x            | cursor: must be",
        "cursor=1-2.         | cursor: must be",
        "tenant=a&tenant=b   | must be given once",
        "tenant=%FF          | must be",
    })
    void a_wrong_query_is_answered_400(String query, String why) {
        HttpResponse<String> answer = gateway.send("GET", "/admin/dead-letters?" + query, ADMIN, "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains(why);
    }

    private HttpResponse<String> act(String body) {
        return gateway.send("POST", "/admin/actions", ADMIN, body);
    }

    private HttpResponse<String> get(String path) {
        return gateway.send("GET", path, ADMIN, "");
    }

    private TenantPolicies policies() {
        TenantPolicies policies = new TenantPolicies(PolicySettings.NONE_SET);
        gateway.queue.stored(gateway.queue.topics.policies()).forEach(policies::put);
        return policies;
    }

    private ApiKeys keys() {
        ApiKeys keys = new ApiKeys();
        gateway.queue.stored(gateway.queue.topics.keys()).forEach(keys::put);
        return keys;
    }

    private Sweeps sweeps() {
        Sweeps sweeps = new Sweeps();
        gateway.queue.stored(gateway.queue.topics.sweeps()).forEach(sweeps::put);
        return sweeps;
    }
}
