"""Tests webhooks with an implementation of Standard Webhooks of others, PyPI standardwebhooks.

    webhooks.py PORTICO

Starts the executable with the sandbox, and a receiver. Registers it, and refuses its first test message; after the second one the
webhook is active. Lets an alert fire, refuses the first attempt, and verifies both attempts: their signatures, that they have one id,
and that a changed body is refused.
"""

import http.server
import os
import queue
import re
import subprocess
import sys
import threading
import time

import httpx
from standardwebhooks import Webhook, WebhookVerificationError

portico = sys.argv[1]
received = queue.Queue()


class Receiver(http.server.BaseHTTPRequestHandler):
    """Refuses the first attempts of the test message and of the firing, and accepts all others."""

    attempts = 0

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        received.put((dict(self.headers.items()), body))
        Receiver.attempts += 1
        self.send_response(500 if Receiver.attempts in (1, 3) else 204)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def ask(base, query, variables):
    response = httpx.post(
        f"{base}/graphql", json={"query": query, "variables": variables},
        headers={"authorization": "Bearer sandbox"}, timeout=60)
    answer = response.json()
    assert "errors" not in answer, answer
    return answer["data"]


def check(base, url):
    register = "mutation($url: String!) { registerWebhook(input: { url: $url }) { webhook { id } secret } }"
    registered = ask(base, register, {"url": url})["registerWebhook"]
    webhook = Webhook(registered["secret"])
    tests = [received.get(timeout=60) for _ in range(2)]
    messages = [webhook.verify(body, {k.lower(): v for k, v in headers.items()}) for headers, body in tests]
    assert messages[0] == messages[1] and messages[0]["type"] == "webhook.test", messages
    assert messages[0]["data"] == {"webhookId": registered["webhook"]["id"]}, messages
    assert len({headers["webhook-id"] for headers, _ in tests}) == 1, tests
    for _ in range(600):
        state = ask(base, "{ webhooks { state } }", {})["webhooks"][0]["state"]
        if state == "ACTIVE":
            break
        time.sleep(0.1)
    assert state == "ACTIVE", state
    create = "mutation($input: CreateAlertInput!) { createAlert(input: $input) { alert { id } } }"
    condition = {"priceAbove": {"symbol": "AAPL", "price": "1"}}
    created = ask(base, create, {"input": {"condition": condition, "label": "Äpple"}})["createAlert"]["alert"]
    attempts = [received.get(timeout=60) for _ in range(2)]
    messages = [webhook.verify(body, {k.lower(): v for k, v in headers.items()}) for headers, body in attempts]
    assert messages[0] == messages[1], messages
    assert len({headers["webhook-id"] for headers, _ in attempts}) == 1, attempts
    data = messages[0]["data"]
    assert messages[0]["type"] == "alert.fired" and data["alertId"] == created["id"], messages[0]
    assert data["symbol"] == "AAPL" and data["label"] == "Äpple" and float(data["value"]) > 1, data
    headers, body = attempts[1]
    for changed, key in [(body.replace(b"AAPL", b"MSFT"), webhook), (body, Webhook("whsec_" + "A" * 32))]:
        try:
            key.verify(changed, {k.lower(): v for k, v in headers.items()})
        except WebhookVerificationError:
            continue
        raise SystemExit("A changed message, or another secret, was accepted.")
    history = ask(base, "{ alertFirings { nodes { id } } }", {})["alertFirings"]["nodes"]
    assert [node["id"] for node in history] == [data["id"]], history


receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
environment = dict(os.environ, PORTICO_WEBHOOK_TEST_RECEIVERS="true")
server = subprocess.Popen(
    [portico, "serve", "--port", "0", "--sandbox"], env=environment, stdout=subprocess.PIPE,
    stderr=subprocess.DEVNULL, text=True)
try:
    base = None
    for line in server.stdout:
        if match := re.search(r"(http://[^/\s]*)/graphql", line):
            base = match[1]
            break
    assert base, "The server did not start."
    threading.Thread(target=server.stdout.read, daemon=True).start()
    check(base, f"http://127.0.0.1:{receiver.server_port}/alerts")
finally:
    server.terminate()
    server.wait(60)
    receiver.shutdown()
print("webhooks.py: a delivery, its repetition and its signature are as Standard Webhooks specifies.")
