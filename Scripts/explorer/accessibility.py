"""Checks a page with axe-core, which the package axe-playwright-python contains."""

import importlib.util
import json
import pathlib

AXE = pathlib.Path(importlib.util.find_spec("axe_playwright_python").origin).with_name("axe.min.js").read_text()


async def violations(page):
    """The violations of axe's rules on the page as it is: one text for each, with the elements."""
    if not await page.run("typeof window.axe === 'object'"):
        await page.run(AXE + "\n;0")
    found = json.loads(await page.run("""axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => JSON.stringify(
        violations.map(({ id, impact, help, nodes }) => ({
            id, impact, help, nodes: nodes.map(({ target, any }) => `${target} ${any.map(({ message }) => message).join(" ")}`) }))))"""))
    return [f"{one['impact']} {one['id']}: {one['help']}: {'; '.join(one['nodes'][:8])}" for one in found]
