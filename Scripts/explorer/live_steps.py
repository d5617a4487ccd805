"""Steps that test the example: a change is not lost between the read of a page and its subscription, nor after an interruption."""

import asyncio
import json

# Sends an operation as another client of the same user does.
SEND = """async (query, variables) => {
    const { token } = await (await fetch("/explorer/settings.json")).json();
    const response = await fetch("/graphql", {
        method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify({ query, variables }) });
    const { data, errors } = await response.json();
    if (errors) throw new Error(errors[0].message);
    return data;
}"""
# From now on, responses to the page's queries, and the beginnings of its subscriptions, wait for `testing.release()` if
# `testing.hold` contains "read" or "subscribe".
HOLD = """(() => {
    if (window.testing) return;
    const testing = window.testing = { hold: "", waiting: [], release() {
        testing.hold = "";
        for (const go of testing.waiting.splice(0)) go();
    } };
    const { fetch } = window;
    const { send } = WebSocket.prototype;
    window.fetch = async (address, options) => {
        const response = await fetch(address, options);
        const isRead = /query (StockPage|AllOrders)/.test(options?.body ?? "");
        if (isRead && testing.hold === "read") await new Promise((resolve) => testing.waiting.push(resolve));
        return response;
    };
    WebSocket.prototype.send = function (text) {
        testing.socket = this;
        const go = () => send.call(this, text);
        if (testing.hold === "subscribe" && JSON.parse(text).type === "subscribe") testing.waiting.push(go);
        else go();
    };
})()"""
SYMBOL = "INTC"
SCREENS = [f"#/stock/{SYMBOL}", "#/orders"]


async def send(page, query, **variables):
    return await page.run(f"({SEND})({json.dumps(query)}, {json.dumps(variables)})")


async def place(page, side="BUY", price=None):
    """Places an order for one unit at Alpaca, and returns its id."""
    accounts = (await send(page, "{ accounts { id provider } }"))["accounts"]
    account = next(one["id"] for one in accounts if one["provider"] == "alpaca")
    key = await page.run("crypto.randomUUID()")
    data = await send(page, "mutation($input: PlaceOrderInput!) { placeOrder(input: $input) { order { id } } }", input={
        "idempotencyKey": key, "accountId": account, "instrument": {"symbol": SYMBOL}, "side": side, "size": {"quantity": "1"},
        **({"price": {"limit": price}, "timeInForce": "GTC"} if price else {})})
    return data["placeOrder"]["order"]["id"]


async def until_state(page, order, state):
    """Waits until a broker reports the state of an order."""
    await page.run(f"""(async () => {{
        const send = {SEND};
        while ((await send("query($id: ID!) {{ order(id: $id) {{ state }} }}", {{ id: {json.dumps(order)} }})).order.state !== "{state}")
            await new Promise((resolve) => setTimeout(resolve, 500));
    }})()""")


async def cancel(page, order):
    await send(page, "mutation($id: ID!) { cancelOrder(id: $id) { order { id } } }", id=order)
    await until_state(page, order, "CANCELED")


async def until_quota(page, calls=120):
    """Waits until the brokers that allow more calls a minute allow this number: the steps make more of them than a person does."""
    while True:
        data = await send(page, "{ viewer { connections { rateLimits { windowSeconds limit remaining } } } }")
        limits = [limit for one in data["viewer"]["connections"] for limit in one["rateLimits"]]
        if all(one["remaining"] >= calls for one in limits if one["windowSeconds"] == 60 and one["limit"] > calls):
            return
        await asyncio.sleep(1)


def shown(order, state):
    return f'document.querySelector(`[data-order="{order}"]`)?.dataset.state === "{state}"'


async def reads_before_a_change(page):
    """An order ends after the server has read it for a page, and before the page has the response."""
    await until_quota(page)
    await page.run(HOLD)
    for screen in SCREENS:
        await page.run("location.hash = '#/alerts'")
        order = await place(page, price="1.10")
        await until_state(page, order, "OPEN")
        await page.run("testing.hold = 'read'")
        await page.run(f"location.hash = {json.dumps(screen)}")
        await page.until("testing.waiting.length > 0", "the response that waits")
        await cancel(page, order)
        await page.run("testing.release()")
        await page.until(shown(order, "CANCELED"), f"the end of the order at {screen}")


async def subscribes_after_a_change(page):
    """An order ends after a page has shown it, and before its subscription begins: at first, and after an interruption."""
    await page.run(HOLD)
    for screen in SCREENS:
        await until_quota(page)
        await page.run("location.hash = '#/alerts'")
        order = await place(page, price="1.10")
        await until_state(page, order, "OPEN")
        await page.run("testing.hold = 'subscribe'")
        await page.run(f"location.hash = {json.dumps(screen)}")
        await page.until(shown(order, "OPEN"), f"the order at {screen}")
        await cancel(page, order)
        await page.run("testing.release()")
        await page.until(shown(order, "CANCELED"), f"the end of the order at {screen}")
        order = await place(page, price="1.10")
        await page.until(shown(order, "OPEN"), f"the order at {screen}")
        await interrupt(page)
        await cancel(page, order)
        missed = await place(page, price="1.20")
        await cancel(page, missed)
        await page.run("testing.release()")
        await page.until(shown(order, "CANCELED"), f"the end of the order after an interruption at {screen}")
        await page.until(shown(missed, "CANCELED"), f"an order that began and ended in an interruption at {screen}")


async def loses_no_position(page):
    """A position that is closed during an interruption is not shown any longer."""
    await until_quota(page)
    await page.run(HOLD)
    await page.run(f"location.hash = {json.dumps(SCREENS[0])}")
    await until_state(page, await place(page), "FILLED")
    await page.until("document.querySelector('#stock-positions [data-position]')", "the position")
    await interrupt(page)
    await until_state(page, await place(page, side="SELL"), "FILLED")
    await page.run("testing.release()")
    await page.until("document.querySelector('#stock-positions .empty')", "the end of the position")
    await until_quota(page)


async def interrupt(page):
    """Closes the connection of the page; the next one waits before its subscriptions begin."""
    await page.run("testing.hold = 'subscribe'; testing.socket.close()")
    await page.until("testing.waiting.length > 0", "the next connection")
