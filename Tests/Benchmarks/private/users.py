"""Creates users whose keys the simulated broker accepts.

    users.py portico PORT COUNT TOKENS     signs users up; each connects with a key of its own
    users.py backend COUNT TOKENS USERS    chooses tokens, and writes the users of backend.js

TOKENS gets one token a line; the number of the line is the user's number at the broker.
"""

import http.client
import json
import secrets
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import local

SIGN_UP = "mutation($input: SignUpInput!) { signUp(input: $input) { token } }"
CONNECT = "mutation($input: ConnectProviderInput!) { connectProvider(input: $input) { connection { status } } }"


def credential(number):
    return {"key": f"PKLOAD{number:06d}", "secret": f"secret-of-load-test-{number:06d}"}


class Client:
    def __init__(self, port):
        self.port = port
        self.connections = local()

    def run(self, query, value, token=None):
        if not hasattr(self.connections, "it"):
            self.connections.it = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        body = json.dumps({"query": query, "variables": {"input": value}})
        self.connections.it.request("POST", "/graphql", body, headers)
        response = json.loads(self.connections.it.getresponse().read())
        if "errors" in response:
            raise SystemExit(f"users.py: {response['errors'][0]['message']}")
        return response["data"]

    def user(self, number):
        user = {"username": f"load{number:06d}", "password": f"a long password {number:06d}"}
        token = self.run(SIGN_UP, user)["signUp"]["token"]
        key = {"provider": "alpaca", "credential": {"apiKey": credential(number)}}
        status = self.run(CONNECT, key, token)["connectProvider"]["connection"]["status"]
        if status != "ACTIVE":
            raise SystemExit(f"users.py: user {number} is {status}")
        return token


def main(server, *arguments):
    if server == "portico":
        port, count, path = arguments
        client = Client(int(port))
        with ThreadPoolExecutor(4) as threads:
            tokens = list(threads.map(client.user, range(int(count))))
    else:
        count, path, users = arguments
        tokens = [secrets.token_urlsafe(32) for _ in range(int(count))]
        with open(users, "w", encoding="utf-8") as file:
            json.dump([{"token": token} | credential(number) for number, token in enumerate(tokens)], file)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{token}\n" for token in tokens)


main(*sys.argv[1:])
