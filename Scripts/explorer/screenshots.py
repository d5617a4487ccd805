"""Takes pictures of the explorer and the example of a running Portico, which must use the sandbox.

usage: screenshots.py BASE FOLDER [SCREEN …]

Each screen is taken at widths of 1280 and 390 pixels, light and dark: FOLDER/SCREEN-WIDTH-SCHEME.png. A new tab for each
picture starts without the state of the one before.
"""

import asyncio
import os
import sys

from browser import browser

# The sandbox's clock stands still, and the age of a value is its distance from the server's clock, which does not.
CLOCK = """{
    const { get } = Headers.prototype;
    Headers.prototype.get = function (name) { return name === "date" ? "TIME" : get.call(this, name); };
}"""


async def explorer(page, base):
    await page.open(base + "/#accounts/overview")
    await page.until("document.querySelector('[data-sample=\"query/viewer\"]')", "the samples")
    await page.click('[data-sample="accounts/overview"]')
    await page.until("decodeURIComponent(location.hash) === '#accounts/overview'", "the sample")
    # The first response also contains what is read once only, and is slower; then short-lived values expire.
    for pause in [2500, 300]:
        await page.click(".graphiql-execute-button")
        await page.run(f"new Promise((done) => setTimeout(done, {pause}))")
        await page.until("!document.querySelector('.graphiql-spinner') && document.querySelectorAll('.upstream .call').length > 3", "the calls")


async def sign_in(page, base):
    await page.open(base + "/example/")
    await page.until("document.querySelector('#as-demo:not([hidden])')", "the way in")


async def home(page, base):
    await sign_in(page, base)
    await page.click("#as-demo")
    await page.until("document.getElementById('live').textContent === 'Live' && document.querySelector('#equity-chart canvas')", "home")
    await page.until("document.querySelectorAll('#connections li').length", "brokers")


async def stock(page, base, symbol="AAPL"):
    await home(page, base)
    await page.run(f"location.hash = '#/stock/' + encodeURIComponent('{symbol}')")
    await page.until("document.querySelector('#price-chart svg .line') && document.getElementById('orders-live').textContent === 'Connected'", "the stock")


async def pair(page, base):
    await stock(page, base, "USD/JPY")


async def review(page, base):
    await stock(page, base)
    await page.run("document.getElementById('ticket').requestSubmit()")
    await page.until("document.getElementById('review').open", "the review")


async def orders(page, base):
    await home(page, base)
    await page.run("location.hash = '#/orders'")
    await page.until("document.querySelector('#orders [data-order]') && document.querySelector('#ended-orders li')", "the orders")


async def activity(page, base):
    await home(page, base)
    await page.run("location.hash = '#/activity'")
    await page.until("document.querySelectorAll('#activities tr').length === 30", "activities")


async def performance(page, base):
    await home(page, base)
    await page.run("location.hash = '#/performance'")
    await page.until("document.querySelector('#performance-chart svg .line')", "the chart")


async def alerts(page, base):
    await home(page, base)
    await page.run("location.hash = '#/alerts'")
    await page.until("document.querySelectorAll('#firings tr').length && document.getElementById('alerts-live').textContent === 'Connected'", "the alerts")


async def prepare(page, base):
    """Creates what the screens show: a watchlist, goals, an order and alerts, one of which fires."""
    await page.open(base + "/example/")
    await page.run("""(async () => {
        const { token } = await (await fetch("/explorer/settings.json")).json();
        const send = async (query, variables = {}) => (await (await fetch("/graphql", {
            method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
            body: JSON.stringify({ query, variables }) })).json()).data;
        await send('mutation { createWatchlist(input: { name: "Favorites", symbols: ["MSFT", "NVDA", "TSLA", "USD/JPY"] }) { watchlist { id } } }');
        for (const [title, target, percent] of [["A year off", "12000", "50"], ["House", "40000", "40"]]) {
            await send(`mutation { createGoal(input: { title: "${title}", target: "${target}", dueOn: "2028-06-30",
                allocations: [{ symbol: "AAPL", share: { percentage: "${percent}" } }] }) { goal { id } } }`);
        }
        const { account } = await send('{ account(provider: "alpaca") { id } }');
        await send(`mutation { placeOrder(input: { idempotencyKey: "picture", accountId: "${account.id}", side: BUY, timeInForce: GTC,
            instrument: { symbol: "AAPL" }, size: { quantity: "5" }, price: { limit: "180.00" } }) { order { id } } }`);
        const { goals: [{ id }] } = await send("{ goals { id } }");
        for (const [condition, about] of [
            [`priceAbove: { symbol: "AAPL", price: "1000" }`, ""], [`dayFall: { symbol: "MSFT", percentage: "5" }`, "rearmAfter: 86400"],
            [`goalReached: "${id}"`, ""], [`priceBelow: { symbol: "USD/JPY", price: "1000" }`, `label: "Yen is strong", rearmAfter: 3600`],
            [`priceAbove: { symbol: "NVDA", price: "1" }`, ""],
        ]) await send(`mutation { createAlert(input: { condition: { ${condition} } ${about} }) { alert { id } } }`);
    })()""")


SCREENS = {"explorer": explorer, "sign-in": sign_in, "home": home, "stock": stock, "pair": pair, "review": review, "orders": orders, "activity": activity,
           "performance": performance, "alerts": alerts}


async def main(base, folder, wanted):
    async with browser() as page:
        await prepare(page, base)
    for name, show in SCREENS.items():
        if wanted and name not in wanted:
            continue
        for width in [1280, 390]:
            for scheme in ["light", "dark"]:
                async with browser() as page:
                    await page.call("Page.addScriptToEvaluateOnNewDocument", source=CLOCK.replace("TIME", os.environ["PORTICO_SANDBOX_TIME"]))
                    await page.look(width, 900 if width > 400 else 844, scheme)
                    await show(page, base)
                    await page.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
                    await page.run("new Promise((done) => setTimeout(done, 300))")
                    if name == "stock" and width > 400:
                        await page.picture(f"{folder}/{name}-window-{scheme}.png")
                    # The whole page, unless it fills exactly the window.
                    height = await page.run("Math.min(2600, document.documentElement.scrollHeight)")
                    await page.look(width, max(height, 844), scheme)
                    # Charts are drawn again after the change of the size.
                    await page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 300))))")
                    await page.picture(f"{folder}/{name}-{width}-{scheme}.png")
                    print(f"{name}-{width}-{scheme}.png")


if __name__ == "__main__":
    if len(sys.argv) < 3 or not set(sys.argv[3:]) <= SCREENS.keys():
        sys.exit(__doc__)
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
