"""Tests a running Portico with public client libraries, as any front end can use them.

Usage: drive.py BASE_URL TOKEN, such as http://127.0.0.1:8080 sandbox. Exits with 1 and an error if a test fails.
"""

import asyncio
import json
import sys

import httpx
import websockets
from gql import Client, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.httpx import HTTPXAsyncTransport
from gql.transport.websockets import WebsocketsTransport
from httpx_sse import aconnect_sse

SYMBOLS = ["AAPL", "MSFT"]
QUOTES = "subscription Q($symbols: [String!]!) { quotes(symbols: $symbols) { symbol price } }"


async def query_by_gql(base, token):
    """Queries with variables, validated by the client against the introspected schema."""
    transport = HTTPXAsyncTransport(url=f"{base}/graphql", headers={"Authorization": f"Bearer {token}"})
    async with Client(transport=transport, fetch_schema_from_transport=True) as session:
        query = gql("query A($s: String!) { account { equity } quote(symbol: $s) { price } }")
        query.variable_values = {"s": "AAPL"}
        answer = await session.execute(query)
        assert answer["account"]["equity"] and answer["quote"]["price"], answer
        try:
            query = gql("query U($s: String!) { quote(symbol: $s) { price } }")
            query.variable_values = {"s": "NOSUCH"}
            await session.execute(query)
        except TransportQueryError as error:
            assert error.errors[0]["extensions"]["code"] == "NOT_FOUND", error.errors
        else:
            raise AssertionError("an unknown symbol is no error")


async def subscribe_by_gql(base, token):
    """A subscription and a query over one WebSocket, with the token in its first message."""
    transport = WebsocketsTransport(
        url=f"{base.replace('http', 'ws', 1)}/graphql",
        init_payload={"Authorization": f"Bearer {token}"},
    )
    async with Client(transport=transport) as session:
        subscription = gql(QUOTES)
        subscription.variable_values = {"symbols": SYMBOLS}
        seen = set()
        async for event in session.subscribe(subscription):
            seen.add(event["quotes"]["symbol"])
            if seen == set(SYMBOLS):
                break
        answer = await session.execute(gql("{ positions { symbol } }"))
        assert answer["positions"], answer


async def refuse_by_websockets(base, token):
    """The close codes of the protocol, as reported by the library."""
    url = f"{base.replace('http', 'ws', 1)}/graphql"
    for first, code in [
        ({"type": "connection_init", "payload": {"Authorization": "Bearer wrong"}}, 4403),
        ({"id": "1", "type": "subscribe", "payload": {"query": "{ __typename }"}}, 4401),
        ({"type": "nonsense"}, 4400),
    ]:
        async with websockets.connect(url, subprotocols=["graphql-transport-ws"]) as socket:
            await socket.send(json.dumps(first))
            try:
                await socket.recv()
            except websockets.ConnectionClosed as closed:
                assert closed.rcvd.code == code, (first, closed.rcvd)
            else:
                raise AssertionError(f"{first} was answered")


async def events_by_httpx_sse(base, token):
    """Server-sent events in distinct connections mode."""
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
    body = {"query": QUOTES, "variables": {"symbols": SYMBOLS}}
    async with httpx.AsyncClient(timeout=20) as client:
        async with aconnect_sse(client, "POST", f"{base}/graphql", headers=headers, json=body) as source:
            seen = set()
            async for event in source.aiter_sse():
                assert event.event == "next", event
                seen.add(event.json()["data"]["quotes"]["symbol"])
                if seen == set(SYMBOLS):
                    break


async def main(base, token):
    failures = 0
    for check in [query_by_gql, subscribe_by_gql, refuse_by_websockets, events_by_httpx_sse]:
        try:
            await asyncio.wait_for(check(base, token), 60)
            print(f"ok    {check.__name__}")
        except Exception as error:  # The other tests run in any case.
            failures += 1
            print(f"FAIL  {check.__name__}: {type(error).__name__}: {error}")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2])))
