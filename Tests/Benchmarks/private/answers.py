"""Writes the responses to the operations of the benchmark for some users, so that two servers can be compared.

    answers.py PORT TOKENS COUNT OUT OPERATION.json …
"""

import http.client
import json
import sys


def main(port, path, count, out, *operations):
    with open(path, encoding="utf-8") as file:
        tokens = file.read().split()[: int(count)]
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
    with open(out, "w", encoding="utf-8") as file:
        for token in tokens:
            for operation in operations:
                with open(operation, encoding="utf-8") as body:
                    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
                    connection.request("POST", "/graphql", body.read(), headers)
                response = connection.getresponse()
                text = response.read().decode()
                if response.status != 200 or "errors" in json.loads(text):
                    raise SystemExit(f"answers.py: {response.status} {text[:400]}")
                file.write(text + "\n")


main(*sys.argv[1:])
