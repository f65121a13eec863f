"""Drives a headless Chromium over a pipe (DevTools protocol), with the standard library only.

    with Browser.start() as browser:       # None when there is no browser
        page = browser.open(path)
        page.evaluate("document.title")
"""
import base64
import json
import math
import os
import pathlib
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import zlib

NAMES = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
PATIENCE_S = 60  # for one answer: a loaded machine is slow, a browser that hangs must not hang the tests


def find():
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="halftone-browser-")
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()
        arguments = [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                     "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "about:blank"]
        # The protocol is spoken on the descriptors 3 and 4.
        shell = ["sh", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "sh", *arguments]
        self.process = subprocess.Popen(shell, pass_fds=(to_browser, from_browser), start_new_session=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.out)
        os.close(self.inp)
        shutil.rmtree(self.profile, ignore_errors=True)

    def _message(self):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.inp], [], [], PATIENCE_S)
            data = os.read(self.inp, 1 << 20) if ready else b""
            if not data:
                raise RuntimeError("the browser says nothing more")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, session=None, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if session:
            request["sessionId"] = session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            message = self._message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def wait_for(self, method, session):
        while True:
            for event in self.events:
                if event.get("method") == method and event.get("sessionId") == session:
                    self.events.remove(event)
                    return
            self.events.append(self._message())

    def open(self, path, **settings):
        return Page(self, pathlib.Path(path).resolve(), **settings)


class Page:
    """A file in a tab of its own, loaded and drawn."""

    def __init__(self, browser, path, width=1000, height=800, dark=False, scripts=True):
        self.browser = browser
        self.target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(domain + ".enable")
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.size(width, height)
        self.dark(dark)
        browser.events.clear()
        self.send("Page.navigate", url=path.as_uri())
        browser.wait_for("Page.loadEventFired", self.session)
        if scripts:
            self.settle()

    def close(self):
        self.browser.send("Target.closeTarget", targetId=self.target)

    def send(self, method, **params):
        return self.browser.send(method, self.session, **params)

    def size(self, width, height=800):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)

    def dark(self, dark):
        self.send("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def settle(self):
        """Until what was asked for is drawn: two frames."""
        self.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))")

    def evaluate(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def hover(self, x, y):
        """At a place of the page, not of the window; returns after the page has seen it."""
        self.evaluate(f"window.scrollTo(0, {y} - 300)")
        scrolled = self.evaluate("window.scrollY")
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y - scrolled)
        self.settle()

    def screenshot(self, element=None, scale=1):
        """A PNG of the whole page, or of the element with this id, smaller with a scale below 1."""
        # The window becomes as high as the page, and charts have time to follow: a picture beyond the
        # window would resize it for the moment of the picture, when charts have just been cleared.
        self.size(self.evaluate("innerWidth"), math.ceil(self.send("Page.getLayoutMetrics")["cssContentSize"]["height"]))
        self.settle()
        if element:
            clip = self.evaluate(f"(() => {{ const r = document.getElementById('{element}').getBoundingClientRect();"
                                 "return {x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height}; })()")
        else:
            size = self.send("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"]}
        return base64.b64decode(self.send("Page.captureScreenshot", clip={**clip, "scale": scale})["data"])

    def complaints(self):
        """Console errors and warnings, exceptions, what the security policy refused."""
        found = []
        for event in self._events():
            method, params = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"])
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(params["args"])
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
        return found

    def requests(self):
        return [event["params"]["request"]["url"] for event in self._events()
                if event["method"] == "Network.requestWillBeSent"]

    def _events(self):
        self.evaluate("1")  # whatever came before is read then
        return [event for event in self.browser.events if event.get("sessionId") == self.session]


def pixels(png):
    """Rows of (r, g, b) of an 8-bit RGB or RGBA PNG without interlace, as browsers write it."""
    if png[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG")
    width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", png[16:29])
    if depth != 8 or colour not in (2, 6) or interlace:
        raise ValueError(f"PNG of depth {depth}, colour type {colour}, interlace {interlace}")
    size = 3 if colour == 2 else 4
    packed, at = b"", 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IDAT":
            packed += png[at + 8:at + 8 + length]
        at += length + 12
    data = zlib.decompress(packed)
    stride = width * size
    previous = bytearray(stride)
    rows = []
    for y in range(height):
        kind = data[y * (stride + 1)]
        row = bytearray(data[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        _unfilter(kind, row, previous, size)
        rows.append([tuple(row[x:x + 3]) for x in range(0, stride, size)])
        previous = row
    return rows


def _unfilter(kind, row, above, size):
    """PNG specification, 9.2."""
    for i in range(len(row)):
        left = row[i - size] if i >= size else 0
        up = above[i]
        corner = above[i - size] if i >= size else 0
        if kind == 1:
            row[i] = (row[i] + left) & 255
        elif kind == 2:
            row[i] = (row[i] + up) & 255
        elif kind == 3:
            row[i] = (row[i] + (left + up) // 2) & 255
        elif kind == 4:
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
            row[i] = (row[i] + nearest[2]) & 255
