#!/usr/bin/env python3
"""Worker that leases items from Spillway's handler type pull. It needs the standard library only.

    python3 worker.py --url http://127.0.0.1:8081 --key-file .spillway/worker.key
Put your work into handle(). On SIGTERM or Ctrl-C it answers the items that it has, and exits with 0.
"""
import argparse
import base64
import http.client
import json
import signal
import sys
import threading
import urllib.error
import urllib.request

stopping = threading.Event()


class Dead(Exception):
    """No later attempt can succeed: the item becomes a dead letter."""


class Later(Exception):
    """It is too early for the item, and nothing was attempted. Its argument: milliseconds to wait."""


def handle(item, payload, renew):
    """Does the work of one item; other exceptions than Dead and Later count as failed attempts.
    An item may come again with the same id. Call renew() before item["leaseUntil"] if it takes longer.
    """
    say(sys.stdout, f"{item['tenant']} {item['id']} attempt {item['attempt']}, {len(payload)} bytes")


def say(stream, line):
    stream.write(line + "\n")  # One call for the whole line, because several threads write.
    stream.flush()


class Work:
    def __init__(self, url, key):
        self.url = url
        self.key = key

    def call(self, action, **members):
        request = urllib.request.Request(
            f"{self.url}/v1/work:{action}", json.dumps(members).encode(),
            {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def lease_until_stopped(self):
        while not stopping.is_set():
            try:
                # A short wait, since it is also the longest time until a stop.
                for item in self.call("lease", max=1, waitMillis=2000)["items"]:
                    self.work_on(item)
            except urllib.error.HTTPError as error:
                say(sys.stderr, f"refused: {error.code} {error.read().decode()}")
                stopping.wait(1)
            except (OSError, http.client.HTTPException, ValueError, LookupError) as error:
                # No connection, or an answer that is cut off or another one's: the lease ends, the item comes again.
                say(sys.stderr, f"no answer: {error!r}")
                stopping.wait(1)

    def work_on(self, item):
        receipt = item["receipt"]
        payload = item["payload"].encode() if "payload" in item else base64.b64decode(item["payloadBase64"])
        try:
            handle(item, payload, lambda: self.call("renew", receipt=receipt))
            action, members = "done", {}
        except Dead as error:
            action, members = "dead", {"reason": str(error)[:4000]}
        except Later as error:
            action, members = "later", {"afterMillis": error.args[0]}
        except Exception as error:  # The cause may be the item or its destination.
            action, members = "retry", {"detail": repr(error)[:4000]}
        self.call(action, receipt=receipt, **members)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--url", default="http://127.0.0.1:8081")
    arguments.add_argument("--key-file", required=True, type=argparse.FileType(encoding="utf-8-sig"))
    arguments.add_argument("--threads", type=int, default=4)
    options = arguments.parse_args()
    work = Work(options.url, options.key_file.read().strip())
    # Blocked in all threads and awaited here: a second signal could interrupt a handler that holds the event's lock.
    signals = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    threads = [threading.Thread(target=work.lease_until_stopped) for _ in range(options.threads)]
    for thread in threads:
        thread.start()
    signal.sigwait(signals)
    stopping.set()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
