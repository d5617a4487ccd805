"""Prints the positions of an account, and then three events with prices. It needs no package.

    positions.py http://127.0.0.1:8080 TOKEN
"""

import json
import sys
import urllib.request

HOME = """
query PythonHome {
  positions { id symbol quantity quote { id price changePercentage } }
}
"""

PRICES = """
subscription PythonPrices($symbols: [String!]!) {
  quotes(symbols: $symbols) { id symbol price }
}
"""


def send(address, token, query, variables=None, accept="application/graphql-response+json"):
    body = json.dumps({"query": query, "variables": variables or {}}).encode()
    headers = {"accept": accept, "content-type": "application/json", "authorization": f"Bearer {token}"}
    return urllib.request.urlopen(urllib.request.Request(f"{address}/graphql", body, headers), timeout=30)


def main():
    address, token = sys.argv[1].rstrip("/"), sys.argv[2]
    response = json.load(send(address, token, HOME))
    for error in response.get("errors", []):
        print(f"{error['path']}: {error['message']}", file=sys.stderr)
    positions = [position for position in response["data"]["positions"] or [] if position]
    for position in positions:
        quote = position["quote"] or {}
        print(position["symbol"], position["quantity"], quote.get("price", "–"))
    symbols = [position["symbol"] for position in positions]
    events = 0
    with send(address, token, PRICES, {"symbols": symbols}, accept="text/event-stream") as stream:
        for line in stream:
            if line.startswith(b"data: {"):
                print(json.loads(line[6:])["data"]["quotes"])
                events += 1
                if events == 3:
                    return


if __name__ == "__main__":
    main()
