"""Controls headless Chromium with the Chrome DevTools Protocol over one WebSocket."""

import asyncio
import base64
import contextlib
import json
import os
import shutil
import tempfile

import websockets

# The timeout of each step; long, for slow machines.
PATIENCE = 60


class Page:
    """One tab, with its errors and its requests to other hosts."""

    def __init__(self, socket, session):
        self._socket = socket
        self._session = session
        self._number = 0
        self._answers = {}
        self.errors = []
        self.requests = []
        # A function of the text of a request: the stage at which the request is made to fail, "Request" or "Response".
        self.failing = None
        self._tasks = set()
        self._reader = asyncio.create_task(self._read())

    async def call(self, method, **parameters):
        """Calls a method of the protocol, and returns its result."""
        self._number += 1
        answer = self._answers[self._number] = asyncio.get_running_loop().create_future()
        message = {"id": self._number, "method": method, "params": parameters, "sessionId": self._session}
        await self._socket.send(json.dumps(message))
        return await asyncio.wait_for(answer, PATIENCE)

    async def _read(self):
        async for text in self._socket:
            message = json.loads(text)
            if "id" in message:
                answer = self._answers.pop(message["id"], None)
                if answer and not answer.done():
                    if "error" in message:
                        answer.set_exception(RuntimeError(message["error"]["message"]))
                    else:
                        answer.set_result(message["result"])
            else:
                self._note(message["method"], message["params"])

    def _note(self, event, about):
        if event == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif event == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.errors.append(f"{about['entry']['text']} {about['entry'].get('url', '')}")
        elif event == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning"):
            self.errors.append(" ".join(str(one.get("value", one.get("description"))) for one in about["args"]))
        elif event == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif event == "Fetch.requestPaused":
            task = asyncio.create_task(self._answer_pause(about))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer_pause(self, about):
        stage = "Response" if "responseStatusCode" in about or "responseErrorReason" in about else "Request"
        if self.failing and self.failing(about["request"].get("postData", "")) == stage:
            await self.call("Fetch.failRequest", requestId=about["requestId"], errorReason="ConnectionReset")
        else:
            await self.call("Fetch.continueRequest", requestId=about["requestId"])

    async def fail(self, failing):
        """Makes requests fail: before they are sent, or after the server has answered; None ends it."""
        self.failing = failing
        if failing:
            patterns = [{"urlPattern": "*/graphql", "requestStage": stage} for stage in ["Request", "Response"]]
            await self.call("Fetch.enable", patterns=patterns)
        else:
            await self.call("Fetch.disable")

    async def open(self, url):
        for domain in ["Page", "Runtime", "Log", "Network"]:
            await self.call(f"{domain}.enable")
        await self.call("Page.navigate", url=url)

    async def run(self, script):
        """Returns the value of a JavaScript expression, which may be a promise."""
        result = await self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            raise AssertionError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    async def until(self, condition, what):
        """Waits until an expression is true, and returns its value."""
        script = f"""new Promise((resolve) => {{
            const look = () => {{
                let value = null;
                try {{ value = ({condition}); }} catch {{ value = null; }}
                if (value) resolve(value instanceof Node || value); else setTimeout(look, 50);
            }};
            look();
        }})"""
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    try:
                        return await self.run(script)
                    except RuntimeError:  # A navigation ended the script; the next page is asked.
                        await asyncio.sleep(0.05)
        except asyncio.TimeoutError:
            raise AssertionError(f"waited {PATIENCE} s in vain for {what}") from None

    async def click(self, selector):
        """Clicks in the middle of an element, after it has appeared."""
        await self.until(f"document.querySelector({json.dumps(selector)})", selector)
        place = await self.run(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{ block: "nearest" }});
            const box = element.getBoundingClientRect();
            return {{ x: box.x + box.width / 2, y: box.y + box.height / 2 }};
        }})()""")
        for kind in ["mousePressed", "mouseReleased"]:
            await self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)

    async def type(self, selector, text):
        """Types a text into a field, replacing its content."""
        await self.run(f"""(() => {{
            const field = document.querySelector({json.dumps(selector)});
            field.focus();
            field.select();
        }})()""")
        await self.call("Input.insertText", text=text)

    async def press(self, key, shift=False):
        """Presses a key: a name such as Tab, Enter or ArrowRight, or " "."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        text = {"Enter": "\r", " ": " "}.get(key)
        about = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": codes[key], "modifiers": 8 if shift else 0}
        await self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **about, **({"text": text} if text else {}))
        await self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    async def tab_to(self, selector, limit=120):
        """Presses Tab until an element has the focus."""
        for _ in range(limit):
            await self.press("Tab")
            if await self.run(f"document.activeElement.matches({json.dumps(selector)})"):
                return
        raise AssertionError(f"{selector} is not reached by Tab")

    async def look(self, width, height, scheme="light"):
        """Sets the size of the window, and the colour scheme."""
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        await self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    async def picture(self, path):
        try:
            result = await self.call("Page.captureScreenshot", format="png")
        except RuntimeError:  # A navigation replaced the page meanwhile.
            await self.until('document.readyState === "complete"', "the next page")
            result = await self.call("Page.captureScreenshot", format="png")
        with open(path, "wb") as file:
            file.write(base64.b64decode(result["data"]))


@contextlib.asynccontextmanager
async def browser():
    """Starts Chromium with a new profile; returns a function that opens a tab."""
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        raise SystemExit("There is no Chromium: install it (Debian: apt-get install chromium), or name it in CHROMIUM.")
    profile = tempfile.mkdtemp()
    # Root cannot use Chromium's sandbox; the browser loads only pages of the server under test.
    process = await asyncio.create_subprocess_exec(
        program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
        "--no-first-run", "--disable-background-networking", "--remote-debugging-port=0", f"--user-data-dir={profile}",
        stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL)
    try:
        address = await asyncio.wait_for(_address(process), PATIENCE)
        draining = asyncio.create_task(process.stderr.read())
        async with websockets.connect(address, max_size=None) as socket:
            await socket.send(json.dumps({"id": 0, "method": "Target.createTarget", "params": {"url": "about:blank"}}))
            target = json.loads(await socket.recv())["result"]["targetId"]
            await socket.send(json.dumps({
                "id": 0, "method": "Target.attachToTarget", "params": {"targetId": target, "flatten": True}}))
            while "result" not in (message := json.loads(await socket.recv())):
                pass
            yield Page(socket, message["result"]["sessionId"])
        draining.cancel()
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
        shutil.rmtree(profile, ignore_errors=True)


async def _address(process):
    async for line in process.stderr:
        text = line.decode()
        if "DevTools listening on " in text:
            return text.split("DevTools listening on ")[1].strip()
    raise SystemExit("Chromium ended before it could be driven.")
