"""The client against a server that answers as it is told."""

import json
import threading
import time
import unittest
import warnings
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

from spillway_client import Dead, Later, NotAccepted, Producer, Refused, Unavailable, Worker


class Server:
    """Owner of the requests that came, and of the answers to the next ones: (status, headers, JSON)."""

    def __init__(self, answer):
        self.requests = []
        self.connections = 0
        self.lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                with server.lock:
                    server.connections += 1

            def finish(self):
                super().finish()
                with server.lock:
                    server.connections -= 1

            def do_GET(self):
                self.do_POST()

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                with server.lock:
                    server.requests.append((self.path, dict(self.headers), body))
                    status, headers, result = answer(self.path, body, len(server.requests))
                if status is None:
                    self.close_connection = True
                    return
                payload = json.dumps(result).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(payload))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


def leased(item_id, lease_seconds=30, **more):
    end = datetime.now(timezone.utc) + timedelta(seconds=lease_seconds)
    return {"tenant": "acme", "id": item_id, "workload": "", "attempt": 1, "lane": "hot",
            "enqueuedAt": "2026-11-28T00:00:00Z", "contentType": "text/plain", "attributes": {"a": "1"},
            "headers": [{"name": "h", "valueBase64": "/w=="}, {"name": "n", "value": None}], "payload": "hi",
            "receipt": "receipt-" + item_id, "leaseUntil": end.isoformat().replace("+00:00", "Z"), **more}


class ProducerTest(unittest.TestCase):
    def start(self, answer):
        server = Server(answer)
        self.addCleanup(server.close)
        return server

    def test_an_item_is_sent_again_with_its_id_until_it_is_accepted(self):
        answers = [(None, {}, {}), (503, {"Retry-After": "0"}, {"detail": "busy"}), (202, {}, {"id": "x"})]
        server = self.start(lambda path, body, number: answers[number - 1])
        with Producer(server.url, "key\n") as producer:
            item_id = producer.send(b"hello", workload="mail", priority=7, order_key="k", attributes={"order": "ä"})
        self.assertEqual([item_id] * 3, [headers["Idempotency-Key"] for _, headers, _ in server.requests])
        path, headers, body = server.requests[-1]
        self.assertEqual(("/v1/items", b"hello"), (path, body))
        self.assertEqual("Bearer key", headers["Authorization"])
        self.assertEqual("7", headers["Spillway-Priority"])
        self.assertEqual("mail", headers["Spillway-Workload"])
        self.assertEqual("k", headers["Spillway-Order-Key"])
        self.assertEqual('{"order": "\\u00e4"}', headers["Spillway-Attributes"])

    def test_the_connection_of_a_thread_that_has_ended_is_closed(self):
        server = self.start(lambda path, body, number: (202, {}, {"id": "x"}))

        def await_connections(most):
            until = time.monotonic() + 5
            while server.connections > most and time.monotonic() < until:
                time.sleep(0.01)
            self.assertEqual(most, server.connections)

        with warnings.catch_warnings(record=True) as unclosed, Producer(server.url, "key") as producer:
            warnings.simplefilter("always", ResourceWarning)
            producer.send(b"")
            for _ in range(5):
                thread = threading.Thread(target=producer.send, args=(b"",))
                thread.start()
                thread.join()
            await_connections(1)
            producer.send(b"")
            self.assertEqual(7, len(server.requests))
        await_connections(0)
        self.assertEqual([], [str(each.message) for each in unclosed])

    def test_an_item_that_is_wrong_is_refused_at_once(self):
        server = self.start(lambda path, body, number: (400, {}, {"detail": "id must be short"}))
        with Producer(server.url, "key") as producer:
            with self.assertRaisesRegex(Refused, "400 id must be short"):
                producer.send(b"")
        self.assertEqual(1, len(server.requests))

    def test_an_item_that_is_not_accepted_in_time_is_told_with_its_id(self):
        server = self.start(lambda path, body, number: (429, {"Retry-After": "60"}, {"detail": "over rate"}))
        with Producer(server.url, "key", timeout=1) as producer:
            with self.assertRaisesRegex(NotAccepted, "mine: 429 over rate"):
                producer.send(b"", item_id="mine")

    def test_the_state_of_an_item_is_asked_for_by_its_id(self):
        answers = [(200, {}, {"state": "done"}), (404, {}, {"detail": "unknown"}), (409, {}, {"detail": "not tracked"})]
        server = self.start(lambda path, body, number: answers[number - 1])
        with Producer(server.url, "key") as producer:
            self.assertEqual({"state": "done"}, producer.state("a/b c", tenant="acme"))
            self.assertIsNone(producer.state("b"))
            with self.assertRaisesRegex(Refused, "409 not tracked"):
                producer.state("c")
        self.assertEqual("/v1/items/a%2Fb%20c", server.requests[0][0])
        self.assertEqual("acme", server.requests[0][1]["Spillway-Tenant"])

    def test_a_url_without_a_host_is_refused_before_the_first_item(self):
        for make in (lambda: Producer("127.0.0.1:8080", "key"), lambda: Worker("ftp://h", "key", print)):
            with self.assertRaisesRegex(ValueError, "http://HOST:PORT"):
                make()


class WorkerTest(unittest.TestCase):
    def work(self, items, handle, answer=lambda answers, number: [{"status": 200} for _ in answers], threads=3):
        """Runs a worker until each item has an answer that was accepted, at most 30 s; returns all that were sent."""
        waiting = list(items)
        sent = []
        accepted = set()
        holder = []

        def respond(path, body, number):
            members = json.loads(body)
            if path == "/v1/work:lease":
                given = [waiting.pop(0) for _ in range(min(members["max"], len(waiting)))]
                return 200, {}, {"items": given}
            sent.append(members["answers"])
            results = answer(members["answers"], len(sent))
            if results is None:
                return None, {}, {}
            status = 200
            if isinstance(results, int):
                # Of the whole request; only an answer that is refused alone has ended.
                status = results
                results = [{"status": 400 if (status, len(members["answers"])) == (400, 1) else 503}] * len(items)
            accepted.update(each["receipt"] for each, result in zip(members["answers"], results)
                            if result["status"] < 500 and each["outcome"] != "renew")
            if len(accepted) == len(items):
                holder[0].stop()
            return status, {}, {"results": results}

        server = self.server = Server(respond)
        self.addCleanup(server.close)
        holder.append(Worker(server.url, "key", handle, threads=threads))
        guard = threading.Timer(30, holder[0].stop)
        guard.start()
        self.addCleanup(guard.cancel)
        holder[0].run()
        return sent

    def test_what_a_handler_raises_is_the_outcome(self):
        raised = {"done": None, "dead": Dead("an empty mail"), "later": Later(1.5), "unavailable": Unavailable("down"),
                  "retry": KeyError("x")}

        def handle(item):
            if raised[item.id]:
                raise raised[item.id]

        sent = self.work([leased(name) for name in raised], handle)
        answers = {each["receipt"]: each for together in sent for each in together}
        self.assertEqual({"outcome": "done", "receipt": "receipt-done"}, answers["receipt-done"])
        self.assertEqual("an empty mail", answers["receipt-dead"]["reason"])
        self.assertEqual(1500, answers["receipt-later"]["afterMillis"])
        self.assertEqual("down", answers["receipt-unavailable"]["detail"])
        self.assertEqual("KeyError('x')", answers["receipt-retry"]["detail"])

    def test_an_item_is_retried_if_what_its_handler_raises_cannot_be_told(self):
        class Untold(Exception):
            def __str__(self):
                raise AttributeError("x")

            __repr__ = __str__

        class UntoldDead(Dead):
            __str__ = Untold.__str__

        class Incomplete(Later):
            def __init__(self):
                pass

        raised = {"0": Untold, "1": UntoldDead, "2": Incomplete, "3": lambda: Later(timedelta(minutes=1))}

        def handle(item):
            if item.id in raised:
                raise raised[item.id]()

        sent = self.work([leased(str(number)) for number in range(5)], handle)
        answers = {each["receipt"][8:]: each for together in sent for each in together}
        self.assertEqual({"0": "retry", "1": "retry", "2": "retry", "3": "retry", "4": "done"},
                         {item_id: each["outcome"] for item_id, each in answers.items()})
        self.assertEqual(["Untold", "UntoldDead", "Incomplete"], [answers[each]["detail"] for each in "012"])

    def test_an_item_has_what_was_leased(self):
        seen = []
        self.work([leased("one"), leased("two", payloadBase64="/wA=", payload=None)], seen.append)
        one, two = sorted(seen, key=lambda item: item.id)
        self.assertEqual(("acme", "one", 1, b"hi", {"a": "1"}),
                         (one.tenant, one.id, one.attempt, one.payload, one.attributes))
        self.assertEqual([("h", b"\xff"), ("n", None)], one.headers)
        self.assertEqual(b"\xff\x00", two.payload)
        self.assertGreater(one.lease_until, datetime.now(timezone.utc))

    def test_an_answer_that_nobody_received_is_sent_again(self):
        sent = self.work([leased("one")], lambda item: None, lambda answers, number: {
            1: None, 2: [{"status": 503, "detail": "owner-unreachable"}]}.get(number, [{"status": 200}]))
        self.assertEqual([["receipt-one"]] * 3, [[each["receipt"] for each in answers] for answers in sent])

    @mock.patch("spillway_client.worker._PAUSE_SECONDS", 0.2)
    def test_an_answer_is_sent_again_while_other_items_end_all_the_time(self):
        sent = self.work([leased(str(number)) for number in range(50)], lambda item: time.sleep(0.05),
                         lambda answers, number: [{"status": 503 if number == 1 else 200} for _ in answers])
        receipts = [each["receipt"] for answers in sent for each in answers]
        again = receipts.index(receipts[0], 1)
        self.assertLess(again, len(receipts) - 5, "it was sent again only after the last item")

    def test_an_answer_after_the_lease_is_not_sent_for_ever(self):
        worker = None
        calls = []

        def respond(path, body, number):
            if path == "/v1/work:lease":
                return 200, {}, {"items": [leased("one", 0.2)] if number == 1 else []}
            calls.append(body)
            worker.stop()
            return 503, {}, {}

        server = Server(respond)
        self.addCleanup(server.close)
        worker = Worker(server.url, "key", lambda item: None, threads=1)
        worker.run()
        self.assertLessEqual(len(calls), 3)

    def test_a_lease_is_renewed(self):
        def answer(answers, number):
            return [{"status": 200, "leaseUntil": "2030-01-01T00:00:00Z"} for _ in answers]

        sent = self.work([leased("one")], lambda item: item.renew(60), answer)
        self.assertEqual({"outcome": "renew", "receipt": "receipt-one", "leaseMillis": 60000}, sent[0][0])

    def test_answers_that_wait_are_sent_together(self):
        sent = self.together(None, most=0)
        self.assertEqual(9, sum(map(len, sent)))
        self.assertLess(len(sent), 9)

    def test_a_time_to_wait_is_at_most_thirty_days(self):
        seconds = {"most": 2_592_000, "more": 2_592_000.001, "endless": float("inf"), "past": -1, "none": -float("inf")}

        def handle(item):
            raise Later(seconds[item.id])

        sent = self.work([leased(name) for name in seconds], handle)
        most = 2_592_000_000
        self.assertEqual({"most": most, "more": most, "endless": most, "past": 0, "none": 0},
                         {each["receipt"][8:]: each["afterMillis"] for answers in sent for each in answers})

    def test_a_time_to_wait_that_is_no_number_is_refused_where_it_is_made(self):
        with self.assertRaisesRegex(ValueError, "NaN"):
            Later(float("nan"))
        for wrong in ("60", timedelta(minutes=1), None):
            with self.assertRaises(TypeError):
                Later(wrong)

    def together(self, refusal, most):
        """Returns the requests with answers for 9 items: one in the first, and the others in the next."""
        arrived = threading.Event()
        handled = threading.Semaphore(0)

        def answer(answers, number):
            if number == 1:
                arrived.set()
                for _ in range(8):
                    handled.acquire(timeout=1)
                time.sleep(0.1)
            return [{"status": 200} for _ in answers] if number > most else refusal(answers, number)

        def handle(item):
            if item.id != "0":
                arrived.wait(5)
                handled.release()

        with mock.patch("spillway_client.worker._PAUSE_SECONDS", 0.05):
            return self.work([leased(str(number)) for number in range(9)], handle, answer, threads=9)

    def test_an_answer_that_is_refused_does_not_take_others_with_it(self):
        with self.assertLogs("spillway_client", "WARNING") as logs:
            sent = self.together(lambda answers, number: 400 if "receipt-5" in [each["receipt"] for each in answers]
                                 else [{"status": 200} for _ in answers], most=30)
        self.assertLess(len(sent), 20)
        self.assertGreater(max(map(len, sent)), 1)
        self.assertEqual(1, [[each["receipt"] for each in answers] for answers in sent].count(["receipt-5"]))
        self.assertRegex("".join(logs.output), "^[^\n]*item 5 of acme[^\n]*400[^\n]*$")

    def test_answers_are_sent_again_together_if_the_cause_is_none_of_theirs(self):
        causes = [401, 403, 408, 429, 500, 503]
        sent = self.together(lambda answers, number: causes[number - 1], most=len(causes))
        self.assertEqual(9, len(sent[-1]))
        self.assertLess(len(sent), 10)

    def test_a_hundred_answers_with_any_text_fit_into_a_request(self):
        def handle(item):
            raise {"dead": Dead, "unavailable": Unavailable}.get(item.attributes["raise"], KeyError)(item.id[0] * 3_000)

        items = [leased(character + kind, receipt=(character + kind).ljust(1_000, "r"), attributes={"raise": kind})
                 for kind in ("dead", "unavailable", "retry") for character in "aä\U0001f600\x1b\n"]
        sent = self.work(items, handle)
        self.assertEqual(15, sum(map(len, sent)))
        for path, _, body in self.server.requests:
            if path == "/v1/work:answer":
                self.assertLessEqual(len(body), len(json.loads(body)["answers"]) * 524_288 / 100)

    def test_a_text_with_half_a_character_is_sent(self):
        def handle(item):
            raise Dead("no file a\udcff")

        sent = self.work([leased("one")], handle)
        self.assertEqual("no file a\ufffd", sent[0][0]["reason"])


if __name__ == "__main__":
    unittest.main()
