"""A real browser without a screen, told what to do through a pipe (the Chrome DevTools protocol)."""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
         "--remote-debugging-pipe", "about:blank")
# the browser reads commands from its file 3 and writes answers to 4
WIRED = """
import os, sys
_, reading, writing, *words = sys.argv
os.dup2(int(reading), 3)
os.dup2(int(writing), 4)
os.execv(words[0], words)
"""
PATIENCE = 30.0     # s until an answer


def found():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page in a browser of its own; `trouble` is all that the page or the browser complained of.

    Runs in real time: what a test waits for it asks for with `until`.
    """

    def __init__(self, width=1000, height=700, dark=False, touch=False):
        self.trouble, self.asked, self._count, self._rest, self._loaded = [], [], 0, b"", False
        self._profile = tempfile.mkdtemp()
        reading, self._out = os.pipe()
        self._in, writing = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 16) for end in (reading, writing)]
        words = [sys.executable, "-c", WIRED, *map(str, ends), found(), f"--user-data-dir={self._profile}", *FLAGS]
        self._process = subprocess.Popen(words, pass_fds=ends, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in (reading, writing, *ends):
            os.close(end)
        self._session = None
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.tell("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for room in ("Page", "Runtime", "Log", "Network"):
            self.tell(f"{room}.enable")
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)
        self.tell("Emulation.setTouchEmulationEnabled", enabled=touch)
        self.tell("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        with contextlib.suppress(OSError):
            shutil.rmtree(self._profile)

    # ------------------------------------------------------------------------------------------------ what it is told

    def open(self, path):
        self._loaded = False
        self.tell("Page.navigate", url=Path(path).resolve().as_uri())
        self._wait(lambda: self._loaded)
        return self

    def ask(self, expression):
        """The value of a JavaScript expression, promises waited for."""
        answer = self.tell("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression):
        """Wait until it is true; its value."""
        end = time.monotonic() + PATIENCE
        while not (value := self.ask(expression)):
            assert time.monotonic() < end, f"{expression} did not come true"
            time.sleep(0.02)
        return value

    def press(self, key, modifiers=0):
        code = {" ": "Space"}.get(key, key)
        typed = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.tell("Input.dispatchKeyEvent", type=kind, key=key, code=code, modifiers=modifiers,
                      **(typed if kind == "keyDown" else {}))

    def mouse(self, kind, x, y, **words):
        self.tell("Input.dispatchMouseEvent", type=kind, x=x, y=y, **words)

    def click(self, selector):
        """With the mouse, on the middle of what is there."""
        x, y = self.ask(f"(r => [r.x + r.width/2, r.y + r.height/2])"
                        f"(document.querySelector({selector!r}).getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def drag(self, start, end):
        """With the mouse, pressed from one place to another."""
        self.mouse("mousePressed", *start, button="left", buttons=1, clickCount=1)
        for share in (0.5, 1.0):
            self.mouse("mouseMoved", *(a + share*(b - a) for a, b in zip(start, end)), button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)

    def picture(self, path):
        """A screenshot, PNG."""
        Path(path).write_bytes(base64.b64decode(self.tell("Page.captureScreenshot", format="png")["data"]))

    def tell(self, method, **words):
        """A command and its answer."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": words}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        answer = self._wait(lambda: None, self._count)
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    # ------------------------------------------------------------------------------------------------- what it answers

    def _wait(self, enough, number=None):
        """Read until `enough()`, or until the answer of that number."""
        end = time.monotonic() + PATIENCE
        while not enough():
            message = self._next(end)
            if number is not None and message.get("id") == number:
                return message
            self._hear(message)
        return None

    def _next(self, end):
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            more = os.read(self._in, 1 << 20)
            assert more, "the browser has gone"
            self._rest += more
        one, _, self._rest = self._rest.partition(b"\0")
        return json.loads(one)

    def _hear(self, message):
        what, words = message.get("method"), message.get("params", {})
        if what == "Page.loadEventFired":
            self._loaded = True
        elif what == "Runtime.exceptionThrown":
            self.trouble.append(words["exceptionDetails"].get("exception", {}).get("description", "exception"))
        elif what == "Runtime.consoleAPICalled" and words["type"] in ("error", "warning", "assert"):
            self.trouble.append(str(words["args"]))
        elif what == "Log.entryAdded" and words["entry"]["level"] in ("error", "warning"):
            self.trouble.append(words["entry"]["text"])
        elif what == "Network.requestWillBeSent":
            self.asked.append(words["request"]["url"])
