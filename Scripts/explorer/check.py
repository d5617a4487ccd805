"""Tests the explorer and the example of a running Portico, which must use the sandbox.

usage: check.py BASE FOLDER    (screenshots go into the folder)
"""

import asyncio
import json
import re
import sys
import time

from browser import browser
from explorer_steps import QUERY, RESULT, RUN, VARIABLES, answer, choose
import example_steps
import explorer_steps
import live_steps
from sandbox import control, sandbox_address

# An operation whose deferred part no other step reads, so that it is not cached.
PARTS = """{ positions { symbol } ... @defer(label: "slow chart") {
    chart(symbol: "V", interval: ONE_MINUTE, last: 37) { columns { close } } } }"""


async def runs_a_screen(page):
    await page.until('document.querySelector("[data-sample=\'subscription/quotes\']")', "samples of all root fields")
    data = (await answer(page))["data"]
    assert data["account"]["equity"] and data["account"]["positions"], data
    await page.until('document.querySelector(".report .good .badge").textContent === "200"', "how the answer came")


async def draws_upstream_calls(page):
    """Each reported call is a bar at the correct position."""
    reported = [{"provider": "alpaca", "call": outcome.lower(), "startMs": 10 * number, "durationMs": 10,
                 "outcome": outcome, "status": None, "attempts": 1}
                for number, outcome in enumerate(["FETCHED", "CACHED", "JOINED", "STALE", "FAILED"])]
    drawn = await page.run(f"""import("/explorer/waterfall.js").then(({{ drawWaterfall }}) => {{
        const panel = document.createElement("div");
        panel.append(...drawWaterfall([{{ durationMs: 50, upstream: {json.dumps(reported)} }}]));
        return [...panel.querySelectorAll(".call")].map((call) => [
            call.classList[1], call.querySelector(".name span").textContent,
            call.querySelector(".bar").style.left, call.querySelector(".bar").style.width]);
    }})""")
    assert drawn == [
        [call["outcome"], call["call"], f"{2 * call['startMs']}%", "20%"] for call in reported], drawn


async def shows_upstream_calls(page):
    """The calls of a response, and of the same request directly afterwards."""
    titles = '[...document.querySelectorAll(".upstream .call")].map((one) => one.title)'
    calls = await page.run(titles)
    if not await page.run("""fetch("/graphql", {
        method: "POST", headers: { "content-type": "application/json", "Portico-Upstream": "true" },
        body: JSON.stringify({ query: "{ marketClock { open } }" }),
    }).then((response) => response.json()).then((answer) => "portico" in (answer.extensions ?? {}))"""):
        assert calls == [], calls
        print("      this Portico does not report upstream calls, so the panel is not tested")
        return
    assert len(calls) >= 3 and any("alpaca" in text and "fetched" in text for text in calls), calls
    assert '"portico"' not in await page.run(RESULT), "the extension is shown in the panel, not in the answer"
    await answer(page)
    again = await page.run(titles)
    assert any("from memory" in text for text in again), again


async def shows_parts_as_they_arrive(page):
    """Positions are shown while the source of a chart has not answered; its part follows, marked with its calls."""
    complete = 'document.querySelector(".report .good .badge")?.textContent === "200"'
    await choose(page, "parts/positions")
    await answer(page)
    await page.until(complete, "the complete response of the sample")
    shown = json.loads(await page.run(RESULT))
    assert "errors" not in shown and all("quote" in one and "instrument" in one for one in shown["data"]["positions"]), shown
    await page.run(f'{explorer_steps.EDITOR}.setValue({json.dumps(PARTS)})')
    await page.until(f'sessionStorage.getItem("graphiql:query") === {json.dumps(PARTS)}', "the operation in GraphiQL's state")
    sandbox = await sandbox_address(page)
    control(sandbox, "POST", "faults", {
        "effect": "latency", "milliseconds": 3_000, "provider": "alpaca", "endpoint": "GET /v2/stocks/bars"})
    try:
        await page.click(RUN)
        # The text of a first payload; a response that waits for the chart never has it.
        await page.until('document.querySelector(".report .busy")?.textContent.includes("waiting for more")', "the first payload")
        first = json.loads(await page.run(RESULT))
        assert len(first["data"]["positions"]) > 3 and "chart" not in first["data"], first
        await page.until(complete, "the complete response")
    finally:
        control(sandbox, "DELETE", "faults")
    shown = json.loads(await page.run(RESULT))
    assert shown.keys() == {"data"} and shown["data"]["positions"] == first["data"]["positions"], shown
    assert len(shown["data"]["chart"]["columns"]["close"]) == 37, shown
    assert "2 payloads" in await page.run('document.querySelector(".report .line").textContent')
    rows = await page.run("""[...document.querySelectorAll(".upstream .calls > li")].map((one) => ({
        kind: one.classList[0], name: one.querySelector(".name").textContent,
        arrival: parseFloat(one.querySelector(".arrival").style.left),
        width: parseFloat(one.querySelector(".bar")?.style.width ?? 0) }))""")
    assert [row["name"] for row in rows if row["kind"] == "part"] == ["first payload", "slow chart"], rows
    second = next(number for number, row in enumerate(rows) if row["name"] == "slow chart")
    assert rows[0]["arrival"] < 50 and rows[second]["arrival"] > 90, rows
    # The slow call belongs to the part that waited for it; it began before the first payload.
    slow = [row["name"] for row in rows if row["width"] > 50]
    assert slow and all(row["name"] not in slow for row in rows[:second]), rows


async def runs_every_root_field(page):
    """Each sample query has a response without errors; each sample mutation and its variables are valid."""
    for sample in ["watchlists/create-watchlist", "goals/create-goal"]:
        await choose(page, sample)
        await answer(page)
    samples = await page.run('[...document.querySelectorAll("[data-sample]")].map((one) => one.dataset.sample)')
    failures = {}
    for sample in samples:
        await choose(page, sample)
        if sample.startswith("query/"):
            outcome = await answer(page)
            if outcome.get("errors") or outcome.get("data") is None:
                failures[sample] = outcome
        elif sample.startswith("mutation/"):
            # Without a token, so that nothing is bought or deleted: an invalid request has no `data`.
            outcome = await page.run(f"""fetch("/graphql", {{
                method: "POST", headers: {{ "content-type": "application/json" }},
                body: JSON.stringify({{ query: {QUERY}, variables: JSON.parse({VARIABLES} || "{{}}") }}),
            }}).then((response) => response.json())""")
            if "data" not in outcome:
                failures[sample] = outcome
    kinds = [sample.split("/")[0] for sample in samples]
    assert kinds.count("query") > 15 and kinds.count("mutation") > 20 and kinds.count("subscription") >= 3, samples
    assert not failures, json.dumps(failures, indent=1)


async def follows_subscriptions(page):
    """On a day without trading there is one event for each object, and no further event."""
    for sample, events in [("subscription/account", 1), ("subscription/positions", 5), ("subscription/quotes", 2)]:
        await choose(page, sample)
        await page.click(RUN)
        await page.until(
            f'Number(document.querySelector(".report .live").textContent.match(/(\\d+) event/)[1]) >= {events}',
            f"{events} events of {sample}")
        event = json.loads(await page.run(RESULT))
        assert "errors" not in event and event["data"][sample.split("/")[1]], event
        await page.click(RUN)
        await page.until('document.querySelector(".report .line").textContent.startsWith("stopped")', "the end")


async def becomes_a_guest(page):
    await page.run("""(() => {
        const select = document.getElementById("session");
        select.value = "guest";
        select.dispatchEvent(new Event("change"));
    })()""")
    await page.until('document.getElementById("session-detail").textContent.includes("…")', "a guest's token")
    await choose(page, "query/viewer")
    viewer = (await answer(page))["data"]["viewer"]
    assert viewer and viewer["username"] is None, viewer


async def signs_in(page):
    await page.click("#as-demo:not([hidden])")
    await page.until('document.querySelector("#equity-chart canvas")', "the line of the month")
    await page.until('document.getElementById("equity").textContent.startsWith("$")', "the equity")
    await page.until('document.querySelectorAll("#positions tr").length > 3', "positions")
    await page.until('document.getElementById("live").textContent === "Live"', "events of positions")


async def adds_a_goal(page):
    goals = 'document.querySelectorAll("#goals [data-goal]").length'
    before = await page.run(goals)
    await page.click("#new-goal")
    await page.type("#goal-form [name=title]", "A boat")
    await page.type("#goal-form [name=target]", "12000")
    await page.run("""(() => {
        const holding = document.querySelector("#goal-form [name=symbol]");
        holding.selectedIndex = holding.length - 1;
    })()""")
    await page.type("#goal-form [name=percentage]", "1")
    await page.click("#goal-form [value=create]")
    await page.until(f"{goals} === {before + 1}", "one goal more")
    await page.until('document.querySelector("[data-goal=\'A boat\'] .ring .part")', "its ring")
    assert not await page.run('document.getElementById("goal-dialog").open')


async def adds_to_the_watchlist(page):
    await page.type("#search input", "Tesla")
    await page.click('#hits:not([hidden]) button[data-symbol="TSLA"]')
    await page.until('document.querySelector("#watchlist [data-symbol=TSLA] .sparkline .line")', "its sparkline")
    price = await page.run('document.querySelector("#watchlist [data-symbol=TSLA] .price b").textContent')
    assert price.startswith("$"), price


async def shows_decimals_of_a_pair(page):
    prices = await page.run("""[...document.querySelectorAll('#positions tr[data-symbol="USD/JPY"]')]
        .map((row) => row.cells[2].textContent)""")
    assert prices and all(len(price.partition(".")[2]) == 2 for price in prices), prices


async def deletes_a_goal(page):
    await page.click("[data-goal='A boat'] button")
    await page.click("#goal-form [value=delete]")
    await page.until("!document.querySelector('[data-goal=\"A boat\"]')", "the end of the goal")


async def removes_from_the_watchlist(page):
    await page.click("#watchlist [data-symbol=TSLA] .remove")
    await page.until("!document.querySelector('#watchlist [data-symbol=TSLA]')", "a list without it")


async def signs_up_and_connects(page):
    """A new user, who has signed up before, connects a broker by its consent page."""
    await page.until("document.querySelectorAll('#connect button').length > 1", "brokers")
    await page.run("[...document.querySelectorAll('#connect button')].find((one) => one.textContent.includes('Saxo')).click()")
    await page.until("document.querySelector('button[value=approve]')", "the consent page")
    # The only other address that the page may open.
    consent = await page.run("location.origin")
    await page.click("button[value=approve]")
    await page.until("document.querySelectorAll('#connections li').length === 1", "the connection")
    await page.until("document.querySelectorAll('#positions tr').length > 3", "its positions")
    assert await page.run("location.search") == "", "the code stays in the address"
    page.requests = [url for url in page.requests if not url.startswith(consent)]
    page.errors = [text for text in page.errors if consent not in text]


STORED = 'Object.keys(localStorage).filter((key) => key.startsWith("portico:example:order:")).length'


def order_in(state, text=""):
    """A condition: an order with the text is in one of the states, which are separated by spaces."""
    return (f"[...document.querySelectorAll('#orders li[data-order]')].some((one) => "
            f"{json.dumps(state.split())}.includes(one.dataset.state) && one.textContent.includes({json.dumps(text)}))")


async def open_stock(page, symbol):
    await page.run(f"location.hash = '#/stock/' + encodeURIComponent({json.dumps(symbol)})")
    await page.until(f"document.querySelector('#stock-symbol')?.textContent === {json.dumps(symbol)}"
                     " && !document.querySelector('#stock-body').hidden", f"the page of {symbol}")


async def fill_ticket(page, size, limit=None, side="BUY"):
    await page.run(f"""(() => {{
        const form = document.getElementById("ticket");
        const set = (name, value) => {{
            form.elements[name].value = value;
            form.elements[name].dispatchEvent?.(new Event("input", {{ bubbles: true }}));
        }};
        set("type", {json.dumps("LIMIT" if limit else "MARKET")});
        set("size", {json.dumps(size)});
        if ({json.dumps(limit)}) set("limit", {json.dumps(limit)});
        form.querySelector("[name=side][value={side}]").click();
    }})()""")


async def send_order(page):
    await page.click("#ticket .primary:enabled")
    await page.until('document.getElementById("review").open', "the review")
    await page.click("#review [value=place]")


async def opens_a_stock(page):
    await page.click("#positions a[data-symbol=AAPL]")
    await page.until('document.querySelector("#price-chart svg .line")', "the chart")
    assert "Apple" in await page.run('document.getElementById("stock-name").textContent')
    assert await page.run("document.activeElement.id") == "stock-name", "the heading has the focus"
    await page.until('document.getElementById("stock-price").textContent.startsWith("$")', "the price")
    await page.until('document.querySelectorAll("#news a").length > 0', "news")
    await page.until('document.querySelector("#stock-positions [data-position]")', "the position")
    for name, state in [("price-live", "Live"), ("position-live", "Connected"), ("orders-live", "Connected")]:
        await page.until(f'document.getElementById("{name}").textContent === "{state}"', name)


async def changes_the_range(page):
    """Every range has a chart, a sentence and a table."""
    ranges = await page.run('[...document.querySelectorAll("#ranges input")].map((one) => one.value)')
    assert ranges[0] == "ONE_DAY" and ranges[-1] == "MAX" and len(ranges) == 9, ranges
    summaries = set()
    for name in ranges:
        await page.click(f"#ranges input[value={name}]")
        await page.until(f'document.querySelector("#price-chart[data-range={name}]:not([aria-busy]) svg .line")', f"the chart of {name}")
        about = await page.run("""({
            summary: document.getElementById("chart-summary").textContent, rows: document.querySelectorAll("#chart-values tr").length,
            label: document.querySelector("#price-chart svg").getAttribute("aria-label"), hash: location.hash })""")
        assert about["summary"] in about["label"] and 2 <= about["rows"] <= 30, about
        assert about["hash"] == f"#/stock/AAPL/{name}", about
        summaries.add(about["summary"])
    place = await page.run("""(() => {
        const box = document.getElementById("price-chart").getBoundingClientRect();
        return { x: box.x + box.width / 3, y: box.y + 50 };
    })()""")
    await page.call("Input.dispatchMouseEvent", type="mouseMoved", **place)
    await page.until('/ \\$[0-9.]+$/.test(document.querySelector("#price-chart [visibility=visible] .reading")?.textContent ?? "")', "the value under the pointer")
    assert len(summaries) == 9, summaries
    await page.call("Page.reload")
    await page.until('document.querySelector("#price-chart[data-range=MAX] svg")', "the same range after a reload")


async def places_an_order(page):
    await fill_ticket(page, "2", limit="2.50")
    assert "$5.00" in await page.run('document.getElementById("estimate").textContent')
    await send_order(page)
    await page.until(order_in("OPEN", "buy 2 at limit $2.50"), "the open order")
    assert await page.run(STORED) == 0, "its key is kept, although the outcome is known"


async def replaces_the_order(page):
    await page.click("#orders [data-action=replace]")
    await page.type("#replace [name=limit]", "2.75")
    await page.type("#replace [name=quantity]", "3")
    await page.click("#replace [value=change]")
    await page.until(order_in("OPEN", "buy 3 at limit $2.75"), "the changed order")
    assert not await page.run('document.getElementById("replace").open')


async def cancels_the_order(page):
    await page.click("#orders [data-action=cancel]")
    await page.until(order_in("CANCELED", "buy 3 at limit $2.75"), "the end of the order")


async def fills_an_order(page):
    """The state of the order and the position follow without a reload."""
    held = 'parseFloat(document.querySelector("#stock-positions [data-position] b").textContent)'
    before = await page.run(held)
    await fill_ticket(page, "1")
    await send_order(page)
    await page.until(order_in("FILLED", "buy 1 at market"), "the filled order")
    await page.until(f"{held} === {before + 1}", "the larger position")


async def shows_a_rejection(page):
    await fill_ticket(page, "900000", limit="200")
    await send_order(page)
    await page.until('/\\((INSUFFICIENT_FUNDS|PRICE|QUANTITY)\\) \\w+/.test(document.getElementById("ticket-failure").textContent)', "code and remedy")
    assert await page.run(STORED) == 0


async def previews_an_order(page):
    """The review shows who calculated the costs, and why an order would be rejected; nothing is placed."""
    review = 'document.getElementById("review")'
    before = await page.run("document.querySelectorAll('#orders li[data-order]').length")
    brokers = await page.run("[...document.querySelectorAll('#ticket [name=accountId] option')].map((one) => one.textContent.split(' ')[0])")
    assert {"Alpaca", "Saxo"} <= set(brokers), brokers
    for broker, calculator in [("Alpaca", "Estimated byPortico, with the price of"), ("Saxo", "Calculated bySaxo")]:
        await page.run(f"""(() => {{
            const account = document.querySelector("#ticket [name=accountId]");
            account.selectedIndex = {brokers.index(broker)};
            account.dispatchEvent(new Event("input", {{ bubbles: true }}));
        }})()""")
        for size, is_rejected in [("1", False), ("900000", True)]:
            await fill_ticket(page, size, limit="200.00")
            await page.click("#ticket .primary:enabled")
            await page.until(f"{review}.open", "the review")
            text = await page.run(f"{review}.textContent")
            assert calculator in text and "Cash needed" in text and "Costs" in text, text
            assert await page.run("document.getElementById('preview-failure').hidden"), text
            rejections = await page.run("document.getElementById('rejections').hidden ? '' : document.getElementById('rejections').textContent")
            assert ("INSUFFICIENT_FUNDS" in rejections) == is_rejected, (broker, size, rejections)
            await page.click("#review [value=cancel]")
            await page.until(
                f"!{review}.open && document.querySelector('#ticket .primary').ariaDisabled === 'false'", "the end of the review")
    await page.run("document.querySelector('#ticket [name=accountId]').selectedIndex = 0")
    await page.run("document.querySelector('#ticket [name=accountId]').dispatchEvent(new Event('input', { bubbles: true }))")
    assert await page.run("document.querySelectorAll('#orders li[data-order]').length") == before


async def places_a_bracket(page):
    """A take profit and a stop loss are placed with the order, and cancelled with it."""
    await fill_ticket(page, "2", limit="2.30")
    await page.run("""(() => {
        const { takeProfit, stopLoss } = document.getElementById("ticket").elements;
        [takeProfit.value, stopLoss.value] = ["900.00", "2.00"];
    })()""")
    await page.click("#ticket .primary:enabled")
    await page.until('document.getElementById("review").open', "the review")
    assert "take profit at $900.00, stop loss at $2.00" in await page.run('document.querySelector("#review dd").textContent')
    await page.click("#review [value=place]")
    await page.until(order_in("OPEN", "buy 2 at limit $2.30"), "the order")
    states = "ACCEPTED OPEN PENDING HELD NEW"
    for leg in ["sell 2 at limit $900.00", "sell 2 at stop $2.00"]:
        await page.until(order_in(states, leg), leg)
    await page.call("Page.reload")
    for leg in ["buy 2 at limit $2.30", "sell 2 at limit $900.00", "sell 2 at stop $2.00"]:
        await page.until(order_in(states, leg), f"{leg} after a reload")
    await page.run("""[...document.querySelectorAll("#orders li")].find((one) => one.textContent.includes("buy 2 at limit $2.30"))
        .querySelector("[data-action=cancel]").click()""")
    for order in ["buy 2 at limit $2.30", "sell 2 at limit $900.00", "sell 2 at stop $2.00"]:
        await page.until(order_in("CANCELED", order), f"the end of {order}")


async def filters_activities(page):
    """The list of activities: filters, which the address keeps, and pages."""
    rows = "document.querySelectorAll('#activities tr').length"
    settled = "!document.getElementById('activity-table').hasAttribute('aria-busy')"
    await page.click("#screens a[href='#/activity']")
    await page.until(f"{rows} === 30 && {settled}", "a page of activities")
    assert await page.run("document.querySelector('#screens [aria-current]').textContent") == "Activity"
    assert await page.run("document.activeElement.tagName") == "H1", "the heading has the focus"
    await page.click("#older-activities")
    await page.until(f"{rows} === 60", "the next page")
    ids = await page.run("[...document.querySelectorAll('#activities tr')].map((one) => one.dataset.activity)")
    assert len(set(ids)) == 60
    await page.until("document.activeElement === document.querySelectorAll('#activities tr')[30]", "the focus in the first new row")
    await page.run("document.querySelector('#activity-filters [name=kind]').value = 'INCOME'")
    await page.type("#activity-filters [name=symbol]", "ko")
    await page.press("Enter")
    await page.until(f"""{settled} && location.hash === "#/activity?kind=INCOME&symbol=ko" && {rows} > 0
        && [...document.querySelectorAll("#activities tr")].every((one) => one.dataset.kind === "DIVIDEND"
            && one.querySelector("a").dataset.symbol === "KO")""", "the dividends of KO")
    shown = await page.run(rows)
    await page.call("Page.reload")
    await page.until(f"{rows} === {shown} && {settled}", "the same list after a reload")
    await page.run("""(() => {
        const { account, from, to } = document.getElementById("activity-filters").elements;
        account.selectedIndex = 1;
        [from.value, to.value] = ["2025-01-01", "2025-12-31"];
    })()""")
    await page.click("#activity-filters .primary")
    await page.until(f"""{settled} && {rows} > 0 && {rows} < {shown} && [...document.querySelectorAll("#activities time")]
        .every((one) => one.dateTime.startsWith("2025-"))""", "one year of one account")
    await page.type("#activity-filters [name=symbol]", "TSLA")
    await page.press("Enter")
    await page.until("document.getElementById('activity-status').textContent.startsWith('No activity matches.')", "an empty list")
    await page.click("#clear-filters")
    await page.until(f"{rows} === 30 && location.hash === '#/activity'", "all activities")


async def shows_performance(page):
    """Return, gain, chart and holdings of every range, and an unknown benchmark."""
    await page.click("#screens a[href='#/performance']")
    settled = "document.querySelector('#performance-body:not([aria-busy])')"
    await page.until(f"{settled} && document.querySelector('#performance-chart svg .line') "
                     "&& document.querySelector('#performance-chart svg .other')", "the chart with the benchmark")
    assert await page.run("document.activeElement.tagName") == "H1", "the heading has the focus"
    names = await page.run("[...document.querySelectorAll('#performance-ranges input')].map((one) => one.value)")
    assert names[0] == "ONE_DAY" and names[-1] == "MAX" and len(names) == 9, names
    for name in names:
        await page.click(f"#performance-ranges input[value={name}]")
        await page.until(f"document.querySelector('#performance-body[data-range={name}]:not([aria-busy])')", f"the range {name}")
        about = await page.run("""({ hash: location.hash, figures: document.getElementById("return-figures").textContent,
            label: document.querySelector("#performance-chart svg")?.getAttribute("aria-label"),
            chart: document.getElementById("performance-chart").textContent,
            gains: [...document.querySelectorAll("#gain-parts tr")].map((one) => one.cells[1].textContent) })""")
        assert about["hash"] == f"#/performance?range={name}&benchmark=SPY", about
        # A figure without a value has its reason.
        assert "%" in about["figures"] or "unknown" in about["figures"], about
        assert about["chart"] == "There is no return for this range." or "portfolio" in about["label"], about
        cents = [None if text == "unknown" else round(100 * float(re.sub("[^0-9.-]", "", text))) for text in about["gains"][2:8]]
        assert None in cents or abs(sum(cents[:5]) - cents[5]) <= 3, about
    assert await page.run("document.querySelectorAll('#holdings tr').length") > 3
    # A year, because Polygon's plan has no older prices: NOT_ENTITLED does not tell whether a symbol exists.
    await page.click("#performance-ranges input[value=ONE_YEAR]")
    await page.until(f"{settled}?.dataset.range === 'ONE_YEAR'", "a year")
    failure = "document.getElementById('performance-failure')"
    for _ in range(3):
        await page.type("#benchmark", "nosuch")
        await page.press("Enter")
        text = await page.until(f"{settled} && !{failure}.hidden && {failure}.textContent", "an unknown benchmark")
        # Only a provider with quota left knows that a symbol does not exist; the steps before may have used the quota of a minute.
        if "(QUOTA_EXHAUSTED)" not in text:
            break
        assert re.search(r"From [0-9:]+ on\.", text), text
        await asyncio.sleep(61)
    assert "(NOT_FOUND)" in text, text
    await page.type("#benchmark", "QQQ")
    await page.press("Enter")
    await page.until("document.getElementById('return-figures').textContent.includes('QQQ') && document.getElementById('performance-failure').hidden",
                     "another benchmark")
    await page.click("#performance-ranges input[value=MAX]")
    await page.until(f"{settled}?.dataset.range === 'MAX'", "all years")
    await page.call("Page.reload")
    await page.until(f"{settled}?.dataset.range === 'MAX' && document.getElementById('benchmark').value === 'QQQ'", "the same after a reload")


async def shows_allocations_on_demand(page):
    """The allocation by currency is part of the page; those by sector and country need a call for each instrument."""
    await page.run("location.hash = '#/performance'")
    await page.until("document.querySelectorAll('#allocations .bars').length === 1", "the allocation by currency")
    requests = "performance.getEntriesByType('resource').filter((one) => one.name.endsWith('/allocation.graphql')).length"
    assert await page.run(requests) == 0
    await page.click("#more-allocations summary")
    await page.until("document.querySelectorAll('#further-allocations .bars').length === 2", "the allocation by sector and country")
    sums = await page.run("""[...document.querySelectorAll("#page .bars")].map((list) =>
        [...list.querySelectorAll("b")].reduce((sum, one) => sum + parseFloat(one.textContent), 0))""")
    assert len(sums) == 3 and all(abs(total - 100) < 0.2 for total in sums), sums
    assert await page.run("document.getElementById('allocation-failure').hidden") and await page.run(requests) == 1


def alert_in(state, text):
    """A condition: an alert with the text is in the state."""
    return (f"[...document.querySelectorAll('#alerts li')].some((one) => "
            f"one.dataset.state === {json.dumps(state)} && one.textContent.includes({json.dumps(text)}))")


ANNOUNCED = 'document.getElementById("alerts-status").textContent'


async def fill_alert(page, symbol, kind, value, label=""):
    await page.run(f"""(() => {{
        const form = document.getElementById("alert-form");
        const values = {json.dumps({"symbol": symbol, "kind": kind, "value": value, "label": label})};
        for (const [name, text] of Object.entries(values)) form.elements[name].value = text;
        form.elements.kind.dispatchEvent(new Event("change", {{ bubbles: true }}));
    }})()""")


async def creates_an_alert(page):
    """From the page of a stock to an alert that is watched; an invalid value has a code, and its field the focus."""
    await open_stock(page, "AAPL")
    await page.click("#new-alert")
    await page.until('document.getElementById("alert-form") && location.hash === "#/alerts?symbol=AAPL"', "the alerts")
    assert await page.run('document.querySelector("#screens [aria-current]").textContent') == "Alerts"
    assert await page.run("document.activeElement.tagName") == "H1", "the heading has the focus"
    await page.until('!document.getElementById("no-alerts").hidden && document.getElementById("firings-note").textContent === "No alert has fired yet."', "empty lists")
    assert await page.run('document.querySelector("#alert-form [name=symbol]").value') == "AAPL"
    await fill_alert(page, "AAPL", "DAY_RISE", "0")
    assert await page.run('document.getElementById("alert-unit").textContent') == "Per cent"
    await page.click("#alert-form .primary")
    await page.until('/\\(BAD_USER_INPUT\\) \\w+/.test(document.getElementById("alert-failure").textContent)', "code and remedy")
    assert await page.run("document.activeElement.name") == "value", "the invalid field has the focus"
    await fill_alert(page, "aapl", "PRICE_ABOVE", "100000.50")
    await page.click("#alert-form .primary:enabled")
    await page.until(alert_in("ACTIVE", "AAPL price is at least 100,000.5"), "the alert")
    assert await page.run('document.getElementById("alert-failure").hidden && document.getElementById("no-alerts").hidden')
    assert await page.run(ANNOUNCED) == "Created: AAPL price is at least 100,000.5"
    await page.until('document.getElementById("alerts-live").textContent === "Connected"', "events")


async def follows_alerts(page):
    """An alert that another client creates, and that fires at once, is in both lists without a reload."""
    await page.run("""(async () => {
        const { token } = await (await fetch("/explorer/settings.json")).json();
        const response = await fetch("/graphql", {
            method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
            body: JSON.stringify({ query: `mutation { createAlert(input: {
                condition: { priceBelow: { symbol: "MSFT", price: "100000" } }, label: "Microsoft fell", rearmAfter: 86400
            }) { alert { id } } }` }) });
        const { errors } = await response.json();
        if (errors) throw new Error(errors[0].message);
    })()""")
    await page.until(alert_in("ACTIVE", "Microsoft fell") + " && document.querySelectorAll('#firings tr').length === 1", "the firing")
    alert = await page.run("document.querySelector('#alerts li').textContent")
    assert "again from" in alert and "last fired" in alert, alert
    shown = await page.run("[...document.querySelector('#firings tr').cells].map((one) => one.textContent)")
    assert shown[1] == "Microsoft fellMSFT price is at most 100,000" and re.fullmatch(r"[0-9,]+(\.[0-9]+)?", shown[2]), shown
    assert await page.run(ANNOUNCED) == f"Fired: Microsoft fell, observed {shown[2]}"
    await page.call("Page.reload")
    await page.until("document.querySelectorAll('#firings tr').length === 1 && " + alert_in("ACTIVE", "Microsoft fell"), "both after a reload")
    assert await page.run("[...document.querySelector('#firings tr').cells].map((one) => one.textContent)") == shown


async def changes_alerts_by_keyboard(page):
    """An alert is created, fires, is paused, activated and deleted without a pointer; its firing stays in the history."""
    firings = "document.querySelectorAll('#firings tr').length"
    await page.tab_to("#alert-form [name=symbol]")
    await page.call("Input.insertText", text="goog")
    await page.tab_to("#alert-form [name=kind]", 1)
    await page.press("ArrowDown")
    await page.tab_to("#alert-form [name=value]", 1)
    await page.call("Input.insertText", text="0.01")
    await page.press("Enter")
    await page.until(alert_in("ACTIVE", "GOOG price is at most 0.01"), "the alert")
    assert await page.run("document.activeElement.name") == "symbol", "the form has the focus"
    row = "#alerts li:first-child"
    await page.tab_to(f"{row} [data-action=toggle]", 12)
    for state, text in [("PAUSED", "Activate"), ("ACTIVE", "Pause")]:
        await page.press("Enter")
        await page.until(alert_in(state, "GOOG price"), state)
        await page.until(f"document.activeElement.matches('{row} [data-action=toggle]') && document.activeElement.textContent === '{text}'",
                         f"the focus on {text}")
        assert await page.run("document.activeElement.getAttribute('aria-label')") == f"{text}: GOOG price is at most 0.01"
    await page.tab_to(f"{row} [data-action=delete]", 1)
    await page.press("Enter")
    await page.until(f"!{alert_in('ACTIVE', 'GOOG price')} && document.activeElement.matches('{row} [data-action=delete]')", "the focus on the next alert")
    assert await page.run(ANNOUNCED) == "Deleted: GOOG price is at most 0.01"
    while await page.run("document.querySelectorAll('#alerts li').length"):
        count = await page.run("document.querySelectorAll('#alerts li').length")
        await page.press("Enter")
        await page.until(f"document.querySelectorAll('#alerts li').length === {count - 1}", "one alert less")
    assert not await page.run("document.getElementById('no-alerts').hidden")
    assert await page.run("document.activeElement.name") == "symbol" and await page.run(firings) == 1
    await page.call("Page.reload")
    await page.until(f"{firings} === 1 && !document.getElementById('no-alerts').hidden", "the history without alerts")


async def sends_an_order_once(page):
    """A request that is lost keeps its key over a reload; a response that is lost places no second order."""
    await fill_ticket(page, "4", limit="2.10")
    await page.fail(lambda body: "Request" if "placeOrder" in body else None)
    await send_order(page)
    await page.until('document.querySelector(".placement")', "the order without an outcome")
    assert await page.run('document.querySelector("#ticket .primary").disabled'), "another order can be sent"
    await page.fail(None)
    await page.call("Page.reload")
    await page.until('document.querySelector(".placement")?.textContent.includes("buy 4 AAPL at limit $2.10")', "the order after a reload")
    await page.fail(lambda body: "Response" if "placeOrder" in body else None)
    await page.click(".placement button")
    # The order arrived, so it is among the orders, and its key is not needed any more.
    await page.until(order_in("OPEN", "buy 4 at limit $2.10"), "the order that was placed")
    await page.until(f'{STORED} === 0 && !document.querySelector(".placement")', "the end of the question")
    await page.fail(None)
    await page.call("Page.reload")
    await page.until(order_in("OPEN", "buy 4 at limit $2.10"), "the order after a reload")
    placed = await page.run("""[...document.querySelectorAll("#orders li")].map((one) => one.textContent)
        .filter((text) => text.includes("buy 4"))""")
    assert len(placed) == 1, placed
    await page.click("#orders [data-action=cancel]")
    await page.until(order_in("CANCELED", "buy 4"), "its end")
    page.errors = [text for text in page.errors if "ERR_CONNECTION_RESET" not in text]


async def shows_an_unknown_symbol(page):
    await page.run("location.hash = '#/stock/NOSUCH'")
    await page.until('/\\(NOT_FOUND\\) \\w+/.test(document.getElementById("stock-failure")?.textContent ?? "")', "code and remedy")


async def goes_back(page):
    """Back shows the screen before, with the focus where it was."""
    await page.run("location.hash = '#/'")
    await page.click("#watchlist a[data-symbol=TSLA]")
    await page.until('document.querySelector("#stock-symbol")?.textContent === "TSLA"', "the page")
    await page.run("history.back()")
    await page.until('!document.getElementById("home").hidden && document.activeElement.dataset.symbol === "TSLA"', "home")
    assert await page.run('document.getElementById("stock").hidden')


async def trades_a_pair(page):
    """The prices of a pair have its decimals in every place."""
    await open_stock(page, "USD/JPY")
    prices = await page.run("""[document.getElementById("stock-price"), ...document.querySelectorAll("#day-figures dd, #price-chart .value")]
        .map((one) => one.textContent).slice(0, 4)""")
    assert all(text == "–" or (text[0].isdigit() and len(text.partition(".")[2]) >= 2) for text in prices), prices
    assert prices[0] != "–"


async def uses_the_keyboard(page):
    """From the search to a changed and cancelled order, without a pointer."""
    await page.run("location.hash = '#/'")
    await page.until('!document.getElementById("home").hidden', "home")
    await page.tab_to("#search input")
    await page.call("Input.insertText", text="Microsoft")
    await page.until("document.querySelector('#hits:not([hidden]) a')", "hits")
    await page.tab_to("#hits a[data-symbol=MSFT]", 5)
    await page.press("Enter")
    await page.until('document.querySelector("#stock-symbol")?.textContent === "MSFT" && !document.getElementById("stock-body").hidden', "the page")
    await page.tab_to("#ranges input")
    await page.press("ArrowRight")
    await page.until('document.querySelector("#price-chart[data-range=FIVE_YEARS]:not([aria-busy]) svg")', "the next range")
    await page.tab_to("#ticket [name=size]")
    await page.run("document.activeElement.select()")
    await page.call("Input.insertText", text="1")
    await page.tab_to("#ticket [name=type]")
    await page.press("ArrowDown")
    await page.tab_to("#ticket [name=limit]")
    await page.call("Input.insertText", text="3.10")
    await page.press("Enter")
    await page.until('document.activeElement.closest("#review")', "the focus in the review")
    if not await page.run('document.activeElement.matches("[value=place]")'):
        await page.tab_to("#review [value=place]", 3)
    await page.press("Enter")
    await page.until(order_in("OPEN", "buy 1 at limit $3.10"), "the order")
    await page.tab_to("#orders [data-action=replace]")
    await page.press("Enter")
    await page.tab_to("#replace [name=limit]", 6)
    await page.run("document.activeElement.select()")
    await page.call("Input.insertText", text="3.20")
    await page.press("Enter")
    await page.until(order_in("OPEN", "buy 1 at limit $3.20"), "the changed order")
    await page.tab_to("#orders [data-action=cancel]")
    await page.press("Enter")
    await page.until(order_in("CANCELED", "buy 1 at limit $3.20"), "the cancelled order")


async def watches(page):
    await open_stock(page, "GOOGL")
    await page.click("#watch[aria-pressed=false]:not([hidden])")
    await page.until('document.getElementById("watch").getAttribute("aria-pressed") === "true"', "a pressed button")
    await page.run("location.hash = '#/'")
    await page.until('document.querySelector("#watchlist a[data-symbol=GOOGL]")', "the symbol in the list")
    await open_stock(page, "GOOGL")
    await page.click("#watch[aria-pressed=true]")
    await page.until('document.getElementById("watch").getAttribute("aria-pressed") === "false"', "the button again")


async def fits_a_phone(page):
    """No screen scrolls sideways, neither as a whole nor in its tables; 320 pixels are the narrowest width of WCAG 1.4.10."""
    for width in [390, 320]:
        await fits_a_width(page, width)


async def create_wide_alert(page):
    """An alert with long texts that fires at once."""
    before = await page.run("document.querySelectorAll('#firings tr').length")
    await fill_alert(page, "USD/JPY", "PRICE_BELOW", "100000.123456789", "W" * 100)
    await page.click("#alert-form .primary:enabled")
    await page.until(f"document.querySelectorAll('#firings tr').length === {before + 1} && document.querySelector('#alerts li')", "its firing")


async def fits_a_width(page, width):
    await page.look(width, 844)
    wide = """[document.documentElement, ...document.querySelectorAll(".card")]
        .filter((one) => one.scrollWidth > one.clientWidth + (one === document.documentElement ? 0 : 1))
        .map((one) => `${one.tagName} ${one.getAttribute("aria-labelledby") ?? one.id}: ${one.scrollWidth} > ${one.clientWidth}`)"""
    try:
        await page.run("location.hash = '#/'")
        await page.until('!document.getElementById("home").hidden && document.querySelectorAll("#positions tr").length > 3', "home")
        faults = {"home": await page.run(wide)}
        await page.run("location.hash = '#/activity'")
        await page.until("document.querySelectorAll('#activities tr').length === 30", "activities")
        faults["activity"] = await page.run(wide)
        await page.run("location.hash = '#/performance'")
        await page.until("document.querySelector('#performance-body:not([hidden], [aria-busy])')", "the performance")
        await page.run("document.getElementById('more-allocations').open = true")
        await page.until("document.querySelectorAll('#further-allocations .bars').length === 2", "all allocations")
        faults["performance"] = await page.run(wide)
        await page.run("location.hash = '#/alerts'")
        await page.until("document.querySelectorAll('#firings tr').length > 0", "the alerts")
        await create_wide_alert(page)
        faults["alerts"] = await page.run(wide)
        await page.click("#alerts [data-action=delete]")
        await page.until("!document.querySelector('#alerts li')", "the end of the alert")
        for symbol in ["AAPL", "USD/JPY"]:
            await open_stock(page, symbol)
            await page.run("document.querySelector('#stock details').open = true")
            faults[symbol] = await page.run(wide)
        await fill_ticket(page, "1", limit="150.00")
        await page.run("document.getElementById('ticket').requestSubmit()")
        await page.until('document.getElementById("review").open', "the review")
        faults["review"] = await page.run(wide + ".concat(document.getElementById('review').scrollWidth > innerWidth ? ['review'] : [])")
        await page.run("document.getElementById('review').close('cancel')")
        assert not any(faults.values()), faults
    finally:
        await page.look(1280, 900)
        await page.run("location.hash = '#/'")
        await page.until('!document.getElementById("home").hidden', "home")


async def stays_signed_in(page):
    await page.call("Page.reload")
    await page.until('document.querySelector("#watchlist [data-symbol=TSLA]")', "the same home")
    await page.click("#sign-out")
    await page.until('document.querySelector("#sign-in:not([hidden])")', "the way in")


async def signs_out(page):
    await page.click("#sign-out")
    await page.until('document.querySelector("#sign-in:not([hidden])")', "the way in")


async def main(base, folder):
    failures = 0

    async def attempt(name, step, page):
        nonlocal failures
        try:
            await step(page)
            print(f"ok    {name}")
        except Exception as error:  # The other tests run in any case.
            failures += 1
            print(f"FAIL  {name}: {type(error).__name__}: {error}")

    async def check_page(page):
        foreign_requests = [url for url in page.requests if not url.startswith((base + "/", "data:"))]
        assert not foreign_requests, foreign_requests
        assert not page.errors, page.errors

    explorer = [
        ("explorer: a screen", runs_a_screen),
        ("explorer: upstream calls of a response", shows_upstream_calls),
        ("explorer: upstream calls, drawn", draws_upstream_calls),
        ("explorer: the parts of a response, as they arrive", shows_parts_as_they_arrive),
        ("explorer: subscriptions", follows_subscriptions),
        ("explorer: every root field", runs_every_root_field),
        ("explorer: a guest", becomes_a_guest),
        ("explorer: links to an operation", explorer_steps.shares_a_link),
        ("explorer: Tab reaches the editors before the samples", explorer_steps.orders_the_focus),
        ("explorer: labels of the waterfall do not overlap", explorer_steps.separates_labels),
        ("explorer: names without applications", explorer_steps.has_generic_names),
        ("explorer: the width of a phone, with the documentation", explorer_steps.fits_a_phone),
        ("explorer: no violation of axe's rules", explorer_steps.has_no_violation),
    ]
    example = [
        ("example: sign in, and a live home screen", signs_in),
        ("example: a goal is added", adds_a_goal),
        ("example: a symbol is added to the watchlist", adds_to_the_watchlist),
        ("example: the price of a pair has its decimals", shows_decimals_of_a_pair),
        ("example: cash, changes of the day, account numbers and the brokers' watchlists", example_steps.shows_the_whole_home),
        ("example: total, accounts, goals and positions change together", example_steps.changes_together),
        ("example: values of a broker that cannot be reached are marked", example_steps.marks_old_values),
        ("example: Back returns from a stock", goes_back),
        ("example: the page of a stock", opens_a_stock),
        ("example: ranges of the chart", changes_the_range),
        ("example: an order is placed", places_an_order),
        ("example: the order is replaced", replaces_the_order),
        ("example: the order is cancelled", cancels_the_order),
        ("example: an order is filled, and the position follows", fills_an_order),
        ("example: a rejected order has a code and a remedy", shows_a_rejection),
        ("example: the preview of an order", previews_an_order),
        ("example: an order with a take profit and a stop loss", places_a_bracket),
        ("example: an order is sent at most once", sends_an_order_once),
        ("example: an unknown symbol has a code and a remedy", shows_an_unknown_symbol),
        ("example: the page of a currency pair", trades_a_pair),
        ("example: a stock is watched on its page", watches),
        ("example: everything by keyboard", uses_the_keyboard),
        ("example: orders of all accounts", example_steps.lists_orders),
        ("example: an order that ends while a page is read", live_steps.reads_before_a_change),
        ("example: an order that ends before the subscription begins", live_steps.subscribes_after_a_change),
        ("example: a position that is closed during an interruption", live_steps.loses_no_position),
        ("example: Loading ends after an error", example_steps.ends_loading),
        ("example: activities, with filters and pages", filters_activities),
        ("example: performance, with ranges and benchmarks", shows_performance),
        ("example: an alert is created", creates_an_alert),
        ("example: an alert fires", follows_alerts),
        ("example: alerts by keyboard", changes_alerts_by_keyboard),
        # Last, because its calls use up the quota of a minute, without which it is not known that a symbol does not exist.
        ("example: allocations on demand", shows_allocations_on_demand),
        ("example: numbers are formatted", example_steps.formats_numbers),
        ("example: the width of a phone", fits_a_phone),
        ("example: no violation of axe's rules", example_steps.has_no_violation),
        ("example: the session survives a reload, and ends", stays_signed_in),
        ("example: the demo user again", signs_in),
        ("example: a goal is deleted", deletes_a_goal),
        ("example: a symbol is removed from the watchlist", removes_from_the_watchlist),
        ("example: sign out", signs_out),
        ("example: a new user is led to the brokers, and sees no error", example_steps.guides_a_new_user),
        ("example: sign up, and connect a broker", signs_up_and_connects),
        ("example: a user of Saxo alone sees no error", example_steps.shows_saxo_alone),
    ]
    for path, steps in [("/", explorer), ("/example/", example)]:
        async with browser() as page:
            await page.look(1280, 900)
            await page.open(base + path)
            for number, (name, step) in enumerate(steps, 1):
                await attempt(name, step, page)
                await page.picture(f"{folder}/{name.split(':')[0]}-{number}.png")
            await attempt(f"{path}: no other host, and no error", check_page, page)
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2])))
