"""Command line for a try: sends each line of the input, or prints items and answers that they are done."""

import argparse
import logging
import os
import signal
import sys

from . import Item, NotAccepted, Producer, Refused, Worker


def _send(options: argparse.Namespace, key: str) -> int:
    # Nothing is lost by ending: what was not printed is not known to be stored.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    try:
        with Producer(options.url or "http://127.0.0.1:8080", key) as producer:
            for line in sys.stdin.buffer:
                item_id = producer.send(line.rstrip(b"\r\n"), tenant=options.tenant, content_type="text/plain")
                print(item_id, flush=True)
    except (Refused, NotAccepted) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


def _print(item: Item) -> None:
    # One call for the whole line, because several threads write.
    sys.stdout.write(f"{item.tenant} {item.id} attempt {item.attempt}, {len(item.payload)} bytes\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m spillway_client", description=__doc__)
    parser.add_argument("action", choices=("send", "work"))
    parser.add_argument("--url", help="default: http://127.0.0.1:8080 to send, http://127.0.0.1:8081 to work")
    parser.add_argument("--key-file", required=True)
    parser.add_argument("--tenant", help="of the items; needed with the key of a service")
    parser.add_argument("--threads", type=int, default=4, help="items at a time; default 4")
    options = parser.parse_args()
    logging.basicConfig(format="%(levelname)s %(message)s")
    with open(options.key_file, encoding="utf-8-sig") as file:
        key = file.read().strip()
    if options.action == "send":
        return _send(options, key)
    Worker(options.url or "http://127.0.0.1:8081", key, _print, threads=options.threads).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
