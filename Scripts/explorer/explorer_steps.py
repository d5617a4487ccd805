"""Steps that test the explorer: what a user does in its editors, and what each of its panels must have."""

import asyncio
import json
import re

from accessibility import violations

EDITOR = 'document.querySelector(".graphiql-query-editor .CodeMirror").CodeMirror'
VARIABLE_EDITOR = 'document.querySelector(".graphiql-editor-tool .CodeMirror").CodeMirror'
RESULT = 'document.querySelector(".result-window .CodeMirror, .result-window.CodeMirror").CodeMirror.getValue()'
QUERY = f"{EDITOR}.getValue()"
VARIABLES = f"{VARIABLE_EDITOR}.getValue()"
RUN = ".graphiql-execute-button"

# The panels of GraphiQL beside the editors, by the titles of their buttons.
PANELS = ["Documentation Explorer", "History", "Query builder"]


async def choose(page, sample):
    """Selects a sample, and waits until its operation is in the editor."""
    await page.click(f'[data-sample="{sample}"]')
    await page.until(f'decodeURIComponent(location.hash) === "#{sample}"', f"the sample {sample}")


async def answer(page):
    """Runs the operation in the editor, and returns the response."""
    await page.click(RUN)
    text = await page.until(f'!document.querySelector(".graphiql-spinner") && {RESULT}', "an answer")
    return json.loads(text)


async def shares_a_link(page):
    """A link has the operation and its variables, but no token and no password; it is not run before the user runs it."""
    await choose(page, "mutation/signIn")
    await page.until(f'{VARIABLES}.includes("password")', "the variables")
    await page.until('sessionStorage.getItem("graphiql:variables")?.includes("password")', "the variables in GraphiQL's state")
    password = json.loads(await page.run(VARIABLES))["input"]["password"]
    await page.click('[aria-label="Copy a link to this operation"]')
    await page.until('location.hash.startsWith("#query=")', "the link")
    await page.until('document.getElementById("told").textContent.includes("no token")', "what the link has")
    link = await page.run("location.href")
    shared = await page.run("Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")
    assert shared["query"] == await page.run(QUERY) and "signIn" in shared["query"], shared
    variables = json.loads(shared["variables"])["input"]
    assert variables["password"] == "" and variables["username"], variables
    assert password not in link and "sandbox" not in link.partition("#")[2], link
    await choose(page, "query/marketClock")
    count = len(page.requests)
    await page.run(f"location.hash = {json.dumps(link.partition('#')[2])}")
    await page.until(f'{QUERY}.includes("signIn") && JSON.parse({VARIABLES}).input.password === ""', "the operation of the link")
    assert not [url for url in page.requests[count:] if url.endswith("/graphql")], "the operation of a link was sent"
    query = 'mutation { a(password: "S1", tokens: ["S2"]) } query Q($secret: String! = "S3") { b(c: "kept", code: $secret) }'
    variables = json.dumps({"i": {"currentPassword": "S4", "newPassword": "S5", "invitation": "S6", "tokens": ["S7"], "name": "kept"}})
    link = await page.run(f"""import("/explorer/links.js").then(({{ makeLink, readLink }}) =>
        readLink(makeLink({json.dumps({"query": query, "variables": variables})})))""")
    assert link["query"] == 'mutation { a(password: "", tokens: "") } query Q($secret: String! = "") { b(c: "kept", code: $secret) }', link
    assert list(json.loads(link["variables"])["i"].values()) == ["", "", "", "", "kept"], link
    await choose(page, "query/viewer")


async def orders_the_focus(page):
    """Tab goes to the editors and their buttons, then to the samples; it is trapped in no editor."""
    await page.run("document.activeElement.blur(), getSelection().removeAllRanges(), document.querySelector('.brand').focus()")
    names = []
    for _ in range(40):
        await page.press("Tab")
        names.append(await page.run("""(({ id, dataset, ariaLabel, textContent }) =>
            dataset.sample ? "sample" : id || ariaLabel || textContent.trim())(document.activeElement)"""))
        if names[-1] == "sample":
            break
    for name in ["Operation", "Variables as JSON", "Response, text", "sample-filter", "sample"]:
        assert name in names, (name, names)
    places = [names.index(name) for name in ["session", "Operation", "Variables as JSON", "Response, text", "sample-filter", "sample"]]
    assert places == sorted(places), names


async def separates_labels(page):
    """Neither the labels of the time axis nor the columns of a call overlap, in panels of all widths."""
    calls = [{"provider": "ALPHA_VANTAGE", "call": "a call with a long name", "startMs": 400 * number, "durationMs": 700.5,
              "outcome": "FAILED", "status": 503, "attempts": 3} for number in range(3)]
    for total in [9.9, 999, 1_234, 98_765]:
        overlaps = await page.run(f"""import("/explorer/waterfall.js").then(({{ drawWaterfall }}) => {{
            const report = document.querySelector(".report").cloneNode();
            const panel = document.createElement("section");
            panel.className = "upstream";
            panel.append(...drawWaterfall([{{ durationMs: {total}, upstream: {json.dumps(calls)} }}]));
            report.append(panel);
            document.querySelector(".graphiql-footer").append(report);
            const found = [];
            for (const width of [300, 340, 390, 450, 520, 600, 700, 800, 1000]) {{
                report.style.width = `${{width}}px`;
                const visible = (selector, root) => [...root.querySelectorAll(selector)].map((one) => one.getBoundingClientRect()).filter((box) => box.width);
                const rows = [visible(".marks span", panel), ...[...panel.querySelectorAll(".call")].map((call) => visible(".name, .track, .took", call))];
                for (const boxes of rows) {{
                    boxes.forEach((box, index) => {{ if (index && box.left < boxes[index - 1].right - 0.5) found.push([width, index]); }});
                }}
                for (const one of panel.querySelectorAll(".took")) if (one.scrollWidth > one.clientWidth + 1) found.push([width, one.textContent]);
            }}
            report.remove();
            return found;
        }})""")
        assert not overlaps, (total, overlaps)


async def has_generic_names(page):
    """The page names no application of those for which the documents were written."""
    text = await page.run('[document.body.innerText, ...[...document.querySelectorAll("[title]")].map((one) => one.title)].join("\\n")')
    names = re.findall(r"(?i)\b(?:raven|stocktracker|saxotrader\w*|plan[- ]a|foliage)\b", text)
    assert not names, sorted(set(names))


async def open_panel(page, title):
    await page.click(f'.graphiql-sidebar [aria-label="Show {title}"]')
    await page.until(f'document.querySelector(\'.graphiql-sidebar [aria-label="Hide {title}"]\') && document.querySelector(".graphiql-plugin > *")', title)


async def close_panel(page, title):
    await page.click(f'.graphiql-sidebar [aria-label="Hide {title}"]')
    await page.until('!document.querySelector(".graphiql-plugin > *")', f"the end of {title}")


async def fits_a_phone(page):
    """The documentation has the width of the window; nothing scrolls sideways; the response is readable."""
    for width in [390, 320]:
        await page.look(width, 844)
        await page.until("document.documentElement.scrollWidth <= innerWidth", f"a page of {width} pixels")
        await open_panel(page, PANELS[0])
        panel = await page.run('document.querySelector(".graphiql-plugin").getBoundingClientRect().width')
        assert panel >= width - 20, (width, panel)
        await page.until("document.documentElement.scrollWidth <= innerWidth", f"a page of {width} pixels")
        await close_panel(page, PANELS[0])
        result = await page.run('(({ width, height }) => [width, height])(document.querySelector(".result-window").getBoundingClientRect())')
        assert result[0] > width - 40 and result[1] > 150, result
    await page.look(1280, 900)


async def has_no_violation(page):
    """With each panel and with two tabs; at two widths, light and dark."""
    found = {}

    async def check(name):
        # Transitions of colours end.
        await asyncio.sleep(0.4)
        faults = await violations(page)
        if faults:
            found[name] = faults

    await page.run('document.querySelector("#told").textContent = "The link was copied."')
    await choose(page, "query/account")
    await answer(page)
    for width, scheme in [(1280, "light"), (390, "dark"), (1280, "dark"), (390, "light")]:
        await page.look(width, 844, scheme)
        await check(f"{width} {scheme}")
        for title in PANELS:
            await open_panel(page, title)
            await check(f"{width} {scheme}, {title}")
            await close_panel(page, title)
    await page.look(1280, 900)
    await page.click(".graphiql-tab-add")
    await check("two tabs")
    await page.click(".graphiql-tab-active .graphiql-tab-close")
    assert not found, json.dumps(found, indent=1)
