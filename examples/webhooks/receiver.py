"""A receiver of webhooks: checks signatures as the Standard Webhooks specification says, and counts.

usage: python3 receiver.py PORT SECRET_FILE
"""
import base64
import hashlib
import hmac
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
seen = set()


def is_signed(headers, body, secrets):
    if abs(time.time() - int(headers["webhook-timestamp"])) > TOLERANCE_SECONDS:
        return False
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    given = [part.removeprefix("v1,") for part in headers["webhook-signature"].split()]
    for secret in secrets:
        digest = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256).digest()
        if any(hmac.compare_digest(base64.b64encode(digest).decode(), signature) for signature in given):
            return True
    return False


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        signed = is_signed(self.headers, body, secrets)
        again = self.headers["webhook-id"] in seen
        if signed:
            seen.add(self.headers["webhook-id"])
        print(time.strftime("%H:%M:%S"), self.headers["webhook-id"], "signed" if signed else "NOT SIGNED",
              "again" if again else "", f"({len(seen)} so far)", flush=True)
        self.send_response(204 if signed else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[2], encoding="ascii") as file:
        secrets = file.read().split()
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
