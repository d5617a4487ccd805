"""Tests the explorer and the example of a running Portico, which must use the sandbox.

usage: check.py BASE FOLDER    (screenshots go into the folder)
"""

import asyncio
import json
import sys
import time

from browser import browser

RESULT = 'document.querySelector(".result-window .CodeMirror").CodeMirror.getValue()'
QUERY = 'document.querySelector(".query-editor .CodeMirror").CodeMirror.getValue()'
VARIABLES = 'document.querySelector(".variable-editor .CodeMirror").CodeMirror.getValue()'
RUN = ".execute-button"


async def choose(page, sample):
    """Selects a sample, and waits until its operation is in the editor."""
    await page.click(f'[data-sample="{sample}"]')
    await page.until(f'decodeURIComponent(location.hash) === "#{sample}"', f"the sample {sample}")


async def answer(page):
    """Runs the operation in the editor, and returns the response."""
    await page.click(RUN)
    text = await page.until(f'!document.querySelector(".spinner") && {RESULT}', "an answer")
    return json.loads(text)


async def runs_a_screen(page):
    await page.until('document.querySelector("[data-sample=\'subscription/quotes\']")', "samples of all root fields")
    data = (await answer(page))["data"]
    assert data["account"]["equity"] and data["positions"], data
    await page.until('document.querySelector(".report .good .badge").textContent === "200"', "how the answer came")


async def draws_upstream_calls(page):
    """Each reported call is a bar at the correct position."""
    reported = [{"provider": "ALPACA", "call": outcome.lower(), "startMs": 10 * number, "durationMs": 10,
                 "outcome": outcome, "status": None, "attempts": 1}
                for number, outcome in enumerate(["FETCHED", "CACHED", "JOINED", "STALE", "FAILED"])]
    drawn = await page.run(f"""import("/explorer/waterfall.js").then(({{ drawWaterfall }}) => {{
        const panel = document.createElement("div");
        panel.append(...drawWaterfall({{ durationMs: 50, upstream: {json.dumps(reported)} }}));
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
    assert len(calls) >= 3 and any("ALPACA" in text and "fetched" in text for text in calls), calls
    assert '"portico"' not in await page.run(RESULT), "the extension is shown in the panel, not in the answer"
    await answer(page)
    again = await page.run(titles)
    assert any("from memory" in text for text in again), again


async def runs_every_root_field(page):
    """Each sample query has a response without errors; each sample mutation and its variables are valid."""
    for sample in ["stocktracker/new-list", "raven/add-goal"]:
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
    await page.until('document.querySelector("#equity-chart canvas")', "the line of the day")
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
    await page.type("#goal-form [name=percent]", "1")
    await page.click("#goal-form [value=create]")
    await page.until(f"{goals} === {before + 1}", "one goal more")
    await page.until('document.querySelector("[data-goal=\'A boat\'] .ring .part")', "its ring")
    assert not await page.run('document.getElementById("goal-dialog").open')


async def adds_to_the_watchlist(page):
    await page.type("#search input", "Tesla")
    await page.click('#hits:not([hidden]) [data-symbol="TSLA"]')
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
    """A new user connects a broker by its consent page."""
    await page.type("#with-password [name=username]", f"user{time.time_ns()}")
    await page.type("#with-password [name=password]", "correct horse battery")
    await page.click("#with-password [value=sign-up]")
    await page.until("document.querySelectorAll('#connect button').length > 1", "brokers")
    await page.run("[...document.querySelectorAll('#connect button')].find((one) => one.textContent.includes('SAXO')).click()")
    await page.until("document.querySelector('button[value=approve]')", "the consent page")
    # The only other address that the page may open.
    consent = await page.run("location.origin")
    await page.click("button[value=approve]")
    await page.until("document.querySelectorAll('#connections li').length === 1", "the connection")
    await page.until("document.querySelectorAll('#positions tr').length > 3", "its positions")
    assert await page.run("location.search") == "", "the code stays in the address"
    page.requests = [url for url in page.requests if not url.startswith(consent)]
    page.errors = [text for text in page.errors if consent not in text]


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
        ("explorer: subscriptions", follows_subscriptions),
        ("explorer: every root field", runs_every_root_field),
        ("explorer: a guest", becomes_a_guest),
    ]
    example = [
        ("example: sign in, and a live home screen", signs_in),
        ("example: a goal is added", adds_a_goal),
        ("example: a symbol is added to the watchlist", adds_to_the_watchlist),
        ("example: the price of a pair has its decimals", shows_decimals_of_a_pair),
        ("example: the session survives a reload, and ends", stays_signed_in),
        ("example: the demo user again", signs_in),
        ("example: a goal is deleted", deletes_a_goal),
        ("example: a symbol is removed from the watchlist", removes_from_the_watchlist),
        ("example: sign out", signs_out),
        ("example: sign up, and connect a broker", signs_up_and_connects),
    ]
    for path, steps in [("/", explorer), ("/example/", example)]:
        async with browser() as page:
            await page.look(1440, 900)
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
