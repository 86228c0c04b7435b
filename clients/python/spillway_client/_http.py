"""Connections to one server."""

import http.client
import ssl
import weakref
from typing import Dict, NamedTuple, Optional
from urllib.parse import urlsplit


class SpillwayError(Exception):
    """Base of the errors of this package."""


class Response(NamedTuple):
    status: int
    #: Seconds after which the server asks to come back; None if it does not.
    retry_after: Optional[float]
    body: bytes


class Connection:
    """Connection that is opened when it is needed, and kept until nobody refers to it. Used by one thread."""

    def __init__(self, url: str, key: str, timeout: float, ssl_context: Optional[ssl.SSLContext]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the URL must be http://HOST:PORT or https://HOST:PORT")
        self._prefix = parts.path.rstrip("/")
        self._authorization = "Bearer " + key.strip()
        if parts.scheme == "https":
            self._http: http.client.HTTPConnection = http.client.HTTPSConnection(
                parts.hostname, parts.port, timeout=timeout, context=ssl_context)
        else:
            self._http = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
        weakref.finalize(self, self._http.close)

    def post(self, path: str, body: bytes, headers: Dict[str, str]) -> Response:
        """Sends a request. Raises OSError or http.client.HTTPException if there is no whole answer."""
        return self._request("POST", path, body, headers)

    def get(self, path: str, headers: Dict[str, str]) -> Response:
        """As post."""
        return self._request("GET", path, None, headers)

    def _request(self, method: str, path: str, body: Optional[bytes], headers: Dict[str, str]) -> Response:
        try:
            self._http.request(method, self._prefix + path, body, {"Authorization": self._authorization, **headers})
            response = self._http.getresponse()
            payload = response.read()
        except BaseException:
            # What is left of it would be the answer to the next request.
            self._http.close()
            raise
        return Response(response.status, _seconds(response.headers.get("Retry-After")), payload)

    def close(self) -> None:
        self._http.close()


def _seconds(text: Optional[str]) -> Optional[float]:
    """Returns the number; None for a date, and for anything else."""
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None
