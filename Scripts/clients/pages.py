"""Opens pages in Chromium that use Portico without a client library.

    pages.py PORTICO

Starts the executable with the sandbox and the example of the browser. Checks that the example shows prices, that a page of another
origin on this machine, such as that of a development server, reads the sandbox, and that the endpoint leads to the page at /.
"""

import asyncio
import functools
import http.server
import os
import re
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../explorer"))
from browser import browser  # noqa: E402

EXAMPLE = os.path.join(os.path.dirname(__file__), "../../clients/examples/browser")
QUERY = """
fetch("{base}/graphql", {{
    method: "POST",
    headers: {{ "content-type": "application/json", authorization: "Bearer sandbox", "graphql-client-name": "page" }},
    body: JSON.stringify({{ query: "{{ account {{ id }} }}" }}),
}}).then((response) => response.json()).then((answer) => answer.data.account.id)
"""


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


async def check(base, origin):
    async with browser() as page:
        await page.open(f"{base}/")
        await page.until("document.querySelectorAll('#prices dd').length === 2", "two prices in the example")
        assert not page.errors, page.errors
        print("ok    the example of the browser shows prices")
    async with browser() as page:
        await page.open(origin)
        await page.until("document.title === 'Other'", "the page of another origin")
        answer = await page.run(QUERY.format(base=base))
        assert answer.startswith("Account:"), answer
        print(f"ok    a page of {origin} reads the sandbox")
        await page.call("Page.navigate", url=f"{base}/graphql")
        await page.until(f"location.href === '{base}/' && document.title === 'Prices'", "the page at /")
        print("ok    a browser that opens /graphql is led to the page at /")


def main():
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PORTICO_")}
    server = subprocess.Popen(
        [sys.argv[1], "serve", "--sandbox", "--port", "0", "--explorer", EXAMPLE],
        stdout=subprocess.PIPE, text=True, env=environment)
    try:
        base = next(
            match[1] for match in (re.search(r"(http://[^/]+)/graphql", line) for line in server.stdout) if match)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "index.html"), "w") as file:
                file.write("<!doctype html><title>Other</title>")
            asyncio.run(check(base, f"http://localhost:{serve(folder)}/"))
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
