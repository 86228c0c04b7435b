#!/usr/bin/env python3
"""Producer that sends each line of its input to Spillway's gateway. It needs the standard library only.

    ./spillway tenants key create acme --wait > acme.key
    seq 10 | python3 producer.py --url http://127.0.0.1:8080 --key-file acme.key

It prints the id of each item that is stored. On SIGTERM or Ctrl-C it ends after the item that it is
sending, with exit code 0.
"""
import argparse
import json
import signal
import sys
import threading
import urllib.error
import urllib.request
import uuid

stopping = threading.Event()
# The gateway answers these when a later attempt can succeed.
TRY_AGAIN = (408, 429, 503)


def send(url, key, payload):
    """Sends one item until it is stored, and returns its id; None if a stop comes first."""
    # The same id in every attempt, by which a handler's destination recognises an item that was stored twice.
    item_id = str(uuid.uuid4())
    while not stopping.is_set():
        request = urllib.request.Request(f"{url}/v1/items", payload, {
            "Authorization": f"Bearer {key}", "Content-Type": "text/plain", "Idempotency-Key": item_id})
        wait_seconds = 1
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["id"]
        except urllib.error.HTTPError as error:
            problem = error.read().decode()
            if error.code not in TRY_AGAIN:
                sys.exit(f"refused: {error.code} {problem}")
            wait_seconds = int(error.headers.get("Retry-After", "1"))
        except OSError as error:
            print("no connection:", error, file=sys.stderr)
        stopping.wait(wait_seconds)
    return None


def main():
    arguments = argparse.ArgumentParser(description="Sends each line of the input as an item.")
    arguments.add_argument("--url", default="http://127.0.0.1:8080")
    arguments.add_argument("--key-file", required=True)
    options = arguments.parse_args()
    with open(options.key_file, encoding="utf-8-sig") as file:
        key = file.read().strip()

    waiting_for_input = False

    def stop(*_):
        stopping.set()
        # A read of the input would go on after the signal; nothing is lost by ending it.
        if waiting_for_input:
            sys.exit(0)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    while not stopping.is_set():
        waiting_for_input = True
        line = sys.stdin.buffer.readline()
        waiting_for_input = False
        if not line:
            break
        item_id = send(options.url, key, line.rstrip(b"\r\n"))
        if item_id:
            print(item_id, flush=True)


if __name__ == "__main__":
    main()
