"""A receiver of webhooks with nothing but Python's own library: prints each event that is signed rightly, as one line.

Answers 503 to every third one, and 400 to one whose signature is wrong.
"""

import base64
import hashlib
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
requests = count(1)


def is_signed(headers, body):
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
    given = [part.removeprefix("v1,") for part in headers["webhook-signature"].split(" ")]
    return any(hmac.compare_digest(expected, one) for one in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        status = 400
        if is_signed(self.headers, body):
            status = 503 if next(requests) % 3 == 0 else 204
        if status == 204:
            print(json.dumps({"id": self.headers["webhook-id"], **json.loads(body)}), flush=True)
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
