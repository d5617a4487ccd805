"""Tests /mcp with the official Python SDK of the Model Context Protocol.

    mcp_tools.py URL TOKEN GOLDEN [--record]

Lists the tools with and without a token, compares the listing with GOLDEN, calls tools, also with a stream that tells
their progress, and checks refusals: a missing scope, an unknown argument, an invalid value, an unknown tool, an unknown
resource, an unknown token, an order without a preview, and one above the limit. It does so in the stateless revision of
the protocol and in the earlier ones that begin with `initialize`.
"""

import asyncio
import json
import pathlib
import sys
import uuid

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

address, token, golden = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
SYMBOLS = {"symbols": ["AAPL", "MSFT"]}


def connected(mode, bearer):
    headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    client = httpx2.AsyncClient(headers=headers, timeout=30)
    return Client(streamable_http_client(address, http_client=client), mode=mode)


async def fails(call, *texts):
    try:
        result = await call
    except MCPError as error:
        message = str(error)
    else:
        assert getattr(result, "is_error", False), f"accepted: {result}"
        message = result.content[0].text
    for text in texts:
        assert text in message, f"{text!r} is missing in {message!r}"


async def check(mode):
    async with connected(mode, None) as anonymous:
        public = {tool.name for tool in (await anonymous.list_tools()).tools}
        assert "LatestPrices" in public and "Home" not in public, public
        await fails(anonymous.call_tool("Home", {}), '"Home"', "READ", "Authorization")
    async with connected(mode, token) as user:
        tools = {tool.name: tool for tool in (await user.list_tools()).tools}
        assert "Home" in tools and "CreateGoal" in tools, sorted(tools)
        assert "CancelOrder" not in tools, "a mutation that no setting names is a tool"
        assert tools["Home"].annotations.read_only_hint and not tools["CreateGoal"].annotations.read_only_hint

        name = "LatestPrices"
        # The SDK checks the structured content against the output schema.
        result = await user.call_tool(name, SYMBOLS)
        assert not result.is_error, result
        assert json.loads(result.content[0].text) == result.structured_content
        assert result.structured_content["data"], result

        await fails(user.call_tool(name, {"symbol": "AAPL"}), f'"{name}"', '"symbol"', '"symbols"')
        await fails(user.call_tool(name, {"symbols": [{"a": 1}]}), "$symbols")
        await fails(user.call_tool("CancelOrder", {}), '"CancelOrder"')
        await streams(user)
        await orders(user, 1 if mode == "auto" else 2)
        await fails(user.read_resource("portico://documents/Missing.graphql"), "Missing")

        resources = {str(resource.uri) for resource in (await user.list_resources()).resources}
        assert "portico://schema.graphql" in resources
        schema = (await user.read_resource("portico://schema.graphql")).contents[0].text
        assert "type Query" in schema
    try:
        async with connected(mode, "unknown-token") as unknown:
            await unknown.list_tools()
        raise AssertionError("an unknown token was accepted")
    except* (MCPError, httpx2.HTTPError):
        pass


async def streams(user):
    told = []

    async def progress(value, total, message):
        told.append((value, message))

    result = await user.call_tool("Home", {}, progress_callback=progress)
    assert not result.is_error, result
    assert told == [(0, "The operation Home has started.")], told


async def orders(user, quantity):
    # Both revisions have the same session, so that the quantities must differ.
    accounts = await user.call_tool("StockPage", {"symbol": "AMD", "signedIn": True})
    account = next(a["id"] for a in accounts.structured_content["data"]["accounts"] if a["provider"] == "alpaca")

    def order(quantity):
        size = {"quantity": str(quantity)}
        price = {"limit": "1"}
        return {"input": {"accountId": account, "instrument": {"symbol": "AMD"}, "side": "BUY", "size": size, "price": price}}

    await fails(user.call_tool("PlaceOrder", order(quantity)), "CONFLICT", "This order has no preview that is valid.", "previewOrder")
    own = order(quantity)
    own["input"]["idempotencyKey"] = str(uuid.uuid4())
    await fails(user.call_tool("PlaceOrder", own), '"input.idempotencyKey"', "the id of the call")
    # The value that counts is that of the market, not of the limit.
    for size in (quantity, 1000 + quantity):
        preview = await user.call_tool("PreviewOrder", order(size))
        assert preview.structured_content["data"]["previewOrder"]["value"] == str(size), preview
    await fails(user.call_tool("PlaceOrder", order(1000 + quantity)), "BAD_USER_INPUT", "100000 USD in a day")
    placed = await user.call_tool("PlaceOrder", order(quantity))
    assert not placed.is_error, placed
    assert placed.structured_content["data"]["placeOrder"]["order"]["clientOrderId"].startswith("mcp-"), placed
    await fails(user.call_tool("PlaceOrder", order(quantity)), "CONFLICT", "used by another call")


async def listing():
    async with connected("auto", token) as user:
        tools = (await user.list_tools()).tools
        return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]


async def main():
    for mode in ("auto", "legacy"):
        await check(mode)
    text = "".join(json.dumps(tool, sort_keys=True, ensure_ascii=False) + "\n" for tool in await listing())
    if "--record" in sys.argv:
        golden.write_text(text)
    assert golden.read_text() == text, f"the tools differ from {golden}; run with --record and read the difference"
    print("mcp: the tools are listed, called and refused as expected")


asyncio.run(main())
