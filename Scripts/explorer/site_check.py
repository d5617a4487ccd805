"""Checks every page of the built documentation with axe's rules, and its width: on a wide and on a narrow screen, light and dark.

usage: site_check.py FOLDER    (the folder of the site)
"""

import asyncio
import functools
import http.server
import pathlib
import sys
import threading

from accessibility import violations
from browser import browser

SCREENS = [(1280, "light"), (390, "dark")]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """No line for each request."""


async def main(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    pages = sorted(path.relative_to(folder).as_posix() for path in pathlib.Path(folder).rglob("*.html"))
    faults = 0
    for width, scheme in SCREENS:
        # A new browser, because the theme keeps the scheme of the first page.
        async with browser() as page:
            await page.look(width, 900, scheme)
            await page.open(base)
            for path in pages:
                await page.call("Page.navigate", url=f"{base}/{path}")
                await page.until(f"location.pathname === '/{path}' && document.readyState === 'complete'", path)
                # The theme moves and fades elements when a page is open.
                await asyncio.sleep(0.3)
                found = await violations(page)
                if await page.run("document.documentElement.scrollWidth > innerWidth"):
                    found.append("the page scrolls sideways")
                for fault in found + page.errors:
                    print(f"FAIL  {path} {width} {scheme}: {fault}")
                faults += len(found) + len(page.errors)
                page.errors.clear()
    print(f"{len(pages)} pages, {len(SCREENS)} screens: {faults} faults")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(sys.argv[1])))
