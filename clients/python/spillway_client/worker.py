"""Worker that leases items, handles them and answers."""

import base64
import http.client
import json
import logging
import math
import queue
import re
import signal
import ssl
import threading
import time
from datetime import datetime, timezone
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

from ._http import Connection, SpillwayError

_LOG = logging.getLogger(__name__)
_MOST_ANSWERS = 100
_MOST_WAITING = 1_000
_MOST_TEXT = 1_000
_MOST_LATER_SECONDS = 30 * 24 * 3_600
#: Control characters take six bytes in JSON, with which 100 answers would be too large; halves of characters have none.
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
#: Statuses of a request that is wrong itself: sent again as it is, it is refused again.
_WRONG = (400, 413)
_LEASE_WAIT_MILLIS = 2_000
_HTTP_TIMEOUT_SECONDS = 30.0
_PAUSE_SECONDS = 1.0
#: There is no connection, no answer, or one that is cut off or of something else.
_NO_ANSWER = (OSError, http.client.HTTPException, ValueError, LookupError, TypeError)


class Dead(Exception):
    """No later attempt can succeed: the item becomes a dead letter with this reason."""


class Later(Exception):
    """It is too early for the item, and nothing was attempted."""

    def __init__(self, seconds: float) -> None:
        """
        :param seconds: to wait; less than 0 counts as 0, and more than 2,592,000 (30 days) as that
        :raises TypeError: if it is no number
        :raises ValueError: if it is NaN
        """
        super().__init__(seconds)
        if math.isnan(seconds):
            raise ValueError("seconds must be a number, not NaN")
        self.seconds = float(seconds)


class Unavailable(Exception):
    """The destination cannot work now. That is not the item's fault, and does not count towards its attempts."""


class Item:
    """Item that was leased. Thread-safe."""

    def __init__(self, json_item: Mapping[str, Any], worker: "Worker") -> None:
        self.tenant: str = json_item["tenant"]
        #: The same if the item comes again.
        self.id: str = json_item["id"]
        self.workload: str = json_item["workload"]
        #: 1 for the first.
        self.attempt: int = json_item["attempt"]
        self.lane: str = json_item["lane"]
        #: ISO 8601
        self.enqueued_at: str = json_item["enqueuedAt"]
        self.content_type: str = json_item["contentType"]
        self.attributes: Dict[str, str] = dict(json_item["attributes"])
        #: In order; a name may occur several times. A value is None, or bytes.
        self.headers: List[Tuple[str, Optional[bytes]]] = [
            (header["name"], _bytes(header, "value")) for header in json_item["headers"]]
        self.payload: bytes = _bytes(json_item, "payload") or b""
        #: End of the attempt.
        self.lease_until: datetime = _time(json_item["leaseUntil"])
        self._receipt: str = json_item["receipt"]
        self._worker = worker

    def renew(self, seconds: Optional[float] = None) -> datetime:
        """
        Extends the lease, by default by its first length, and returns its end.

        :raises SpillwayError: if the lease has ended, or nobody answers
        """
        answer: Dict[str, Any] = {"outcome": "renew", "receipt": self._receipt}
        if seconds is not None:
            answer["leaseMillis"] = max(1, round(seconds * 1_000))
        try:
            result = self._worker._post("answer", {"answers": [answer]})["results"][0]
        except _NO_ANSWER as error:
            raise SpillwayError(f"the lease of {self.id} could not be renewed: {error!r}") from error
        if result["status"] != 200:
            raise SpillwayError(f"the lease of {self.id} could not be renewed: {result.get('detail')}")
        self.lease_until = _time(result["leaseUntil"])
        return self.lease_until


class _Refused(ValueError):
    """The server will never accept the request as it is."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class _Answer:
    """Answer that waits to be sent until the lease of its item ends."""

    def __init__(self, item: Item, outcome: Dict[str, Any]) -> None:
        self.item = item
        self.json = {**outcome, "receipt": item._receipt}

    def is_late(self) -> bool:
        return datetime.now(timezone.utc) > self.item.lease_until


class Worker:
    """Leases as many items as it has free threads, and hands each to the handler. Started once."""

    def __init__(self, url: str, key: str, handle: Callable[[Item], None], *, threads: int = 4,
                 ssl_context: Optional[ssl.SSLContext] = None) -> None:
        """
        :param url: of processes with handler.type pull
        :param key: of the external workers
        :param handle: called in several threads; see the table in the README for what it raises
        :param threads: items at a time, 1 to 100
        """
        if not 1 <= threads <= 100:
            raise ValueError("threads must be from 1 to 100")
        self._url = url
        self._key = key
        self._handle = handle
        self._threads = threads
        self._ssl_context = ssl_context
        self._stopping = threading.Event()
        self._free = threading.Semaphore(threads)
        self._items: "queue.SimpleQueue[Optional[Item]]" = queue.SimpleQueue()
        # At its bound the handlers wait.
        self._answers: "queue.Queue[Optional[_Answer]]" = queue.Queue(_MOST_WAITING)
        self._open().close()

    def run(self) -> None:
        """Works until a stop. In the main thread, SIGTERM and SIGINT are one; a second SIGINT interrupts."""
        if threading.current_thread() is threading.main_thread():
            earlier = {number: signal.signal(number, self._signalled) for number in (signal.SIGTERM, signal.SIGINT)}
            try:
                self._run()
            finally:
                for number, handler in earlier.items():
                    signal.signal(number, handler)
        else:
            self._run()

    def stop(self) -> None:
        """Makes run end after the items that the worker has, in at most two seconds and their time."""
        self._stopping.set()

    def _signalled(self, number: int, _frame: object) -> None:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        # Not the event itself: this may interrupt a thread that holds its lock.
        threading.Thread(target=self.stop).start()

    def _run(self) -> None:
        handlers = [threading.Thread(target=self._handle_all, name=f"spillway-handler-{number}")
                    for number in range(self._threads)]
        sender = threading.Thread(target=self._send_all, name="spillway-answers")
        for thread in [*handlers, sender]:
            thread.start()
        try:
            while not self._stopping.is_set():
                self._lease()
        finally:
            for _ in handlers:
                self._items.put(None)
            for thread in handlers:
                thread.join()
            self._answers.put(None)
            sender.join()

    def _lease(self) -> None:
        """Leases an item for each free thread, and waits for one of them first."""
        if not self._free.acquire(timeout=0.1):
            return
        free = 1
        while free < self._threads and self._free.acquire(blocking=False):
            free += 1
        try:
            leased = self._post("lease", {"max": free, "waitMillis": _LEASE_WAIT_MILLIS})["items"]
            items = [Item(each, self) for each in leased]
        except _NO_ANSWER as error:
            # What was leased nevertheless comes again when its lease has ended.
            _LOG.warning("Nothing could be leased; it is tried again: %r", error)
            items = []
            self._stopping.wait(_PAUSE_SECONDS)
        for item in items:
            self._items.put(item)
        for _ in range(free - len(items)):
            self._free.release()

    def _handle_all(self) -> None:
        while True:
            item = self._items.get()
            if item is None:
                return
            try:
                outcome = self._outcome(item)
            except BaseException as error:  # For example the __str__ of what the handler raised.
                name = type(error.__context__ or error).__name__
                _LOG.warning("Item %s of %s is retried: no outcome can be made of %s", item.id, item.tenant, name)
                outcome = {"outcome": "retry", "detail": _text(name)}
            self._answers.put(_Answer(item, outcome))
            self._free.release()

    def _outcome(self, item: Item) -> Dict[str, Any]:
        try:
            self._handle(item)
            return {"outcome": "done"}
        except Dead as error:
            return {"outcome": "dead", "reason": _text(str(error)) or "dead"}
        except Later as error:
            seconds = min(max(0, error.seconds), _MOST_LATER_SECONDS)
            return {"outcome": "later", "afterMillis": round(seconds * 1_000)}
        except Unavailable as error:
            return {"outcome": "unavailable", "detail": _text(str(error))}
        except BaseException as error:  # The cause may be the item or its destination.
            _LOG.info("Item %s of %s failed: %r", item.id, item.tenant, error)
            return {"outcome": "retry", "detail": _text(repr(error))}

    def _send_all(self) -> None:
        """Sends answers until a None, those that wait in one request. What nobody receives is sent again in time."""
        again: List[_Answer] = []
        again_at = 0.0
        is_last = False
        while again or not is_last:
            batch: List[_Answer] = []
            if is_last:
                time.sleep(max(0.0, again_at - time.monotonic()))
            else:
                is_last = self._take(batch, max(0.0, again_at - time.monotonic()) if again else None)
            if again and time.monotonic() >= again_at:
                batch, again = again + batch, []
            for start in range(0, len(batch), _MOST_ANSWERS):
                unsent = self._send(batch[start:start + _MOST_ANSWERS])
                # Later failures do not put it off: under load there would always be one.
                if unsent and not again:
                    again_at = time.monotonic() + _PAUSE_SECONDS
                again += unsent

    def _take(self, batch: List[_Answer], most_seconds: Optional[float]) -> bool:
        """Adds the answers that wait, after a wait for the first one, and returns whether no more will come."""
        try:
            answer = self._answers.get(timeout=most_seconds)
            while answer is not None:
                batch.append(answer)
                if len(batch) == _MOST_ANSWERS:
                    return False
                answer = self._answers.get(block=False)
            return True
        except queue.Empty:
            return False

    def _send(self, answers: List[_Answer]) -> List[_Answer]:
        """Sends answers in one request, and returns those to send again."""
        try:
            results = self._post("answer", {"answers": [answer.json for answer in answers]})["results"]
            statuses = [(int(result["status"]), str(result.get("detail"))) for result in results]
            if len(statuses) != len(answers):
                raise ValueError("not an answer for each")
        except _Refused as error:
            if len(answers) > 1:
                # One that is wrong must not take the others with it.
                half = len(answers) // 2
                return self._send(answers[:half]) + self._send(answers[half:])
            statuses = [(error.status, str(error))]
        except _NO_ANSWER as error:
            statuses = [(503, repr(error))] * len(answers)
        again = []
        for answer, (status, detail) in zip(answers, statuses):
            if status >= 500 and not answer.is_late():
                again.append(answer)
            elif status != 200:
                _LOG.warning("The answer for item %s of %s does not count, and it comes again: %s",
                             answer.item.id, answer.item.tenant, detail)
        if again:
            _LOG.warning("%d answers are sent again: %s", len(again), statuses[0][1])
        return again

    def _open(self) -> Connection:
        return Connection(self._url, self._key, _HTTP_TIMEOUT_SECONDS, self._ssl_context)

    def _post(self, action: str, members: Dict[str, Any]) -> Dict[str, Any]:
        """Sends a request on a connection of its own, by which a load balancer may choose another process."""
        connection = self._open()
        try:
            response = connection.post(
                "/v1/work:" + action, json.dumps(members, ensure_ascii=False).encode(),
                {"Content-Type": "application/json"})
        finally:
            connection.close()
        if response.status != 200:
            text = f"{response.status} {response.body[:500].decode('utf-8', 'replace')}"
            if response.status in _WRONG:
                raise _Refused(response.status, text)
            raise ValueError(text)
        result: Dict[str, Any] = json.loads(response.body)
        return result


def _bytes(json_object: Mapping[str, Any], name: str) -> Optional[bytes]:
    """Returns a member that is text, or base64 under another name."""
    value: Union[str, None] = json_object.get(name)
    return value.encode() if value is not None else (
        base64.b64decode(json_object[name + "Base64"]) if name + "Base64" in json_object else None)


def _text(text: str) -> str:
    """Returns the start of a text, with at most four bytes of JSON for each character."""
    return _NOT_TEXT.sub("\ufffd", text[:_MOST_TEXT])


def _time(text: str) -> datetime:
    # Before Python 3.11, fromisoformat does not know the Z.
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
