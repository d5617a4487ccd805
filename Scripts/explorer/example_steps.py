"""Steps that test the example: what its screens show of values, of their age, and to users with few or no brokers."""

import asyncio
import json
import re
import time

from accessibility import violations
from sandbox import control, sandbox_address

SCREENS = ["#/", "#/stock/AAPL", "#/orders", "#/activity", "#/performance", "#/alerts"]
# The visible messages in red.
FAILURES = """[...document.querySelectorAll("main:not([hidden]) .failure:not([hidden])")]
    .filter((one) => one.checkVisibility()).map((one) => one.textContent).filter(Boolean)"""
IS_LIVE = 'document.getElementById("live").textContent === "Live"'


async def go(page, screen):
    """Opens a screen, and waits until it has its content."""
    await page.run(f"location.hash = {json.dumps(screen)}")
    ready = {
        "#/": '!document.getElementById("home").hidden', "#/orders": 'document.querySelector("#orders li") && document.querySelector("#ended-orders li")',
        "#/activity": 'document.getElementById("activity-status") && !document.getElementById("activity-status").textContent.includes("Loading")',
        "#/performance": 'document.getElementById("performance-status") && !document.getElementById("performance-status").textContent.includes("Loading")',
        "#/alerts": 'document.querySelector("#alerts li, #no-alerts:not([hidden])")',
    }.get(screen, 'document.getElementById("stock-body") && !document.getElementById("stock-body").hidden')
    await page.until(ready, screen)


async def shows_the_whole_home(page):
    await go(page, "#/")
    shown = await page.run("""({
        totals: document.getElementById("totals").textContent, day: document.getElementById("day-change").textContent,
        accounts: [...document.querySelectorAll("#accounts li")].map((one) => one.textContent),
        rows: [...document.querySelectorAll("#positions tr")].map((one) => [...one.cells].map((cell) => cell.textContent)),
        lists: [...document.querySelectorAll("#other-watchlists h3")].map((one) => one.textContent),
        items: document.querySelectorAll("#other-watchlists [data-symbol] .price b").length })""")
    assert shown["totals"].startswith("Cash $") and "today" in shown["day"], shown
    assert len(shown["accounts"]) >= 3 and all("cash" in one and re.search(r"\d{7}|PA\d", one) for one in shown["accounts"]), shown["accounts"]
    assert all(re.search(r"PA3SANDBOX1|1730445\d", row[0]) for row in shown["rows"]), shown["rows"]
    assert all(re.search(r"\d.*%$", row[4]) for row in shown["rows"]), [row[4] for row in shown["rows"]]
    assert any(" at " in name for name in shown["lists"]) and shown["items"] > 3, shown


async def changes_together(page):
    """Whenever the positions change, the total and the accounts change with them, without a moment in between."""
    await go(page, "#/")
    batches = await page.run("""new Promise((done) => {
        const parts = { total: "#equity", accounts: "#accounts", positions: "#positions" };
        const read = () => Object.fromEntries(Object.entries(parts).map(([name, selector]) => [name, document.querySelector(selector).textContent]));
        const batches = [];
        let last = read();
        const observer = new MutationObserver(() => {
            const now = read();
            const changed = Object.keys(now).filter((name) => now[name] !== last[name]);
            last = now;
            if (changed.length) batches.push(changed.join(" "));
            if (batches.length === 3) { observer.disconnect(); done(batches); }
        });
        observer.observe(document.getElementById("home"), { childList: true, characterData: true, subtree: true });
        setTimeout(() => done(batches), 50_000);
    })""")
    assert batches == ["total accounts positions"] * 3, batches


async def marks_old_values(page):
    """Alpaca does not answer: its accounts, positions and the state beside the title say so, and Saxo's do not."""
    await go(page, "#/")
    await page.until(IS_LIVE, "live values")
    sandbox = await sandbox_address(page)
    control(sandbox, "POST", "faults", {"effect": "status", "status": 503, "provider": "alpaca"})
    try:
        await page.until('/^Old values of Alpaca, from/.test(document.getElementById("live").textContent)', "the state of the values")
        marked = await page.run("""({
            rows: [...document.querySelectorAll("#positions tr")].map((one) => [one.querySelector(".source").textContent, one.querySelector(".old").textContent]),
            accounts: [...document.querySelectorAll("#accounts li")].map((one) => [one.textContent, one.querySelector(".old").textContent]) })""")
        for name, old in marked["rows"] + marked["accounts"]:
            assert old.startswith("old, from") == name.startswith("Alpaca"), marked
    finally:
        control(sandbox, "DELETE", "faults")
    await page.until(IS_LIVE + ' && ![...document.querySelectorAll("#positions .old")].some((one) => one.textContent)', "live values again")
    page.errors.clear()


async def lists_orders(page):
    """The open orders with links, accounts and actions; those that have ended, of the steps before."""
    await go(page, "#/orders")
    shown = await page.run("""["orders", "ended-orders"].map((id) => [...document.querySelectorAll(`#${id} [data-order]`)].map((one) => ({
        text: one.textContent, link: one.querySelector("a")?.hash, actions: one.querySelectorAll("button").length, state: one.dataset.state })))""")
    assert shown[0] and all(one["link"].startswith("#/stock/") and one["actions"] and re.search(r"PA3|1730", one["text"]) for one in shown[0]), shown
    assert shown[1] and all(one["state"] in {"FILLED", "CANCELED", "REJECTED", "EXPIRED", "REPLACED", "UNKNOWN"} for one in shown[1]), shown
    await page.click("#orders [data-action=replace]")
    await page.until('document.getElementById("replace").open', "the dialog of a change")
    await page.press("Escape")
    await page.until('!document.getElementById("replace").open', "its end")


async def ends_loading(page):
    """A screen that could not be read says so, and does not load for ever."""
    await page.fail(lambda _: "Request")
    try:
        for name in ["activity", "performance"]:
            await page.run(f"location.hash = '#/{name}'")
            await page.until(f'!document.getElementById("{name}-failure")?.hidden && document.getElementById("{name}-failure").textContent', f"the failure of {name}")
            status = await page.run(f'document.getElementById("{name}-status").textContent')
            assert "Loading" not in status, status
    finally:
        await page.fail(None)
    page.errors = [text for text in page.errors if "ERR_CONNECTION_RESET" not in text]


async def formats_numbers(page):
    """No screen has a number of five digits without separators, other than numbers of accounts."""
    found = {}
    for screen in SCREENS:
        await go(page, screen)
        text = await page.run('document.querySelector("main:not([hidden])").innerText')
        numbers = [one for one in re.findall(r"(?<![\w.,#])\d{5,}(?:\.\d+)?\b", text) if not one.startswith("1730445")]
        if numbers:
            found[screen] = numbers
    assert not found, found


async def has_no_violation(page):
    """Each screen and each dialog, at two widths, light and dark."""
    found = {}

    async def check(name):
        await asyncio.sleep(0.4)
        faults = await violations(page)
        if faults:
            found[name] = faults

    for screen in SCREENS:
        await go(page, screen)
        for width, scheme in [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]:
            await page.look(width, 900, scheme)
            await check(f"{screen} {width} {scheme}")
    await page.look(1280, 900)
    await go(page, "#/stock/AAPL")
    await page.run("document.getElementById('ticket').requestSubmit()")
    await page.until("document.getElementById('review').open", "the review")
    await check("review")
    await page.run("document.getElementById('review').close('cancel')")
    await go(page, "#/")
    await page.click("#new-goal")
    await check("new goal")
    await page.run("document.getElementById('goal-dialog').close()")
    assert not found, json.dumps(found, indent=1)


async def guides_a_new_user(page):
    """A user without a broker: each screen says what to do next, and none has a message in red."""
    await page.type("#with-password [name=username]", f"user{time.time_ns()}")
    await page.type("#with-password [name=password]", "correct horse battery")
    await page.click("#with-password [value=sign-up]")
    await page.until("document.querySelectorAll('#connect button').length > 1", "brokers")
    await has_no_failure(page)
    await page.run('location.hash = "#/performance"')
    await page.until('document.querySelector("#performance-status a")', "the next step")
    await go(page, "#/")
    await page.click("#to-brokers")
    assert await page.run('document.activeElement.closest("#connect") !== null'), "the focus is not at the brokers"


async def shows_saxo_alone(page):
    await page.until('document.getElementById("chart-title").textContent === "All accounts, the last month"', "the line of the month")
    assert await page.run('document.getElementById("next-step").hidden')
    await has_no_failure(page)


async def has_no_failure(page):
    failures = {}
    for screen in SCREENS:
        await go(page, screen)
        found = await page.run(FAILURES)
        if found:
            failures[screen] = found
    await go(page, "#/")
    assert not failures, failures
