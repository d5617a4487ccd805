"""A server of an application: its own field beside those of Portico, in one response. It needs no package.

    server.py http://127.0.0.1:8080 PORT

GET /home sends Portico's document with the header of the user's request, and adds the user's full name. GET /me has the name
alone, for a client that reads Portico itself.
"""

import http.server
import json
import sys
import urllib.error
import urllib.request

HOME = """
query OwnFieldsHome {
  viewer { id }
  portfolio { id totalValue currency }
}
"""

# A table of the application, by the user of the token. A real server verifies the token: it asks the identity provider, or
# Portico's `viewer` as here.
NAMES = {"User:sandbox": "Ada Lovelace"}


def portico(address, authorization):
    """The response to the document, as Portico gives it: `data`, and `errors` of the fields that failed."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": authorization} if authorization else {})
    body = json.dumps({"query": HOME}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{address}/graphql", body, headers), timeout=30) as response:
        return json.load(response)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            response = portico(self.server.portico, self.headers.get("Authorization"))
        except urllib.error.HTTPError as error:
            return self.answer(error.code, {"errors": [{"message": f"Portico answered {error.code}"}]})
        viewer = (response.get("data") or {}).get("viewer")
        name = NAMES.get(viewer["id"]) if viewer else None
        if self.path == "/me":
            return self.answer(200, {"fullName": name})
        if viewer:
            viewer["fullName"] = name
        self.answer(200, response)

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler)
    server.portico = sys.argv[1].rstrip("/")
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
