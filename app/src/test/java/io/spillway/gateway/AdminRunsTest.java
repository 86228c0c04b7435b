package io.spillway.gateway;

import static io.spillway.gateway.GatewayUnderTest.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.deadletter.DeadLetter;
import io.spillway.deadletter.DeadLetterSamples;
import io.spillway.kafka.topics.KafkaFailure;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replays and discards over HTTP, and what of them is refused. */
@Timeout(120) // Against a hang; nothing is measured.
class AdminRunsTest {
    private static final String ADMIN = GatewayUnderTest.ADMIN_KEY;

    private final GatewayUnderTest gateway = new GatewayUnderTest(true);

    @AfterEach
    void close() {
        gateway.queue.mayRun.countDown();
        gateway.close();
    }

    @Test
    void a_run_is_planned_started_watched_and_logged() {
        for (int i = 0; i < 4; i++) {
            gateway.queue.letters.add(DeadLetterSamples.letter(
                    1, i, "bolt", "b-" + i, 1_799_999_000_000L + i, new byte[] {1, 2}));
        }
        JsonNode plan = json(
                run("{\"kind\":\"replay\",\"filter\":{\"tenant\":\"bolt\"},\"rate\":10,\"dryRun\":true}"), 200);
        assertThat(plan.get("selected").intValue()).isEqualTo(4);
        assertThat(plan.get("result").textValue()).startsWith("Would replay 4 dead letters, the last due at");
        assertThat(gateway.queue.letters).hasSize(5);

        gateway.queue.mayRun = new CountDownLatch(1);
        String id = json(run("{\"kind\":\"replay\",\"filter\":{\"ids\":[\"order-1\",\"b-2\"]},\"rate\":10}"), 202)
                .get("id").textValue();
        JsonNode running = await(id, "running");
        assertThat(running.get("selected").intValue()).isEqualTo(2);
        assertThat(running.get("done").intValue()).isZero();
        assertThat(running.get("by").textValue()).isEqualTo("operator");
        gateway.queue.mayRun.countDown();
        JsonNode done = await(id, "done");
        assertThat(done.get("done").intValue()).isEqualTo(2);
        assertThat(done.get("result").textValue()).startsWith("Replayed 2 dead letters");
        assertThat(json(get("/admin/runs"), 200).at("/runs/0/id").textValue()).isEqualTo(id);
        JsonNode log = json(get("/admin/actions"), 200).get("actions");
        assertThat(log.toString()).contains("Started run " + id, "Run " + id + ": Replayed 2 dead letters");
        assertThat(log).hasSize(2);
    }

    @Test
    void a_run_by_position_leaves_the_same_id_of_another_tenant() {
        gateway.queue.letters.add(DeadLetterSamples.letter(
                1, 3, "bolt", "order-1", 1_799_999_000_000L, new byte[] {1}));
        String one = "{\"kind\":\"discard\",\"filter\":{\"positions\":[\"1-3\"]}";
        assertThat(json(run(one + ",\"dryRun\":true}"), 200).get("result").textValue())
                .isEqualTo("Would discard 1 dead letter.");
        await(json(run(one + "}"), 202).get("id").textValue(), "done");
        assertThat(gateway.queue.letters).singleElement().extracting(DeadLetter::owner).isEqualTo("acme");
    }

    @Test
    void a_run_of_a_position_that_is_gone_changes_nothing() {
        String both = "{\"kind\":\"discard\",\"filter\":{\"positions\":[\"0-7\",\"0-8\"]}";
        HttpResponse<String> plan = run(both + ",\"dryRun\":true}");
        assertThat(plan.statusCode()).as(plan.body()).isEqualTo(409);
        assertThat(plan.body()).contains("Only 1 of the 2 selected dead letters are there");
        JsonNode failed = await(json(run(both + "}"), 202).get("id").textValue(), "failed");
        assertThat(failed.get("result").textValue()).contains("Nothing is changed");
        assertThat(gateway.queue.letters).hasSize(1);
    }

    @Test
    void a_run_is_cancelled_and_five_at_a_time_are_one_too_many() {
        gateway.queue.mayRun = new CountDownLatch(1);
        String first = "";
        for (int i = 0; i < 4; i++) {
            String id = json(run("{\"kind\":\"discard\",\"all\":true}"), 202).get("id").textValue();
            first = i == 0 ? id : first;
        }
        assertThat(run("{\"kind\":\"discard\",\"all\":true}").statusCode()).isEqualTo(409);
        await(first, "running");
        String waiting = json(get("/admin/runs"), 200).at("/runs/0/id").textValue();
        assertThat(json(get("/admin/runs/" + waiting), 200).get("state").textValue()).isEqualTo("counting");
        json(gateway.send("POST", "/admin/runs/" + waiting + ":cancel", ADMIN, ""), 200);
        JsonNode cancelled = await(waiting, "cancelled");
        assertThat(cancelled.get("result").textValue()).isEqualTo("Nothing was changed: cancelled by operator.");
        json(gateway.send("POST", "/admin/runs/" + first + ":cancel", ADMIN, ""), 200);
        gateway.queue.mayRun.countDown();
        assertThat(await(first, "cancelled").get("result").textValue()).contains("Stopped after 0 of 1");
        assertThat(gateway.send("POST", "/admin/runs/" + first + ":cancel", ADMIN, "").statusCode()).isEqualTo(409);
    }

    @Test
    void a_replay_that_waits_its_turn_has_the_rate_from_when_it_begins() {
        for (int i = 0; i < 11; i++) {
            gateway.queue.letters.add(DeadLetterSamples.letter(
                    1, i, "bolt", "b-" + i, 1_799_999_000_000L + i, new byte[] {1}));
        }
        gateway.queue.mayRun = new CountDownLatch(1);
        String first = json(run("{\"kind\":\"discard\",\"filter\":{\"tenant\":\"acme\"}}"), 202)
                .get("id").textValue();
        String second = json(run("{\"kind\":\"replay\",\"filter\":{\"tenant\":\"bolt\"},\"rate\":1}"), 202)
                .get("id").textValue();
        await(first, "running");
        gateway.nowMillis.addAndGet(1_800_000);
        gateway.queue.mayRun.countDown();
        JsonNode done = await(second, "done");
        assertThat(done.get("result").textValue())
                .isEqualTo("Replayed 11 dead letters, the last due at 2027-01-15T08:30:10Z.");
        assertThat(done.get("startedAt").textValue()).as("when it was asked for").isEqualTo("2027-01-15T08:00:00Z");
    }

    @Test
    void a_run_ends_with_its_gateway() {
        gateway.queue.mayRun = new CountDownLatch(1);
        await(json(run("{\"kind\":\"discard\",\"all\":true}"), 202).get("id").textValue(), "running");
        Thread closing = Thread.ofPlatform().start(gateway.operator::close);
        while (closing.getState() != Thread.State.TIMED_WAITING) {
            LockSupport.parkNanos(1_000_000);
        }
        gateway.queue.mayRun.countDown();
        assertThat(gateway.queue.letters).hasSize(1);
        await(json(get("/admin/runs"), 200).at("/runs/0/id").textValue(), "cancelled");
        assertThat(run("{\"kind\":\"discard\",\"all\":true}").statusCode()).isEqualTo(409);
    }

    @Test
    void a_run_that_fails_says_why() {
        gateway.queue.failure = Optional.of(new KafkaFailure("No coordinator"));
        String id = json(run("{\"kind\":\"replay\"}"), 202).get("id").textValue();
        assertThat(await(id, "failed").get("result").textValue()).isEqualTo("No coordinator");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "{}                                              | kind = (absent): must be set",
        "{'kind':'burn'}                                 | kind = burn: must be one of replay, discard",
        "{'kind':'discard'}                              | needs either a filter",
        "{'kind':'discard','filter':{}}                  | needs either a filter",
        "{'kind':'discard','all':true,'filter':{'tenant':'acme'}} | needs either a filter",
        "{'kind':'replay','rate':0}                      | rate 0.0: must be above 0",
        "{'kind':'replay','rate':'fast'}                 | rate = fast: must be a number",
        "{'kind':'replay','rate':'NaN'}                  | rate = NaN: must be a number",
        "{'kind':'replay','limit':0}                     | limit = 0: must be a whole number from 1",
        "{'kind':'replay','filter':[]}                   | filter = [...]: must be a JSON object",
        "{'kind':'replay','filter':{'tenat':'acme'}}     | filter.tenat = acme: unknown key",
        "{'kind':'replay','filter':{'ids':[]}}           | : must be a list of 1 to 1000 texts",
        "{'kind':'replay','filter':{'ids':'a'}}          | : must be a list of 1 to 1000 texts",
        "{'kind':'replay','filter':{'ids':null}}         | filter.ids = null: must not be null",
        "{'kind':'replay','filter':{'ids':[null]}}       | : must be a list of 1 to 1000 texts",
        "{'kind':'replay','filter':{'ids':[{}]}}         | : must be a list of 1 to 1000 texts",
        "{'kind':'replay','filter':{'positions':[7]}}    | filter.positions = [...]: must be a list",
        "{'kind':'replay','filter':{'positions':['7']}}  | filter.positions = [...]: must be of a partition",
        "{'kind':'replay','filter':{'tenant':null}}      | filter.tenant = null: must not be null",
        "{'kind':'replay','filter':null}                 | filter = null: must not be null",
        "{'kind':'replay','tenant':'acme'}               | tenant = acme: unknown key",
    })
    void a_wrong_run_is_answered_400_and_does_not_start(String body, String why) {
        HttpResponse<String> answer = run(body.replace('\'', '"'));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains(why);
        assertThat(json(get("/admin/runs"), 200).get("runs")).isEmpty();
    }

    private JsonNode await(String id, String state) {
        while (true) {
            JsonNode run = json(get("/admin/runs/" + id), 200);
            if (run.get("state").textValue().equals(state)) {
                return run;
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

    private HttpResponse<String> run(String body) {
        return gateway.send("POST", "/admin/runs", ADMIN, body);
    }

    private HttpResponse<String> get(String path) {
        return gateway.send("GET", path, ADMIN, "");
    }
}
