"""Producer of items."""

import http.client
import json
import random
import ssl
import threading
import time
import uuid
import weakref
from types import TracebackType
from typing import Any, Dict, Mapping, Optional, Type
from urllib.parse import quote

from ._http import Connection, Response, SpillwayError

#: The gateway answers these when a later attempt can succeed.
_TRY_AGAIN = (408, 429, 502, 503, 504)
_LONGEST_WAIT_SECONDS = 30.0


class Refused(SpillwayError):
    """The gateway will never accept the item as it is."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(f"{status} {detail}")
        self.status = status


class NotAccepted(SpillwayError):
    """The item was not confirmed in time. It may have been stored: send it again with the same id."""

    def __init__(self, item_id: str, cause: str) -> None:
        super().__init__(f"item {item_id}: {cause}")
        self.item_id = item_id


class Producer:
    """Sends items to a gateway. Thread-safe; each thread has a connection of its own."""

    def __init__(self, url: str, key: str, *, timeout: float = 60.0,
                 ssl_context: Optional[ssl.SSLContext] = None) -> None:
        """
        :param url: of the gateway
        :param key: of a tenant, or of a service
        :param timeout: seconds for which an item is sent again until it is accepted
        """
        self._url = url
        self._key = key
        self._timeout = timeout
        self._ssl_context = ssl_context
        self._local = threading.local()
        self._lock = threading.Lock()
        # Weak, so that the connection of a thread that has ended is closed.
        self._connections: "weakref.WeakSet[Connection]" = weakref.WeakSet()
        self._stopped = threading.Event()
        self._connection()

    def send(self, payload: bytes, *, item_id: Optional[str] = None, tenant: Optional[str] = None,
             workload: Optional[str] = None, content_type: str = "application/octet-stream",
             priority: Optional[int] = None, order_key: Optional[str] = None, deliver_at: Optional[str] = None,
             attributes: Optional[Mapping[str, str]] = None, headers: Optional[Mapping[str, str]] = None) -> str:
        """
        Stores an item and returns its id.

        :param item_id: 1 to 256 printable ASCII characters; a random one by default. An item with an id that is
            known is dropped
        :param tenant: required with the key of a service
        :param priority: 0 to 9
        :param order_key: 1 to 256 printable ASCII characters; items of a tenant with the same one are handled one
            at a time
        :param deliver_at: epoch milliseconds or ISO 8601
        :param headers: further ones of the request, such as traceparent
        :raises Refused: if the item is wrong
        :raises NotAccepted: if it was not confirmed in time, or the producer was closed
        """
        # The same id in every attempt, by which the queue drops an item that was stored twice.
        item_id = item_id or str(uuid.uuid4())
        fields: Dict[str, str] = dict(headers or {})
        fields.update({"Content-Type": content_type, "Idempotency-Key": item_id})
        for name, value in (("Spillway-Tenant", tenant), ("Spillway-Workload", workload),
                            ("Spillway-Order-Key", order_key),
                            ("Spillway-Deliver-At", deliver_at)):
            if value is not None:
                fields[name] = value
        if priority is not None:
            fields["Spillway-Priority"] = str(priority)
        if attributes:
            fields["Spillway-Attributes"] = json.dumps(dict(attributes))
        return self._send(payload, item_id, fields)

    def _send(self, payload: bytes, item_id: str, fields: Dict[str, str]) -> str:
        deadline = time.monotonic() + self._timeout
        attempt = 0
        while True:
            attempt += 1
            wait = min(_LONGEST_WAIT_SECONDS, 0.1 * 2 ** min(attempt, 12)) * random.uniform(0.5, 1.0)
            try:
                response = self._connection().post("/v1/items", payload, fields)
                if response.status == 202:
                    return item_id
                cause = f"{response.status} {_detail(response)}"
                if response.status not in _TRY_AGAIN:
                    raise Refused(response.status, _detail(response))
                wait = wait if response.retry_after is None else max(wait, response.retry_after)
            except (OSError, http.client.HTTPException) as error:
                cause = f"no answer: {error!r}"
            if time.monotonic() + wait > deadline:
                raise NotAccepted(item_id, cause)
            if self._stopped.wait(wait):
                raise NotAccepted(item_id, "the producer was closed; before that " + cause)

    def state(self, item_id: str, *, tenant: Optional[str] = None) -> Optional[Dict[str, Any]]:
        """
        Returns what became of the newest item with an id: its "state" (waiting, running, done, dropped or dead),
        "attempts", "since", and where there are any "lane" and "reason". None if no such item is known. The tenant
        must have the policy tracked.

        :param tenant: required with the key of a service
        :raises Refused: for any other answer
        :raises SpillwayError: without an answer
        """
        try:
            response = self._connection().get("/v1/items/" + quote(item_id, safe=""),
                                              {} if tenant is None else {"Spillway-Tenant": tenant})
        except (OSError, http.client.HTTPException) as error:
            raise SpillwayError(f"no answer: {error!r}") from error
        if response.status == 404:
            return None
        if response.status != 200:
            raise Refused(response.status, _detail(response))
        state: Dict[str, Any] = json.loads(response.body)
        return state

    def _connection(self) -> Connection:
        connection: Optional[Connection] = getattr(self._local, "connection", None)
        if connection is None:
            connection = Connection(self._url, self._key, self._timeout, self._ssl_context)
            self._local.connection = connection
            with self._lock:
                self._connections.add(connection)
        return connection

    def close(self) -> None:
        """Ends sends that wait, with NotAccepted, and closes the connections."""
        self._stopped.set()
        with self._lock:
            for connection in list(self._connections):
                connection.close()

    def __enter__(self) -> "Producer":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()


def _detail(response: Response) -> str:
    try:
        return str(json.loads(response.body)["detail"])
    except (ValueError, LookupError, TypeError):
        return response.body[:200].decode("utf-8", "replace")
