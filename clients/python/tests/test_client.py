"""The client against a server that answers as it is told."""

import json
import threading
import unittest
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from spillway_client import Dead, Later, NotAccepted, Producer, Refused, Unavailable, Worker


class Server:
    """Owner of the requests that came, and of the answers to the next ones: (status, headers, JSON)."""

    def __init__(self, answer):
        self.requests = []
        self.lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

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
    def work(self, items, handle, answer=lambda answers, number: [{"status": 200} for _ in answers]):
        """Runs a worker until each item has an answer that was accepted, and returns all answers that were sent."""
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
            accepted.update(each["receipt"] for each, result in zip(members["answers"], results)
                            if result["status"] < 500 and each["outcome"] != "renew")
            if len(accepted) == len(items):
                holder[0].stop()
            return 200, {}, {"results": results}

        server = Server(respond)
        self.addCleanup(server.close)
        holder.append(Worker(server.url, "key", handle, threads=3))
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
        gate = threading.Event()

        def answer(answers, number):
            gate.wait(5)  # While the first request is under way, the other answers come together.
            return [{"status": 200} for _ in answers]

        def handle(item):
            if item.id == "7":
                gate.set()

        sent = self.work([leased(str(number)) for number in range(8)], handle, answer)
        self.assertEqual(8, sum(map(len, sent)))
        self.assertLess(len(sent), 8)


if __name__ == "__main__":
    unittest.main()
